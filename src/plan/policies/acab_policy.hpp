// Subtrees that fit a shared cache, one at a time in each domain, in any domain.
//
// `acab`: Chen, Guo, Huang, "Adaptive Cache Aware Bitier Work-Stealing in Multisocket Multicore Architectures" (TPDS
// 24(12), 2013). It cuts by the bytes of a profiled iteration or, for regions that do not recur, by the size of the
// input over the branching degrees. Iterations begin in the first domain (plan::begin_in). `cats` is what LAWS compares
// itself with: it cuts by the profile alone, once, without regard to memory nodes. `cats-even` is CATS as LAWS' authors
// ran it for a fair comparison: its first iteration goes by LAWS' rule, which spreads the data evenly.
//
// Whatever is not planned, the first iteration above all, is stolen as under `random` (A-CAB 3.1).
//
// With one domain both leave everything to plain stealing. There is no other cache that a subtree could be kept out of,
// and depth-first order keeps neighbours together in time anyway. Cores that wait for the last tasks of a subtree would
// be lost for nothing.
#pragma once

#include <cstdint>
#include <string_view>

#include "plan/plans/policy.hpp"

namespace nearfork {

class acab_policy final : public policy {
 public:
  enum class sizes : std::uint8_t { profiled, profiled_or_by_branching };
  enum class start : std::uint8_t { stolen, even };  // the first iteration of a region whose size is not known
  explicit acab_policy(sizes known_by, start first = start::stolen) noexcept : known_by_(known_by), start_(first) {}

  [[nodiscard]] std::string_view name() const override {
    if (by_branching()) return "acab";
    return start_ == start::even ? "cats-even" : "cats";
  }
  [[nodiscard]] policy_needs needs() const override {
    return {.pinned_workers = true, .profile = true, .task_sizes = true};
  }
  [[nodiscard]] plan first(const machine& where, const region_facts& facts) const override;
  [[nodiscard]] plan next(const machine& where, const profile& measured, const plan& previous) const override;
  [[nodiscard]] search_order order(const machine& where, phase now) const override;

 private:
  [[nodiscard]] plan even_start(std::uint32_t domains) const;
  [[nodiscard]] bool by_branching() const noexcept { return known_by_ == sizes::profiled_or_by_branching; }

  sizes known_by_;
  start start_;
};

}  // namespace nearfork
