// The results of a benchmark as values. The runner fills them; tables, JSON and CSV show them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nearfork::tools {

/// One way to run a workload, and all its repetitions.
struct contender_result {
  std::string name;   // "serial", "nearfork random", "tbb", ...
  std::string label;  // for people
  unsigned workers = 1;
  std::vector<std::uint64_t> times_ns{};  // of right answers, in the order of the runs
  std::uint64_t wrong = 0;                // wrong answers, warm-up included
  std::string first_fault{};
};

struct workload_result {
  std::string name{};
  std::string description{};
  std::string size{};
  std::uint64_t bytes = 0;
  std::optional<double> cores_used_by_others{};  // meanwhile, on average; nullopt if the system does not say
  std::vector<contender_result> contenders{};    // the serial program, if asked for, and the first contender come first
};

/// The conditions under which the results were measured.
struct bench_conditions {
  std::string started;  // UTC
  std::string machine;
  std::string workers;  // how many, and where
  std::string governor;
  std::string compiler;
  std::string build;
  std::uint64_t seed = 1;
  std::uint64_t repetitions = 0;
  std::vector<std::string> warnings;
};

struct bench_result {
  bench_conditions conditions;
  std::vector<workload_result> workloads;
};

/// The contender that the others are compared with: the first that is not serial; nullptr if there is none.
[[nodiscard]] const contender_result* first_contender(const workload_result& result);
[[nodiscard]] const contender_result* serial_contender(const workload_result& result);

[[nodiscard]] bool any_wrong(const bench_result& result);

/// What the reader of a workload's results should know: wrong answers, large spreads, other processes that used the
/// cores.
[[nodiscard]] std::vector<std::string> warnings_of(const workload_result& result);

/// At most 100 columns.
[[nodiscard]] std::string conditions_text(const bench_conditions& conditions);
[[nodiscard]] std::string table_text(const workload_result& result);
/// Bars of the contenders' medians.
[[nodiscard]] std::string chart_text(const workload_result& result);

/// Its "version" is 1; a later release raises it if a member changes its meaning.
[[nodiscard]] std::string json_text(const bench_result& result);
/// A line of names, then one line per workload and contender.
[[nodiscard]] std::string csv_text(const bench_result& result);

}  // namespace nearfork::tools
