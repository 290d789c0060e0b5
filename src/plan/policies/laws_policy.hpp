// Each task runs in the domain that holds its data: Chen, Guo, Guan, "LAWS: Locality-Aware Work-Stealing for
// Multi-socket Multi-core Architectures" (ICS 2014). `laws` packs a domain's tasks into subtrees that fit its cache,
// and tunes their size. `laws-nc`, the paper's LAWS-NC, leaves the domain's tasks together as one subtree, or as few as
// its borders allow.
//
// `laws-printed` searches for the size as Algorithm 1 is printed (tuning_rule::as_printed).
//
// In the first iteration every task is placed by its share of the data, so that first touch puts the pages where the
// tasks will be. With one domain everything is left to plain stealing: no memory is remote, there is no other cache,
// and cores that wait at the end of a subtree would be lost for nothing.
#pragma once

#include <vector>

#include "plan/packing/tuning.hpp"
#include "plan/plans/policy.hpp"

namespace nearfork {

class laws_policy final : public policy {
 public:
  enum class subtrees : std::uint8_t { packed, whole };
  /// `rule`: when a packing is given up, and when it has won.
  explicit laws_policy(subtrees cut, const tuning_rule& rule = {}) noexcept : cut_(cut), rule_(rule) {}

  [[nodiscard]] std::string_view name() const override {
    if (rule_.as_printed) return "laws-printed";
    return cut_ == subtrees::packed ? "laws" : "laws-nc";
  }
  [[nodiscard]] policy_needs needs() const override {
    return {.pinned_workers = true, .profile = true, .task_sizes = cut_ == subtrees::packed};
  }
  [[nodiscard]] plan first(const machine& where, const region_facts& facts) const override;
  [[nodiscard]] plan next(const machine& where, const profile& measured, const plan& previous) const override;
  [[nodiscard]] search_order order(const machine& where, phase now) const override;

  /// Which packings are tried.
  enum class packings : std::uint8_t { all, first };
  /// The plan with other shares than equal ones. Each choice of shares has a series of trials.
  [[nodiscard]] plan next_with(const machine& where, const profile& measured, const std::vector<double>& borders,
                               trial_series series, packings tried = packings::all) const;

 private:
  [[nodiscard]] plan tuned(const machine& where, const profile& measured, const std::vector<double>& borders,
                           trial_series series, packings tried) const;
  [[nodiscard]] plan whole(const machine& where, const profile& measured) const;

  subtrees cut_;
  tuning_rule rule_;
};

}  // namespace nearfork
