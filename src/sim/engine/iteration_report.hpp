// The results of one simulated iteration. All of them are simulated.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <nearfork/detail/steal_distance.hpp>

#include "plan/course/region_course.hpp"
#include "plan/plans/plan_explanation.hpp"
#include "plan/profile/task_tree.hpp"
#include "sim/memory/memory_counts.hpp"
#include "sim/memory/pages/page_map.hpp"

namespace nearfork::sim {

/// A subtree of the plan, and the domain of the worker that began it.
struct subtree_run {
  tree_node root{};
  std::uint16_t planned_domain = 0;  // any_domain: the plan names none
  std::uint32_t domain = 0;
  friend constexpr bool operator==(subtree_run, subtree_run) = default;
};

/// One task, from its first act to its last. The tasks that it forked ran in between, or on other workers.
struct task_run {
  tree_node task{};
  std::uint32_t began_on = 0;  // the worker
  std::uint32_t ended_on = 0;
  std::uint64_t began_ps = 0;
  std::uint64_t ended_ps = 0;
  friend constexpr bool operator==(const task_run&, const task_run&) = default;
};

struct schedule_counts {
  std::array<std::uint64_t, steal_distances> steals{};
  std::uint64_t steals_between_domains = 0;
  std::uint64_t wanted_crossings = 0;  // as in iteration_summary; 0 where all domains are equally fast
  std::uint64_t failed_looks = 0;      // failed looks of searches that found work elsewhere
  std::uint64_t pool_takes = 0;
  std::uint64_t suspensions = 0;
  std::uint64_t notices = 0;  // searching workers that saw new work
  std::uint64_t wakes = 0;    // parked workers that were called
  std::uint64_t mugs = 0;     // tasks that a worker on a faster core took over
  friend constexpr bool operator==(const schedule_counts&, const schedule_counts&) = default;
};

struct iteration_report {
  iteration_kind kind{};
  std::int32_t packing_level = 0;                // of the plan, if there was one
  bool settled = false;                          // the policy says that no further iteration would change the plan
  plan_decision decision = plan_decision::none;  // why the plan is as it is
  bool tries_clocks = false;                     // for the goal (clock_search)
  bool strayed = false;
  std::uint64_t duration_ps = 0;
  schedule_counts schedule{};
  memory_counts memory{};
  std::uint64_t moving_ps = 0;  // before it, and not in duration_ps: pages were moved to where the plan wants them
  page_counts pages{};          // since time 0
  std::optional<std::uint64_t> energy_nj{};            // of the whole machine; none: its model does not know its power
  std::vector<std::uint64_t> busy_ps{};                // by worker: in tasks' own work, waiting for memory included
  std::vector<std::uint64_t> stall_ps{};               // by worker, of busy_ps: waiting for memory and shared caches
  std::vector<std::uint64_t> wait_ps_of_domain{};      // in which its workers were without work, added up
  std::vector<std::uint64_t> traffic_bytes_of_node{};  // that it sent and took
  std::vector<subtree_run> subtrees{};                 // in the order in which they began
  std::vector<subtree_traffic> locality{};             // of these; empty unless the plan asks for it
  std::vector<task_run> tasks{};                       // in the order in which they began; empty unless asked for
  friend bool operator==(const iteration_report&, const iteration_report&) = default;

  /// True if the region's search is over: neither a profile is made nor a packing, a share or a clock tried.
  [[nodiscard]] bool steady() const noexcept {
    return !kind.profiling && !tries_clocks && decision != plan_decision::trying &&
           decision != plan_decision::trying_plain && decision != plan_decision::balancing &&
           decision != plan_decision::moving_data && decision != plan_decision::locating;
  }
  /// The fraction of its time that a worker was busy.
  [[nodiscard]] double utilisation(std::uint32_t worker) const noexcept {
    return duration_ps == 0 ? 0 : static_cast<double>(busy_ps[worker]) / static_cast<double>(duration_ps);
  }
};

}  // namespace nearfork::sim
