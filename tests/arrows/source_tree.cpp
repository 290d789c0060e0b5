#include "arrows/source_tree.hpp"

#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace nearfork::arrows {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

bool is_cpp(const fs::path& path) {
  return path.extension() == ".cpp" || path.extension() == ".hpp";
}

}  // namespace

source_tree read_tree(const fs::path& root, const std::vector<std::string>& folders) {
  source_tree tree;
  for (const auto& folder : folders) {
    if (!fs::exists(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.is_regular_file() && is_cpp(entry.path()))
        tree.emplace(fs::relative(entry.path(), root).generic_string(), read_file(entry.path()));
    }
  }
  return tree;
}

std::vector<include_line> includes_of(std::string_view text) {
  static const std::regex include_pattern(R"(^\s*#\s*include\s*[<"]([^>"]+)[>"])");
  std::vector<include_line> found;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::smatch match;
    if (std::regex_search(line, match, include_pattern)) found.push_back({match[1], number});
  }
  return found;
}

}  // namespace nearfork::arrows
