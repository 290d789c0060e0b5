// The course of a region through its iterations: which plan is in force, when the region is profiled, and what is
// learned. The runtime and the simulator both follow this one sequence. It has no clock and no threads.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/course/clock_search.hpp"
#include "plan/course/profiling_schedule.hpp"
#include "plan/course/second_look.hpp"
#include "plan/plans/policy.hpp"

namespace nearfork {

/// How the next iteration shall run.
struct iteration_kind {
  bool profiling = false;              // record its tasks
  bool planned = false;                // it has a plan that is not empty
  sweep first_sweep = sweep::forward;  // direction of its root's first fork, if its plan turns back
  clock_step clocks = normal_step;     // of the cores that work
  friend constexpr bool operator==(iteration_kind, iteration_kind) = default;
};

/// What traces call such an iteration: the one rule for the runtime and the simulator. An iteration without a plan is
/// plain also while the policy tries others. `Word` is an enumeration of the caller's: plan knows no traces.
template <class Word>
[[nodiscard]] Word word_for(const iteration_kind& kind, const plan& in_force) noexcept {
  if (kind.profiling) return Word::profile;
  if (!kind.planned) return Word::plain;
  return in_force.standing().settled ? Word::steady : Word::trial;
}

/// True if how long such an iteration took under the plan tells whether its data lie well.
[[nodiscard]] inline bool tells_of_data(const iteration_kind& ran, const plan& under) noexcept {
  return !ran.profiling && (ran.planned || !under.data().borders.empty());
}

/// The result of an iteration.
struct iteration_outcome {
  std::uint64_t duration_ns = 0;
  std::optional<std::uint64_t> steals_between_domains{};  // these five as in iteration_summary
  std::optional<std::uint64_t> wanted_crossings{};
  std::vector<std::uint64_t> wait_ns_of_domain{};
  std::vector<std::uint64_t> traffic_bytes_of_node{};
  std::vector<domain_use> use_of_domain{};
  std::optional<std::uint64_t> energy_nj{};  // nullopt: not measured
  bool strayed = false;                      // some task forked otherwise than its plan foresees
  bool moved_data = false;                   // right before it, so that it is no evidence for its plan
  std::vector<subtree_traffic> traffic{};    // of the plan's subtrees; empty: not counted
  std::optional<profile> recorded{};         // of a profiling iteration; complete. None: the tree outgrew its bound
};

class region_course {
 public:
  region_course(const machine& where, const policy& how, region_facts facts, const clock_rule_of_goal& clocks = {});

  [[nodiscard]] const region_facts& facts() const noexcept { return facts_; }
  /// Tells the size of the input if it becomes known later. The next profile and the next first plan use it.
  void learn_input_bytes(std::uint64_t bytes) noexcept { facts_.input_bytes = bytes; }
  /// The plan for the next iteration. From begin() to end() its address, and those of its parts, stay valid.
  [[nodiscard]] const plan& in_force() const noexcept { return in_force_; }

  [[nodiscard]] const clock_search& clocks() const noexcept { return clocks_; }

  /// Begins an iteration; then call end() or abandon(). nullopt: the iteration runs plainly and only its count is kept,
  /// because there is nothing to learn from it or another iteration is in progress. Then call neither.
  [[nodiscard]] std::optional<iteration_kind> begin();
  void end(iteration_kind begun, iteration_outcome outcome);
  /// The iteration did not complete; nothing is learned from it.
  void abandon() noexcept { in_progress_ = false; }

  [[nodiscard]] std::uint64_t iterations() const noexcept { return iterations_; }
  [[nodiscard]] std::uint64_t profiled() const noexcept { return profiled_; }
  [[nodiscard]] std::uint64_t planned() const noexcept { return planned_; }

 private:
  void stay_plain();
  /// How an iteration ran. After a change, the first iteration finds in the caches what the other manner left there, so
  /// it is no evidence. When it counted, `auto` gained 31% over 150 simulated grid programs instead of 33%.
  struct manner {
    bool profiling = false;
    bool planned = false;
    trial_id trial{};
    friend constexpr bool operator==(manner, manner) = default;
  };

  void learn(iteration_kind begun, iteration_outcome outcome);
  void profile_anew();
  void search_anew_if_advised();
  void look_again_if_cheap();

  const machine& machine_;
  const policy& policy_;
  region_facts facts_;
  bool wants_profiles_;
  plan in_force_;
  clock_search clocks_;
  second_look look_{};
  std::optional<profile> measured_{};
  profiling_schedule shape_{};
  std::optional<manner> last_{};
  bool in_progress_ = false;
  sweep next_sweep_ = sweep::forward;
  std::uint64_t settled_for_ = 0;  // iterations under a settled plan since data last moved
  std::uint32_t searches_ = 0;     // that were begun anew
  std::uint64_t iterations_ = 0;
  std::uint64_t profiled_ = 0;  // profiled iterations
  std::uint64_t planned_ = 0;   // iterations under a plan that were not profiled
};

}  // namespace nearfork
