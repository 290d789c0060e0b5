#include "tools/output/kept_files.hpp"

#include <fmt/format.h>

#include <nearfork/error.hpp>

namespace nearfork::tools {
namespace {

constexpr std::string_view description_end = ".xml";

void keep(const output_file& output, std::string_view option, const std::string& path, std::string_view why) {
  if (output.replaces(path))
    throw error(fmt::format("nearfork: {} would replace {}, {}; name another file", option, path, why));
}

}  // namespace

void keep_files(const output_file& output, std::string_view option, const std::vector<std::string>& read) {
  for (const std::string& path : read) keep(output, option, path, "which this command reads");
}

void keep_machines(const output_file& output, std::string_view option, const std::vector<std::string>& machines) {
  for (const std::string& one : machines)
    if (one.ends_with(description_end))
      keep_files(output, option, {one, one.substr(0, one.size() - description_end.size()) + ".model"});
}

void keep_program(const output_file& output, std::string_view option, const std::string& program) {
  if (program.find('/') != program.npos) keep(output, option, program, "the program that is to run");
}

}  // namespace nearfork::tools
