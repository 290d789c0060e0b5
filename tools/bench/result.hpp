// What a benchmark found, as values: the runner fills them, table, JSON and CSV show them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nearfork::tools {

/// One way to run a workload, and all its repetitions.
struct contender_result {
  std::string name;   // "serial", "nearfork random", "tbb", ...
  std::string label;  // as people read it
  unsigned workers = 1;
  std::vector<std::uint64_t> times_ns{};  // of right answers, in the order in which they were taken
  std::uint64_t wrong = 0;                // answers, warm-up included
  std::string first_fault{};
};

struct workload_result {
  std::string name{};
  std::string description{};
  std::string size{};
  std::uint64_t bytes = 0;
  std::optional<double> cores_used_by_others{};  // meanwhile, on average; nothing if the system does not say
  std::vector<contender_result> contenders{};  // the serial one, if asked for, and then the first contender, come first
};

/// Under what the results were obtained.
struct bench_conditions {
  std::string started;  // UTC
  std::string machine;
  std::string workers;  // how many, where
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

/// The contender that the others are compared with: the first that is not serial. Nothing if there is none.
[[nodiscard]] const contender_result* first_contender(const workload_result& result);
[[nodiscard]] const contender_result* serial_contender(const workload_result& result);

[[nodiscard]] bool any_wrong(const bench_result& result);

/// What the reader of a workload's results should know: answers that were wrong, spreads that are large,
/// others that used the cores.
[[nodiscard]] std::vector<std::string> warnings_of(const workload_result& result);

/// At most 100 columns.
[[nodiscard]] std::string conditions_text(const bench_conditions& conditions);
[[nodiscard]] std::string table_text(const workload_result& result);

/// "version" is 1 and will be raised if a member changes its meaning.
[[nodiscard]] std::string json_text(const bench_result& result);
/// One line per workload and contender below a line of names.
[[nodiscard]] std::string csv_text(const bench_result& result);

}  // namespace nearfork::tools
