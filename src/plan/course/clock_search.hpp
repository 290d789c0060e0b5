// The search for the clocks at which a region's iterations take the least energy, or the least product of energy and
// time. Where cores wait for memory most of the time, a lower clock costs little time.
//
// A core at clock f draws lambda f^3, so the energy of work that takes c / f + m (computing and memory) is convex in f:
// the search goes down from the normal clocks while that is better, two sixteenths at a time, passes over one step that
// is a little too slow, and at the end looks at the step below the best one. Each step is measured in five iterations,
// after a first one that does not count: their median time and their mean energy.
//
// It is not from a paper. It comes after the search for a plan, because the plan decides how long cores wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nearfork/config.hpp>

#include "plan/clocks/kind_load.hpp"
#include "plan/profile/iteration_digest.hpp"

namespace nearfork {

/// By run_goal: the words of the option and of reports.
inline constexpr std::string_view goal_names[] = {"time", "energy", "edp"};
[[nodiscard]] constexpr std::string_view name_of(run_goal goal) noexcept {
  return goal_names[static_cast<std::size_t>(goal)];
}

struct clock_rule_of_goal {
  run_goal goal = run_goal::time;  // no search: all iterations have normal clocks
  clock_step least = normal_step;
  /// Clocks need some time to change, and counters of energy to count: what is measured at a step takes so long at
  /// least, and comes so long after the change. Iterations shorter than `least_iteration_ns` are not worth a change.
  std::uint64_t measured_ns = 0;
  std::uint64_t settling_ns = 0;
  std::uint64_t least_iteration_ns = 0;
};

/// What a region took at one step.
struct step_summary {
  clock_step step = normal_step;
  std::uint64_t time_ns = 0;  // median
  double energy_nj = 0;       // mean
  friend bool operator==(const step_summary&, const step_summary&) = default;
};

class clock_search {
 public:
  /// For energy: a step whose time is longer than at normal clocks by more than this is not taken.
  static constexpr double most_slowdown = 0.03;

  explicit clock_search(const clock_rule_of_goal& rule = {}) : rule_(rule) {}

  /// True if there is something to search for or something found: add() wants each iteration.
  [[nodiscard]] bool is_on() const noexcept { return rule_.goal != run_goal::time && !given_up_; }
  /// For the next iteration.
  [[nodiscard]] clock_step step() const noexcept { return now_; }
  [[nodiscard]] bool settled() const noexcept { return settled_ || !is_on(); }

  /// An iteration that had step(). `energy_nj`: nullopt: not measured; then there is no search.
  void add(std::uint64_t duration_ns, std::optional<std::uint64_t> energy_nj);
  /// The plan has changed, or what else runs: nothing that was measured holds.
  void begin_anew();

  /// In the order in which the steps were tried; the steps that are over.
  [[nodiscard]] const std::vector<step_summary>& tried() const noexcept { return tried_; }
  /// One line: what was found, or why nothing is searched for. Empty: the goal is time, or nothing is known yet.
  [[nodiscard]] std::string line() const;

 private:
  struct measuring {
    iteration_digest times{};
    double energy_nj = 0;
    std::uint64_t time_ns = 0;       // that counts
    std::uint64_t since_change = 0;  // time, before what counts
    bool is_past_first = false;
  };

  void decide();
  void give_up(const char* why);
  void go_to(clock_step step);
  void settle_at_best();
  [[nodiscard]] bool is_just_missed(const step_summary& tried) const noexcept;
  void look_for_change(std::uint64_t duration_ns);
  [[nodiscard]] double badness(const step_summary& of) const noexcept;
  [[nodiscard]] const step_summary& best() const noexcept { return tried_[best_]; }

  clock_rule_of_goal rule_;
  clock_step now_ = normal_step;
  measuring here_{};
  std::vector<step_summary> tried_{};
  std::uint32_t misses_ = 0;   // steps in a row that were not better
  std::size_t best_ = 0;       // of tried_
  bool is_last_look_ = false;  // at the step between the best one and one that was not better
  bool settled_ = false;
  std::uint32_t unlike_ = 0;   // iterations in a row that took another time than was measured
  std::uint32_t changes_ = 0;  // after which the search began anew
  const char* given_up_ = nullptr;
};

}  // namespace nearfork
