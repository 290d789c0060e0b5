#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/bench_result.hpp"

namespace nearfork::tools {

/// What the system says at the moment.
struct system_reading {
  std::optional<std::string> governor;  // of the first core's frequency
  std::optional<unsigned> running;      // threads that run or want to, this one included
};
[[nodiscard]] system_reading read_system();

/// 3 of "0.52 0.41 0.30 3/812 12345", the text of /proc/loadavg.
[[nodiscard]] std::optional<unsigned> running_threads(std::string_view loadavg);

/// "gcc 12.2.0".
[[nodiscard]] std::string compiler_text();
/// "optimised, asserts off".
[[nodiscard]] std::string build_text();

struct condition_facts {
  system_reading system;
  unsigned most_workers = 1;
  unsigned cores = 1;  // that the process may use
  bool trustworthy_build = true;
  std::vector<std::string> missing_contenders;
};
/// What makes times doubtful, and what to do about it.
[[nodiscard]] std::vector<std::string> condition_warnings(const condition_facts& facts);

/// Optimised, without asserts and sanitizers.
[[nodiscard]] bool is_trustworthy_build();

/// "2026-11-21 04:12 UTC".
[[nodiscard]] std::string now_text();

}  // namespace nearfork::tools
