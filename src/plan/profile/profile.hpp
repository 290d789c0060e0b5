// What one iteration of a region cost, task by task, and what the later iterations cost as a whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "plan/profile/domain_digest.hpp"
#include "plan/profile/gauging.hpp"
#include "plan/profile/iteration_digest.hpp"
#include "plan/profile/subtree_traffic.hpp"
#include "plan/profile/task_tree.hpp"
#include "plan/profile/trial_id.hpp"

namespace nearfork {

/// What the bytes of a task_cost come from, best first.
enum class cost_source : std::uint8_t { cache_misses, placed_bytes, time };
[[nodiscard]] std::string_view name_of(cost_source source) noexcept;

/// The cost of one task by itself, or of a task with all below it.
struct task_cost {
  std::uint64_t size_bytes = 0;  // private-cache misses times line size, or touched bytes
  std::uint64_t time_ns = 0;
  friend constexpr bool operator==(task_cost, task_cost) = default;
  constexpr task_cost& operator+=(task_cost other) noexcept {
    size_bytes += other.size_bytes;
    time_ns += other.time_ns;
    return *this;
  }
};

/// The part [lo, hi) of the region's data that a task works on. All data is [0, 1).
struct data_share {
  double lo = 0;
  double hi = 1;
  friend constexpr bool operator==(data_share, data_share) = default;
  [[nodiscard]] constexpr double width() const noexcept { return hi - lo; }
};

/// LAWS Eq. 1: the part of its parent's share that the i-th of b children gets. Neighbours meet exactly, and the last
/// child ends exactly where the parent does.
[[nodiscard]] constexpr data_share share_of_child(data_share parent, sibling_position child) noexcept {
  const auto border = [&](std::uint32_t i) {
    if (i == child.branching) return parent.hi;
    return parent.lo + parent.width() * static_cast<double>(i) / static_cast<double>(child.branching);
  };
  return {border(child.index), border(child.index + 1)};
}

/// One iteration as a whole. Every iteration leaves a summary, planned or not.
struct iteration_summary {
  std::uint64_t duration_ns = 0;
  std::optional<std::uint64_t> steals_between_domains{};  // nullopt: not counted
  /// How often a worker ran out of work in its domain while domains of the other side (core_sides) had some. What all
  /// take apart before subtrees reach their homes does not count. nullopt: not counted.
  std::optional<std::uint64_t> wanted_crossings{};
  bool profiled = false;    // slowed down by recording its tasks
  bool planned = false;     // had a plan that is not empty
  bool transition = false;  // the last iteration ran otherwise, and left that in the caches
  bool slowed = false;      // cores had lower clocks than normal
  trial_id trial{};         // of that plan
  /// The time that the workers of each domain were without work, added up. Empty: not counted.
  std::vector<std::uint64_t> wait_ns_of_domain{};
  /// What each memory node sent and took. Empty: not counted.
  std::vector<std::uint64_t> traffic_bytes_of_node{};
  /// Empty: not counted.
  std::vector<domain_use> use_of_domain{};

  /// True if its duration tells how fast the plan of this trial is, at normal clocks.
  [[nodiscard]] bool tells_of(trial_id of) const noexcept {
    return planned && trial == of && !profiled && !transition && !slowed;
  }
};

/// What can be known of how near their data subtrees run.
enum class locality_source : std::uint8_t {
  nothing,  // where data lie is not known
  shares,   // they lie as plans say, and subtrees use their shares of them
  counted,  // accesses, in iterations under plans that locate
};

class profile {
 public:
  /// Only digests are kept of the iterations before these: a region may recur for days.
  static constexpr std::size_t most_iterations = 16;
  /// For this many trials digests are kept. Iterations of further trials are only counted.
  static constexpr std::size_t most_trials = 64;

  /// `input_bytes`: how many an iteration works on; 0: not known.
  profile(task_tree tree, cost_source source, std::uint64_t input_bytes = 0);

