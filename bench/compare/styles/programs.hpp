// The programs that cmake/styles.cmake builds: BUILD/styles/FLAGS/FAMILY/STYLE/START.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace bench {

/// One style, built by one compiler with one set of flags. It has one program for each start within a cache line.
struct style {
  std::string family;  // styles of one family share a serial program
  std::string name;
  std::string build;  // "GNU 12.2.0"
  std::string flags;  // "O2"
  std::vector<std::filesystem::path> programs;

  [[nodiscard]] bool is_serial() const { return name == "serial"; }
};

struct style_selection {
  std::vector<std::filesystem::path> builds;
  std::vector<std::string> names;  // empty: all
  std::vector<std::string> flags;  // empty: all
};

/// Sorted by family and name, serial first; within a name by flags and build. Leaves out families of which only the
/// serial program is chosen. Throws: nearfork::error for a name or flags that no build has.
[[nodiscard]] std::vector<style> built_styles(const style_selection& wanted);

}  // namespace bench
