// The source files as values, so that a test can check a tree that was never written to disk.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nearfork::arrows {

/// Path from the source root ("src/plan/plans/plan.hpp") to text.
using source_tree = std::map<std::string, std::string>;

/// The C++ files of the given folders; a folder that does not exist holds none.
[[nodiscard]] source_tree read_tree(const std::filesystem::path& root, const std::vector<std::string>& folders);

struct include_line {
  std::string header;  ///< what stands between the quotes or brackets
  int line;
};

[[nodiscard]] std::vector<include_line> includes_of(std::string_view text);

}  // namespace nearfork::arrows
