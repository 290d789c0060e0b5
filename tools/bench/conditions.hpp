#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/bench/result.hpp"

namespace nearfork::tools {

/// The governor of the first core's frequency; nullopt if the system shows none.
[[nodiscard]] std::optional<std::string> read_governor();

/// "gcc 12.2.0".
[[nodiscard]] std::string compiler_text();
/// "optimised, asserts off".
[[nodiscard]] std::string build_text();

struct condition_facts {
  std::optional<std::string> governor;
  unsigned most_workers = 1;
  unsigned cores = 1;  // cores that the process may use
  bool trustworthy_build = true;
  std::vector<std::string> missing_contenders;
};
/// Reasons to doubt the times, and what to do about them.
[[nodiscard]] std::vector<std::string> condition_warnings(const condition_facts& facts);

/// True for an optimised build without asserts and sanitizers.
[[nodiscard]] bool is_trustworthy_build();

/// "2026-11-21 04:12 UTC".
[[nodiscard]] std::string now_text();

}  // namespace nearfork::tools
