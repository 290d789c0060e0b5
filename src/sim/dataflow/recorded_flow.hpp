// A recorded region with dataflow tasks, as the simulator runs it: as a dataflow program, in which each stretch of each
// recorded task is a task. Forks and waits are orders among them, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/model/machine.hpp"
#include "recording/recording.hpp"
#include "sim/dataflow/dataflow_program.hpp"
#include "sim/dataflow/dataflow_run.hpp"
#include "sim/engine/region_run.hpp"

namespace nearfork::sim {

/// Some iterations of a region, one after the other.
struct flow_course {
  dataflow_program what;
  // By part: the regions of the setup, and the iterations. A part's tasks are the stretches of its recorded tasks, in
  // their order.
  std::vector<std::uint32_t> begins;  // the first task
  std::vector<std::uint32_t> ends;    // the one that ends last
  std::size_t setup_parts = 0;
};

struct recorded_flow {
  std::shared_ptr<const recordings::recording> recorded;
  std::string region;
  bool is_set_up = true;  // by the regions that ran before
  own_pages pages{};      // of blocks of data; a stand-in takes the place of these regions
};

/// True if a recorded iteration of the region has dataflow tasks.
[[nodiscard]] bool has_dataflow(const recordings::region& one);

/// The recorded iterations follow each other, and repeat. Blocks of data are global blocks. A buffer is one of the
/// program's buffers in each iteration in which one task writes it as a whole before its readers, which the task that
/// waits has created; else it is a global block, too.
/// Throws: nearfork::error as program_from().
[[nodiscard]] flow_course course_from(const recorded_flow& what, std::size_t iterations);

/// How the runtime treats dataflow tasks: its option `push`, by names such as "push=input". "random": nothing is
/// pushed, and victims are asked from a random one on, however far they are.
[[nodiscard]] std::vector<std::string> flow_rule_names();
/// Throws: nearfork::error if there is no such name.
void follow_rule(dataflow_settings& how, std::string_view name);

struct flow_region_settings {
  dataflow_settings run{};
  std::size_t iterations = 10;
  /// Called with the number of iterations done; false: the run is interrupted.
  std::function<bool(double)> goes_on{};
};

/// Each iteration's report tells duration, accesses, steals, pages and the work of each worker. No iteration is
/// profiled or planned: dataflow tasks go by `push` alone. Fewer iterations are simulated if these have more than four
/// million tasks, but two at least. Deterministic. Throws: as course_from() and run_dataflow().
[[nodiscard]] region_run run_recorded_flow(const recorded_flow& what, const machine& where,
                                           const flow_region_settings& settings);

/// Of each recorded iteration: how long each stretch takes, in the order of the tasks and, within a task, of its
/// stretches. The first iteration runs once more at the end, and that counts, because other iterations left their data
/// in the caches. settings.iterations does not count. nullopt: the run was interrupted. Deterministic. Throws: as
/// course_from() and run_dataflow().
[[nodiscard]] std::optional<std::vector<std::vector<std::uint64_t>>> stretch_times_ns(
    const recorded_flow& what, const machine& where, const flow_region_settings& settings);

}  // namespace nearfork::sim
