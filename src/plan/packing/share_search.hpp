// The search for the shares of domains that are not equally fast: because their cores are of other kinds, because
// something else runs there, because a clock is held down or cores are missing; or because the program's work is not
// spread evenly over its data. Only what domains do and how long they wait is looked at.
//
// A domain that did the part w of the work and was busy for the part b of the time would do w / b if it were busy all
// the time: that is its speed. The next shares are in proportion to speeds. If iterations become faster, that is done
// again, else the shares before stay.
//
// SAWS searches for one number, the balance between two sides (balance_search.hpp), and takes up to twenty steps. Here
// the evidence of one trial gives all shares at once.
//
// Without state, as tune(): each call follows the search from its start.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "plan/packing/tuning.hpp"
#include "plan/profile/profile.hpp"

namespace nearfork {

struct share_rule {
  /// Shares stay where no domain's speed differs from its share by more than this part of it. What remains of an
  /// imbalance of a tenth is a twentieth of the time, and data that change their domain cost as much.
  double tolerance = 0.1;
  std::size_t most_trials = 3;
  /// When shares are given up before their evidence is complete.
  tuning_rule early{};
  double least_gain = 0.01;  // else iterations are no faster, and the shares before stay
  /// No domain's share falls below this part of an even one: its workers must go on to show how fast they are.
  double least_share = 1.0 / 16;
};

/// The evidence of a trial; nullptr: there is none yet.
struct share_evidence {
  const domain_digest* use = nullptr;
  const iteration_digest* times = nullptr;
};

struct share_choice {
  std::vector<double> shares;  // by domain; their sum is 1
  std::size_t trial = 0;       // which trial's shares they are
  bool settled = false;
};

/// `subtrees_of`: how many subtrees the packing for such shares has; what moves between domains counts in subtrees.
/// `seen(k)`: the evidence of trial k.
[[nodiscard]] share_choice search_shares(std::size_t domains, const std::function<share_evidence(std::size_t)>& seen,
                                         const std::function<std::size_t(const std::vector<double>&)>& subtrees_of,
                                         const share_rule& rule = {});

/// True if domains have not been as busy lately as in the evidence for their shares: in each of the last iterations of
/// which it is known, one and the same domain was busier, or less busy, by more than a fixed part of the time. Fewer
/// iterations than that tell nothing.
[[nodiscard]] bool domains_have_changed(const domain_digest& then, std::span<const iteration_summary> lately,
                                        trial_id trial);

}  // namespace nearfork
