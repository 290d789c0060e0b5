// The experiments of Drebes et al., "Scalable Task Parallelism for NUMA" (PACT 2016): its programs and their sizes, its
// configurations, and their simulations.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/dataflow/dataflow_run.hpp"
#include "tools/reproduce/reproduction.hpp"
#include "tools/sim/simulated_machine.hpp"
#include "tools/simulated/flow_programs.hpp"
#include "workloads/dataflow/flow_pattern.hpp"

namespace nearfork::tools {

/// Which of the block sizes of table 3.
enum class drebes_machine : std::uint8_t { opteron, sgi };

struct flow_benchmark {
  std::string_view name;
  /// An eighth of the blocks and fewer steps if quick.
  workloads::flow_pattern (*make)(drebes_machine, reproduction_extent);
};
/// In the order of table 3; cholesky last.
[[nodiscard]] std::span<const flow_benchmark> flow_benchmarks() noexcept;

/// Section 4.3 and 5 of the paper.
struct flow_configuration {
  std::string_view name;
  flow_memory_use use = flow_memory_use::dsa;
  push_heuristic push = push_heuristic::none;
  buffer_allocation allocation = buffer_allocation::immediate;
  sim::victim_choice victims = sim::victim_choice::hierarchical;
  bool balancing = false;  // the kernel moves pages
};
[[nodiscard]] std::span<const flow_configuration> flow_configurations() noexcept;

struct flow_run {
  std::string machine;
  std::string benchmark;
  std::string configuration;
  sim::dataflow_report report;
};
using flow_runs = std::vector<flow_run>;

/// A line of the model stands for 16.
[[nodiscard]] simulated_machine scaled_machine(const simulated_machine& where);
/// The configuration that made progress; the part of all of them that is done.
using flow_watcher = std::function<void(std::string_view, double)>;
struct named_pattern {
  std::string_view name;
  workloads::flow_pattern pattern;
};
/// One program under all configurations, some of them at the same time. Throws: as sim::run_dataflow().
[[nodiscard]] flow_runs run_flow_benchmark(const simulated_machine& where, const named_pattern& what,
                                           const reproduction_settings& settings, const flow_watcher& watch = {});
/// All benchmarks under all configurations on a scaled machine. `done`, `part`: of all progress, where this part begins
/// and how much of all it is.
[[nodiscard]] flow_runs run_flow_benchmarks(const simulated_machine& where, drebes_machine blocks,
                                            const reproduction_settings& settings, double done, double part);
/// Throws: nearfork::error if there is no such run.
[[nodiscard]] const sim::dataflow_report& report_of(const flow_runs& runs, std::string_view machine,
                                                    std::string_view benchmark, std::string_view configuration);

}  // namespace nearfork::tools
