# Writes a source with the content of files. Run by cmake -P, with OUTPUT and FILES: names and paths in turn, "|" between. A path
# that ends in NOTFOUND gives an empty content.
string(REPLACE "|" ";" files "${FILES}")
set(entries "")
set(arrays "")
list(LENGTH files count)
math(EXPR last "${count} - 1")
foreach(i RANGE 0 ${last} 2)
  math(EXPR j "${i} + 1")
  list(GET files ${i} name)
  list(GET files ${j} path)
  if(path MATCHES "NOTFOUND$")
    continue()
  endif()
  file(READ "${path}" hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND arrays "constexpr unsigned char part_${i}[] = {${bytes}0};\n")
  string(APPEND entries "  if (name == \"${name}\") return text_of(part_${i}, sizeof part_${i} - 1);\n")
endforeach()
file(WRITE "${OUTPUT}" "// Made by cmake/embed.cmake.
#include \"tools/report/page_writer.hpp\"

#include <cstddef>

namespace nearfork::tools {
namespace {

${arrays}
std::string_view text_of(const unsigned char* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

std::string_view page_part(std::string_view name) {
${entries}  return {};
}

}  // namespace nearfork::tools
")
