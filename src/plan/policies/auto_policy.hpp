// The policy that chooses by itself: LAWS where that pays, plain stealing elsewhere.
//
// Two kinds of regions are not planned: those bound by the cores, and, on one cache domain, those that give no size.
// The other regions run a few iterations by plain stealing and a few under each packing that LAWS's search asks for,
// and keep the fastest. So a region is never slower than plain stealing by more than its trials, as far as five
// iterations of each can tell.
//
// Trials are made to cost little. What the first iteration ran under goes on first: a plan where pages had to find
// their nodes, plain stealing where all domains share their memories. A region whose data one domain's cache holds
// begins plainly, too: the page of a line that stays in a cache hardly matters. A trial is given up after one or two
// iterations if these are clearly slower, and after three of five once the others can change nothing. No further
// packing is tried if the first one is clearly slower than plain stealing, nor if the caches hold the data and all
// domains were equally busy. Without a plan workers steal as under `random`. scripts/auto_matrix.sh measures all that.
//
// Where a tree has fewer tasks at once than there are cores, plans use few domains (homed_tasks.hpp).
//
// Between the best packing and plain stealing the median decides, unlike between two packings (tuning.hpp), and a tie
// goes to the plan. 2 of 150 simulated grid programs take more than 3% longer than plain stealing and their trials
// together; the worst takes 8.5% longer. In the mean they take 0.76 of its time, trials included.
//
// Caches go on changing after the trials. A plan that turns out slower than plain stealing was is searched anew, and
// plain stealing gets a second look when that costs little (second_look.hpp).
//
// Domains that are not equally fast get unequal shares, by what the first packing's iterations tell of them
// (share_search.hpp).
//
// Where a domain has several memory nodes, its data are spread over all that answer early (near_turns.hpp), from the
// first touch on. Late ones are added after the trials, where bandwidth holds the region back.
//
// On a machine of one cache domain each core is planned for as a domain (machine::cores_are_domains), because what
// shares a cache is not always what the system says. There all workers help each other at any time.
//
// The papers run one subtree of a domain at a time, so cores idle while it drains. Here a worker that would sleep
// starts the domain's next subtree, and where a domain's cores share no cache, all its subtrees run at once. Nor does a
// domain take another one's subtrees as soon as its own are done, but only when its head would sleep. Else a domain
// that comes a little late loses a subtree, whose data then lie elsewhere, so that it comes late again: simulated, heat
// of 4 MiB on sgi-uv2000 took 140 us an iteration under a plan that takes 40.
//
// Where no cache holds the data, there is nothing to lose so: the best packing is tried once more, with domains that
// take others' tasks as soon as they have none (crossing.hpp).
#pragma once

#include <optional>

#include "plan/packing/share_search.hpp"
#include "plan/plans/policy.hpp"
#include "plan/policies/laws_policy.hpp"

namespace nearfork {

class auto_policy final : public policy {
 public:
  [[nodiscard]] std::string_view name() const override { return "auto"; }
  [[nodiscard]] policy_needs needs() const override;
  [[nodiscard]] plan first(const machine& where, const region_facts& facts) const override;
  [[nodiscard]] plan next(const machine& where, const profile& measured, const plan& previous) const override;
  [[nodiscard]] bool has_outlived(const machine& where, const profile& measured, const plan& settled) const override;
  [[nodiscard]] bool regrets(const profile& measured, const plan& settled) const override;
  [[nodiscard]] std::optional<double> plain_excess(const profile& measured, const plan& settled) const override;
  [[nodiscard]] search_order order(const machine& where, phase now) const override;

 private:
  [[nodiscard]] static share_choice shares_for(const machine& where, const profile& measured);
  /// Also gives the series of trials that the packing belongs to.
  [[nodiscard]] plan packed(const machine& where, const profile& measured, trial_series& series) const;
  [[nodiscard]] static plan with_crossing(const machine& where, const profile& measured, plan best,
                                          trial_series series);
  /// True if plain stealing has been given up: it is clearly slower than the first packing.
  [[nodiscard]] static bool has_lost_to_plan(const iteration_digest& plain, const iteration_digest& first) noexcept;

  /// A trial is given up early only by a margin that noise seldom makes: real machines disturb every tenth iteration.
  /// Several steps of the search may each gain less than a hundredth: with 0.01 heat of 1 GiB on xeon-phi-7210 ended
  /// 1.4% behind bats, with 0.005 0.7%.
  static constexpr tuning_rule early_{.clearly_slower = {2.0, 1.2}, .least_gain = 0.005};
  laws_policy planned_{laws_policy::subtrees::packed, early_};
};

}  // namespace nearfork
