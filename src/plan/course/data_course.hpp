// How a region's data follow its plans: when they are split anew, and when that is undone.
//
// The first split is made at once, for most pages are not touched yet and go where it says for nothing; it is not judged,
// as nothing came before it. Later a plan with other borders has to stay for as many iterations as a digest keeps
// before the data follow it: a policy that is still searching does not drag them along, and how long those iterations
// took, with the tasks placed anew and the data not, is what the move is judged by. It is undone if the iterations
// before it were faster beyond the noise, by the rule that packings are compared by (tuning.hpp); if neither is, the data
// stay: moving them back would cost as much again and gain nothing. The same borders are then not tried again.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/plans/plan.hpp"
#include "plan/profile/iteration_digest.hpp"

namespace nearfork {

enum class data_act : std::uint8_t {
  leave,      // no plan has said where data lie
  follow,     // by data_step::borders
  take_back,  // what was done for the borders that were followed last
};

/// What is to be done with the region's data before an iteration.
struct data_step {
  data_act act = data_act::leave;
  std::vector<double> borders{};  // of follow: domain i holds [borders[i], borders[i + 1])
};

/// What became of it, and of the iteration.
struct data_outcome {
  bool moved = false;                          // any page
  bool in_place = true;                        // nothing is left to do
  std::optional<std::uint64_t> duration_ns{};  // none: it is no evidence, being profiled, unplanned or not complete
};

class data_course {
 public:
  /// Before an iteration under `in_force`. end() must follow.
  [[nodiscard]] data_step begin(const plan& in_force);
  void end(const data_outcome& outcome);

  /// How often a split was undone.
  [[nodiscard]] std::uint64_t undone() const noexcept { return undone_; }

 private:
  /// What plan iterations ran under, as far as they can be compared.
  struct manner {
    std::vector<double> borders{};
    trial_id trial{};
    friend bool operator==(const manner&, const manner&) = default;
  };
  enum class state : std::uint8_t { unsplit, moving, split, taking_back };

  void follow(const std::vector<double>& borders);
  void end_of_step(const data_outcome& outcome);
  void learn(std::uint64_t duration_ns);

  state state_ = state::unsplit;
  manner now_{};                    // of the iteration in progress
  std::vector<double> followed_{};  // by the data
  std::vector<double> previous_{};  // before them
  std::vector<double> rejected_{};
  manner waiting_{};                // the plan that the data do not follow yet
  iteration_digest waited_{};       // its iterations
  std::optional<manner> judged_{};  // the plan whose move is being judged
  iteration_digest before_{};       // its iterations before the move
  iteration_digest after_{};
  bool moved_any_ = false;  // since the borders were followed
  bool settles_ = false;    // the next iteration is the first after a move, and no evidence
  std::uint64_t undone_ = 0;
};

}  // namespace nearfork
