// When a region's data are split by its plans, and when such a split is undone.
//
// The first split is made at once: most pages are not touched yet, so they go to their nodes without a move. It is not
// judged, because there is nothing before it to compare with.
// A later plan with other parts must first stay in force for as many iterations as a digest keeps. So a policy that
// is still searching does not move the data. These iterations, with the tasks placed anew and the data not yet moved,
// are also what the move is compared with.
// Where the plan says how much would move and that this may not pay, the data wait until the region has run for as long
// as moving takes. So a program that ends soon afterwards, or for which it does not pay, takes at most three times as
// long, there and back. Simulated, `pagerank` of 264 MiB on epyc-9654-cxl takes 248 us an iteration and 90 ms for that.
// The move is undone if the iterations before it were faster by more than the noise, by the rule that compares packings
// (tuning.hpp). If neither is faster, the data stay: moving them back would cost as much again and gain nothing. The
// parts of an undone split are not tried again.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/plans/plan.hpp"
#include "plan/profile/iteration_digest.hpp"

namespace nearfork {

enum class data_act : std::uint8_t {
  leave,      // no plan has said where the data lie
  follow,     // split the data by data_step::parts
  take_back,  // undo what was done for the parts that were followed last
};

/// What the driver shall do with the region's data before an iteration.
struct data_step {
  data_act act = data_act::leave;
  data_parts parts{};  // for follow
};

/// The result of that step, and of the iteration.
struct data_outcome {
  bool moved = false;                          // true if a page was moved
  bool in_place = true;                        // nothing remains to be done
  std::optional<std::uint64_t> duration_ns{};  // nullopt: no evidence (profiled, not placed, or not complete)
};

class data_course {
 public:
  /// Call it before an iteration under `in_force`; then call end(), which throws nothing where there is no duration.
  /// `data_bytes`: of all placed data of the region; counts only where the plan says how much would move.
  [[nodiscard]] data_step begin(const plan& in_force, std::uint64_t data_bytes = 0);
  void end(const data_outcome& outcome);

  /// How many splits were undone.
  [[nodiscard]] std::uint64_t undone() const noexcept { return undone_; }

 private:
  /// How iterations ran, as far as that decides whether they can be compared.
  struct manner {
    data_parts parts{};
    trial_id trial{};
    friend bool operator==(const manner&, const manner&) = default;
  };
  enum class state : std::uint8_t { unsplit, moving, split, taking_back };

  [[nodiscard]] bool has_waited(std::uint64_t data_bytes) const noexcept;
  void follow(const data_parts& parts);
  void end_of_step(const data_outcome& outcome);
  void learn(std::uint64_t duration_ns);

  state state_ = state::unsplit;
  manner now_{};           // of the iteration in progress
  data_parts followed_{};  // the parts that the data follow
  data_parts previous_{};  // the parts before these
  data_parts rejected_{};
  manner waiting_{};                // the plan whose parts the data do not follow yet
  iteration_digest waited_{};       // durations of its iterations
  std::uint64_t waited_ns_ = 0;     // the sum of them
  std::optional<manner> judged_{};  // the plan whose move is being judged
  iteration_digest before_{};       // durations of its iterations before the move
  iteration_digest after_{};
  bool moved_any_ = false;  // since these parts are followed
  bool settles_ = false;    // the next iteration is the first one after a move: no evidence
  std::uint64_t undone_ = 0;
};

}  // namespace nearfork