  void record(tree_node node, task_cost own);
  void add_iteration(iteration_summary summary);
  /// How hot data were in the profiled iteration.
  void take_gauging(gauging seen) { gauged_ = std::move(seen); }
  [[nodiscard]] const gauging& gauged() const noexcept { return gauged_; }
  void know_locality_by(locality_source source) noexcept { locality_ = source; }
  [[nodiscard]] locality_source locality() const noexcept { return locality_; }
  /// How near data were, of all iterations, oldest first.
  void add_traffic(std::span<const subtree_traffic> seen) { traffic_.insert(traffic_.end(), seen.begin(), seen.end()); }
  [[nodiscard]] std::span<const subtree_traffic> traffic() const noexcept { return traffic_; }
  /// What was learned of trials and of plain stealing; the tree with its costs stays.
  void forget_trials();

  /// Sums costs from the leaves up (A-CAB Eq. 1, LAWS Eq. 2) and splits shares from the root down. Call it again after
  /// further records.
  void complete();

  /// For a region without counted misses: gives each leaf the bytes of the region's data that its share covers. The
  /// source is placed_bytes from now on. Completes the profile. If input_bytes() is 0, nothing happens.
  void take_bytes_from_shares();

  [[nodiscard]] const task_tree& tree() const noexcept { return tree_; }
  [[nodiscard]] cost_source source() const noexcept { return source_; }
  [[nodiscard]] task_cost own(tree_node node) const noexcept { return own_[index_of(node)]; }
  /// The cost of a task with all below it: SOID, SOSC. As of the last complete().
  [[nodiscard]] task_cost total(tree_node node) const noexcept { return total_[index_of(node)]; }
  [[nodiscard]] data_share share(tree_node node) const noexcept { return share_[index_of(node)]; }
  /// How many tasks are in the subtree of a node, itself included.
  [[nodiscard]] std::uint32_t tasks(tree_node node) const noexcept { return tasks_[index_of(node)]; }
  [[nodiscard]] std::uint64_t input_bytes() const noexcept { return input_bytes_; }

  /// The last most_iterations, oldest first.
  [[nodiscard]] const std::vector<iteration_summary>& iterations() const noexcept { return iterations_; }
  [[nodiscard]] std::uint64_t iterations_seen() const noexcept { return iterations_seen_; }
  /// The durations of the iterations under a plan of this trial, except profiled ones and transitions. nullptr: there
  /// was none.
  [[nodiscard]] const iteration_digest* evidence_of(trial_id trial) const noexcept;
  /// The durations of those of the last most_iterations that tell of the trial, oldest first.
  [[nodiscard]] std::vector<std::uint64_t> lately_under(trial_id trial) const;
  /// What domains did in the same iterations. nullptr: there was none.
  [[nodiscard]] const domain_digest* domains_under(trial_id trial) const noexcept;
  /// The durations of the iterations without a plan, except profiled ones and transitions.
  [[nodiscard]] const iteration_digest& plain() const noexcept { return plain_; }

 private:
  struct trial_evidence {
    iteration_digest times{};
    domain_digest domains{};
  };
  static void add_evidence(trial_evidence& to, const iteration_summary& summary);
  void sum_up();
  void split_shares();

  task_tree tree_;
  cost_source source_;
  std::vector<task_cost> own_;
  std::vector<task_cost> total_;
  std::vector<std::uint32_t> tasks_;
  std::vector<data_share> share_;
  std::uint64_t input_bytes_;
  std::vector<iteration_summary> iterations_{};
  std::uint64_t iterations_seen_ = 0;
  iteration_digest plain_{};
  std::map<trial_id, trial_evidence> planned_{};
  gauging gauged_{};
  locality_source locality_ = locality_source::nothing;
  std::vector<subtree_traffic> traffic_{};
};

/// A-CAB Eq. 2, for programs without iterations: the bytes that the tasks below `node` touch if every task divides the
/// `input_bytes` of the region evenly over its children.
[[nodiscard]] double size_by_branching(const task_tree& tree, tree_node node, double input_bytes);

}  // namespace nearfork
