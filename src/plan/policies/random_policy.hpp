// Plain work stealing, which the papers call Cilk: child-first, a random victim, no plan. `random` is the papers'
// Cilk-a, whose workers are bound to cores. `random-unpinned` is MIT Cilk, whose workers are not. Source: Blumofe,
// Leiserson, "Scheduling multithreaded computations by work stealing" (JACM 1999).
#pragma once

#include "plan/plans/policy.hpp"

namespace nearfork {

class random_policy final : public policy {
 public:
  enum class workers : std::uint8_t { pinned, unpinned };
  explicit random_policy(workers binding) noexcept : binding_(binding) {}

  [[nodiscard]] std::string_view name() const override {
    return binding_ == workers::pinned ? "random" : "random-unpinned";
  }
  [[nodiscard]] policy_needs needs() const override {
    return {.pinned_workers = binding_ == workers::pinned, .profile = false};
  }
  [[nodiscard]] plan first(const machine&, const region_facts&) const override { return {}; }
  [[nodiscard]] plan next(const machine&, const profile&, const plan&) const override { return {}; }
  [[nodiscard]] search_order order(const machine&, phase) const override;

 private:
  workers binding_;
};

}  // namespace nearfork
