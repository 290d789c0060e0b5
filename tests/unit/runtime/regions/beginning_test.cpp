// Iterations begin in the domain that their plan names.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include <nearfork/nearfork.hpp>

#include "machine/model/machine.hpp"
#include "plan/plans/policy.hpp"
#include "plan/policies/locality_orders.hpp"
#include "runtime/lifetime/scheduler.hpp"

namespace {

using namespace nearfork;

/// Regions called "0" and "1" begin in the domain of that number.
class beginning_policy final : public policy {
 public:
  std::string_view name() const override { return "beginning"; }
  policy_needs needs() const override { return {.pinned_workers = false, .profile = true}; }
  plan first(const machine&, const region_facts& facts) const override {
    plan made(placement_rule{.cut_depth = 1});
    made.begin_in(facts.name == "1" ? 1 : 0);
    made.describe({.settled = true}, {});
    return made;
  }
  plan next(const machine&, const profile&, const plan& previous) const override { return previous; }
  search_order order(const machine&, phase) const override { return bitier_order(); }
};

struct beginning {
  explicit beginning(unsigned workers_of_each_domain) {
    config settings;
    settings.workers = 2 * workers_of_each_domain;
    settings.pin = pinning::off;
    auto made = std::make_unique<scheduler>(
        settings, load_machine("package:2 l3:1 core:" + std::to_string(workers_of_each_domain) + " pu:1"),
        std::make_unique<beginning_policy>());
    inside = made.get();
    runtime_ = std::make_unique<runtime>(settings, std::move(made));
  }
  void wait_until_free(std::uint32_t domain) const {
    while (inside->workers().domain_at(domain).working.load() > 0) std::this_thread::yield();
  }
  scheduler* inside = nullptr;
  std::unique_ptr<runtime> runtime_;
};

// A worker of another domain that began to search before the plan was in force may still take the region, once in
// thousands.
TEST(planned_regions, begin_in_the_domain_that_the_plan_names) {
  const beginning on(2);
  int there = 0;
  on.runtime_->run([&] {
    for (int i = 0; i < 40; ++i) {
      const std::uint32_t meant = i % 2 == 0 ? 1 : 0;
      if (this_worker::domain() != meant) on.wait_until_free(meant);
      region(meant == 0 ? "0" : "1", [&] { there += this_worker::domain() == meant ? 1 : 0; });
    }
  });
  EXPECT_GT(there, 35) << "20 if they stayed where the one before ended";
}

TEST(planned_regions, run_all_their_tasks_wherever_they_begin) {
  const beginning on(2);
  std::atomic<int> ran{0};
  on.runtime_->run([&] {
    for (int i = 0; i < 200; ++i)
      region(i % 2 == 0 ? "1" : "0", [&] { parallel_for(0, 16, [&](int) { ran.fetch_add(1); }); });
  });
  EXPECT_EQ(ran.load(), 200 * 16);
}

// The domain's worker waits for the region: a blocked worker could not take it.
TEST(planned_regions, begin_where_they_are_if_nobody_is_free_there) {
  const beginning on(1);
  std::atomic<bool> occupied{false};
  std::atomic<bool> done{false};
  std::atomic<std::uint32_t> meant{0};
  on.runtime_->run([&] {
    fork_join(
        [&] {
          while (!occupied.load()) std::this_thread::yield();
          region(meant.load() == 0 ? "0" : "1", [&] { EXPECT_NE(this_worker::domain(), meant.load()); });
          done.store(true);
        },
        [&] {
          meant.store(this_worker::domain());
          occupied.store(true);
          while (!done.load()) std::this_thread::yield();
        });
  });
}

}  // namespace
