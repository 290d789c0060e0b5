// What a command line asks of the benchmark, and which runs that means.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nearfork/config.hpp>

#include "workloads/workload.hpp"

namespace nearfork::tools {

/// As given on the command line. Empty lists stand for the defaults.
struct bench_request {
  std::vector<std::string> workloads{};  // empty: all
  std::vector<std::string> sizes{};      // "SIZE" for each workload, "WORKLOAD:SIZE" for one
  std::optional<std::uint64_t> iterations{};
  std::vector<std::string> policies{};    // empty: that of the environment; "all": each
  std::vector<std::string> workers{};     // empty: that of the environment
  std::vector<std::string> contenders{};  // empty: all of the build
  std::string setup{};                    // "serial" or "parallel"; empty: serial
  std::string pages{};                    // as sim::placing_forms(); empty: first-write
  std::string graph{};                    // a file; empty: graphs are generated
  std::uint64_t repetitions = 9;
  std::uint64_t seed = 1;
};

struct sized_workload {
  const workloads::workload* what;
  workloads::size_values size;
};

/// Throws: nearfork::error if a workload or size is unknown, a size is for a workload that does not run, or iterations
/// are given and no workload has them.
[[nodiscard]] std::vector<sized_workload> sized_workloads(const bench_request& request);

/// In place of those of the size, which has a field for them. Throws: nearfork::error if `workload` cannot have that
/// many.
void set_iterations(workloads::size_values& size, std::string_view workload, const workloads::size_rules& rules,
                    std::uint64_t iterations);

/// One per policy and number of workers, ordered by number of workers. Throws: nearfork::error if a policy is unknown
/// or a number is wrong.
[[nodiscard]] std::vector<config> runtime_settings(const bench_request& request, const config& environment);

/// "serial", "nearfork" and the other runtimes' names.
[[nodiscard]] std::vector<std::string> known_contenders();

/// True if a contender of this name shall run. The names in request.contenders must have been checked.
[[nodiscard]] bool is_wanted(const bench_request& request, std::string_view contender);

/// Throws: nearfork::error if request.contenders has an unknown name, or one that this build lacks.
void check_contenders(const bench_request& request);

}  // namespace nearfork::tools
