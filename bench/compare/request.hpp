// What the command line of `compare` asks for.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bench/compare/entrants.hpp"

namespace bench {

struct request {
  selection selected;
  std::vector<std::string> problems;
  std::vector<std::string> sizes;  // "fib=40"
  std::string input;               // of the problems that have several; empty: all
  unsigned repetitions = 11;
  bool quick = false;
  std::string json_file;
  std::string page_file;
  std::string latencies_program;
};

/// A bad option is refused while `app` parses. `into` must outlive the parsing.
void add_options(CLI::App& app, request& into);

/// Sizes by problem. A given size replaces the sizes of all exhibits of its problem, for all contenders. Throws
/// CLI::ValidationError.
[[nodiscard]] std::map<std::string, std::uint64_t> given_sizes(const request& asked);

}  // namespace bench
