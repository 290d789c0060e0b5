// Who takes part: the contenders that were built, each with each number of workers.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/compare/exhibits.hpp"

namespace bench {

/// One line of a table: one program in one role.
struct entrant {
  std::string build;      // "gcc 12.2.0"
  std::string contender;  // "nearfork"
  unsigned workers = 1;
  unsigned copies = 1;  // independent copies of the serial program, run at once: what the machine itself allows
  std::filesystem::path program;

  [[nodiscard]] bool is_serial() const { return contender == "serial" && copies == 1; }
  [[nodiscard]] bool is_ceiling() const { return copies > 1; }
  [[nodiscard]] bool is_nearfork() const { return contender == "nearfork"; }
};

struct selection {
  std::vector<std::filesystem::path> builds;  // folders with contenders/PROBLEM/CONTENDER
  std::vector<unsigned> workers;
  std::vector<std::string> contenders;  // empty: all
  bool expensive_ones_too = false;      // include them also where an exhibit leaves them out
};

/// The label that a build wrote down for its `programs`, "contenders" or "styles"; else the folder's name.
[[nodiscard]] std::string label_of(const std::filesystem::path& build, const char* programs);

/// Serial programs first, build by build.
[[nodiscard]] std::vector<entrant> entrants_for(const exhibit& shown, const selection& wanted);

}  // namespace bench
