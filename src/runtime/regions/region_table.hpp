// The regions of a runtime: which plan is in force for each, and the profile it came from.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <nearfork/region.hpp>
#include <nearfork/run_report.hpp>

#include "plan/course/data_course.hpp"
#include "plan/course/region_course.hpp"
#include "plan/plans/policy.hpp"
#include "runtime/recording/iteration_log.hpp"
#include "runtime/regions/crew_watch.hpp"
#include "runtime/regions/data_placing.hpp"

namespace nearfork::detail {
struct fiber;
struct worker;
}  // namespace nearfork::detail

namespace nearfork {

struct iterations_in_progress;

/// A recurring root, across its iterations.
struct region_record {
  region_course course;
  std::optional<cost_source> costs = std::nullopt;  // of the last profile
  std::string misses_not_counted = {};              // why it had to do without; empty: they were counted
  bool says_input_bytes = false;                    // the program does; else they are those of its placed blocks
  std::uint64_t placed_blocks = 0;                  // that input_bytes were last taken from
  data_course data{};
  std::uint64_t moved_bytes = 0;
  std::uint64_t untaught = 0;     // iterations that taught the plan nothing, because something failed
  std::string why_untaught = {};  // the last time
};

}  // namespace nearfork

namespace nearfork::detail {

/// One pass through a region's root.
struct region_iteration {
  region_record* record;
  iteration_kind kind;
  std::vector<seam::atomic<std::int32_t>> to_come{};  // of its plan's subtrees, by domain: not yet sent there
  seam::atomic<bool> strayed{false};                  // some task forked otherwise than its plan foresees
  std::uint64_t started_ns;
  std::mutex growing;  // tasks anywhere add to the profiled tree
  task_tree tree;
  std::vector<task_cost> own;           // by node of the tree
  std::string misses_not_counted = {};  // why some worker could not; empty: so far all could
  bool outgrown = false;                // some tasks found no room in the tree
  data_step data = {};                  // what was to be done with the region's data before it
  move_outcome moved = {};              // and what was
  crew_watch watch = {};                // while it ran
};

/// What the clock showed when it was started.
struct clock_start {
  const worker* on = nullptr;  // a worker's counter tells of that worker alone
  std::uint64_t ns = 0;
  std::uint64_t bytes = 0;
  std::int64_t ticks = 0;  // of the recording's clock, and what measuring takes
};

/// Where a task above the plan's subtree roots, or any task of a profiled or recorded iteration, stands.
struct tree_cursor {
  region_iteration* iteration = nullptr;  // nullptr: it is only recorded
  plan_cursor planned{};
  placement where{};         // what the plan says of this task
  tree_node node = no_node;  // in the profiled tree
  clock_start started{};
  recorded_place recorded{};

  [[nodiscard]] bool measured() const noexcept { return node != no_node || recorded.log != nullptr; }
  /// Regions inside a run() have graphs of their own.
  [[nodiscard]] bool is_of_recorded_run() const noexcept {
    return recorded.log != nullptr && recorded.log->kind() == recorded_root_kind::run;
  }
};

}  // namespace nearfork::detail

namespace nearfork {

using detail::fiber;
using detail::region_iteration;
using detail::tree_cursor;

class region_table {
 public:
  /// `most_profiled`: tasks of a profiling iteration; a region with more stays plain.
  /// `counted_in`: where others see how many iterations are in progress.
  region_table(const machine& where, const policy& how, std::size_t most_profiled, data_placing data,
               iterations_in_progress& counted_in);

  /// Also brings the region's data to where its plan wants them, as far as one iteration may move them. nullptr: this
  /// iteration runs plainly and leaves no trace but the count. In strict mode throws nearfork::error where the data
  /// cannot be had there. leave() must follow, unless it throws: then the region is not in progress.
  [[nodiscard]] std::unique_ptr<region_iteration> enter(const region_options& options);
  /// `complete`: it returned; otherwise it threw, and its profile is dropped. Where there is no memory for what it has
  /// to tell, that is dropped, too, and the region's report says so.
  void leave(std::unique_ptr<region_iteration> iteration, bool complete) noexcept;

  [[nodiscard]] std::vector<region_report> report() const;

 private:
  region_record& find_or_add(const region_options& options);
  [[nodiscard]] std::unique_ptr<region_iteration> begin(const region_options& options);
  void bring_data(region_iteration& iteration, const std::string& region);
  void end_data(region_iteration& iteration, std::optional<std::uint64_t> duration_ns);
  void learn(region_iteration& iteration, std::uint64_t duration_ns);
  void give_up(region_iteration& iteration) noexcept;
  void count_in_progress(const region_iteration& iteration, int step) noexcept;

  const machine& machine_;
  const policy& policy_;
  const std::size_t most_profiled_;
  const data_placing data_;
  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<region_record>, std::less<>> regions_;
  iterations_in_progress& in_progress_;
};

/// The children of `parent`'s next fork in the profiled tree; no_node if the tree is full.
[[nodiscard]] tree_node record_fork(tree_cursor& parent, std::uint32_t branching);
/// The first of the children of `parent`'s next fork in its recording; 0 where it is not recorded, or has no room left.
[[nodiscard]] std::uint32_t record_birth(fiber& self, tree_cursor& parent, std::uint32_t branching) noexcept;
/// A task has forked, or ended, otherwise than its plan foresees.
inline void note_if_strayed(const tree_cursor& task, bool ended) noexcept {
  if (task.iteration != nullptr && (task.planned.strayed() || (ended && task.planned.forks_missing())))
    task.iteration->strayed.store(true, detail::seam::memory_order_relaxed);
}

/// What a profiled task spends outside its children, in time and cache misses, counts as its own. The clock stands
/// while the task waits: its fiber may go on elsewhere. One task at a time is on the clock of a fiber.
void start_clock(fiber& self, tree_cursor& task) noexcept;
/// Whose clock it was; nullptr: nobody's.
tree_cursor* stop_clock(fiber& self) noexcept;

}  // namespace nearfork
