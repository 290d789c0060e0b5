// What a command line asks of the benchmark, and what that comes to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nearfork/config.hpp>

#include "workloads/workload.hpp"

namespace nearfork::tools {

/// As given; empty lists stand for the defaults.
struct bench_request {
  std::vector<std::string> workloads{};  // all
  std::vector<std::string> sizes{};      // "SIZE" for each workload, "WORKLOAD:SIZE" for that one
  std::optional<std::uint64_t> iterations{};
  std::vector<std::string> policies{};    // that of the environment; "all"
  std::vector<std::string> workers{};     // that of the environment
  std::vector<std::string> contenders{};  // all that the build has
  std::uint64_t repetitions = 9;
  std::uint64_t seed = 1;
};

struct sized_workload {
  const workloads::workload* what;
  workloads::size_values size;
};

/// Throws nearfork::error: unknown workload or size, a size for a workload that does not run, iterations where no workload
/// has them.
[[nodiscard]] std::vector<sized_workload> sized_workloads(const bench_request& request);

/// One per policy and number of workers, by number of workers first. Throws nearfork::error on unknown policies
/// and bad numbers.
[[nodiscard]] std::vector<config> runtime_settings(const bench_request& request, const config& environment);

/// "serial", "nearfork" and the other runtimes' names.
[[nodiscard]] std::vector<std::string> known_contenders();

/// True if a contender of this name is to run. Names that request.contenders has are known to be right.
[[nodiscard]] bool is_wanted(const bench_request& request, std::string_view contender);

/// Throws nearfork::error if request.contenders has an unknown name, or one that this build lacks.
void check_contenders(const bench_request& request);

}  // namespace nearfork::tools
