// The regions of a runtime: which plan is in force for each, and the profile it came from.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <nearfork/region.hpp>
#include <nearfork/run_report.hpp>

#include "plan/policy.hpp"
#include "plan/region_course.hpp"
#include "runtime/worker.hpp"

namespace nearfork::detail {

/// One pass through a region's root.
struct region_iteration {
  region_course* course;
  iteration_kind kind;
  seam::atomic<bool> strayed{false};  // some task forked otherwise than its plan foresees
  std::uint64_t started_ns;
  std::mutex growing;  // tasks anywhere add to the profiled tree
  task_tree tree;
  std::vector<std::uint64_t> own_ns;  // by node of the tree
  bool outgrown = false;              // some tasks found no room in the tree
};

/// Where a task above the plan's subtree roots, or any task of a profiled iteration, stands.
struct tree_cursor {
  region_iteration* iteration = nullptr;
  plan_cursor planned{};
  placement where{};         // what the plan says of this task
  tree_node node = no_node;  // in the profiled tree
  std::uint64_t running_since_ns = 0;
};

}  // namespace nearfork::detail

namespace nearfork {

using detail::region_iteration;
using detail::tree_cursor;

class region_table {
 public:
  /// `most_profiled`: tasks of a profiling iteration; a region with more stays plain.
  region_table(const machine& where, const policy& how, std::size_t most_profiled);

  /// nullptr: this iteration runs plainly and leaves no trace but the count.
  [[nodiscard]] std::unique_ptr<region_iteration> enter(const region_options& options);
  /// `complete`: it returned; otherwise it threw, and its profile is dropped.
  void leave(std::unique_ptr<region_iteration> iteration, bool complete);

  /// Racy: any region is in its profiling iteration.
  [[nodiscard]] bool profiling() const noexcept { return profiling_.load(detail::seam::memory_order_relaxed) > 0; }
  /// Racy: any region is in progress under a plan that is not empty.
  [[nodiscard]] bool planned() const noexcept { return planned_.load(detail::seam::memory_order_relaxed) > 0; }
  [[nodiscard]] std::vector<region_report> report() const;

 private:
  region_course& find_or_add(const region_options& options);
  void count_in_progress(const region_iteration& iteration, int step) noexcept;

  const machine& machine_;
  const policy& policy_;
  const std::size_t most_profiled_;
  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<region_course>, std::less<>> regions_;
  detail::seam::atomic<std::uint32_t> profiling_{0};
  detail::seam::atomic<std::uint32_t> planned_{0};
};

/// The children of `parent`'s next fork in the profiled tree; no_node if the tree is full.
[[nodiscard]] tree_node record_fork(tree_cursor& parent, std::uint32_t branching);
/// A task has forked, or ended, otherwise than its plan foresees.
inline void note_if_strayed(const tree_cursor& task, bool ended) noexcept {
  if (task.planned.strayed() || (ended && task.planned.forks_missing()))
    task.iteration->strayed.store(true, detail::seam::memory_order_relaxed);
}
/// Time that a profiled task spends outside its children counts as its own.
void start_clock(tree_cursor& task) noexcept;
void stop_clock(tree_cursor& task);

}  // namespace nearfork
