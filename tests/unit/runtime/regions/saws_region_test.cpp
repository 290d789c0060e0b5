// Regions under SAWS on threads: two domains of one worker each, which a machine made by hand says are unequally fast.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "machine/model/machine.hpp"
#include "plan/plans/policy.hpp"
#include "runtime/lifetime/scheduler.hpp"
#include "unit/plan/crew/machines_for_tests.hpp"

namespace {

using namespace nearfork;

/// Another policy; keeps what it is told.
class overheard_policy final : public policy {
 public:
  overheard_policy(std::string_view name, std::vector<iteration_summary>& heard)
      : of_(make_policy(name)), heard_(heard) {}
  std::string_view name() const override { return of_->name(); }
  /// Without counted misses, by which these regions would be bound by the cores.
  policy_needs needs() const override { return {.pinned_workers = false, .profile = true}; }
  plan first(const machine& where, const region_facts& facts) const override { return of_->first(where, facts); }
  plan next(const machine& where, const profile& measured, const plan& previous) const override {
    heard_ = measured.iterations();
    return of_->next(where, measured, previous);
  }
  search_order order(const machine& where, phase now) const override { return of_->order(where, now); }

 private:
  std::unique_ptr<policy> of_;
  std::vector<iteration_summary>& heard_;  // read between iterations
};

struct big_and_little {
  explicit big_and_little(std::string_view policy_name) {
    config settings;
    settings.workers = 2;
    settings.pin = pinning::off;
    auto where = std::make_shared<const machine>(machine_of_kinds({1, 1}, {1, 0}, 1 << 20));
    made = std::make_unique<runtime>(
        settings, std::make_unique<scheduler>(settings, std::move(where),
                                              std::make_unique<overheard_policy>(policy_name, heard)));
  }
  std::vector<iteration_summary> heard;
  std::unique_ptr<runtime> made;
};

void halve(std::vector<std::atomic<int>>& seen, std::size_t begin, std::size_t end, unsigned spins) {
  if (end - begin == 1) {
    for (unsigned i = 0; i < spins; ++i) seen[begin].fetch_add(0);
    seen[begin].fetch_add(1);
    return;
  }
  const std::size_t middle = begin + (end - begin) / 2;
  fork_join([&] { halve(seen, begin, middle, spins); }, [&] { halve(seen, middle, end, spins); });
}

class saws_region : public testing::TestWithParam<const char*> {};

TEST_P(saws_region, runs_every_task_once_and_says_how_the_data_are_shared) {
  big_and_little on(GetParam());
  constexpr std::size_t tasks = 64;
  constexpr int iterations = 30;
  std::vector<std::atomic<int>> seen(tasks);
  std::vector<std::atomic<int>> beside(tasks);  // of a region without a plan of its own, in the same runtime
  for (int i = 0; i < iterations; ++i) {
    on.made->run([&] { region({.name = "halves", .input_bytes = 64 << 20}, [&] { halve(seen, 0, tasks, 200); }); });
    on.made->run([&] { halve(beside, 0, tasks, 10); });
  }
  for (std::size_t i = 0; i < tasks; ++i) {
    ASSERT_EQ(seen[i].load(), iterations);
    ASSERT_EQ(beside[i].load(), iterations);
  }
  const std::vector<region_report> regions = on.made->report().regions;
  ASSERT_EQ(regions.size(), 1U);
  EXPECT_GT(regions[0].planned, 0U);
  EXPECT_TRUE(std::ranges::any_of(
      regions[0].why, [](const std::string& line) { return line.find("big domains hold 0.") != std::string::npos; }));
}

INSTANTIATE_TEST_SUITE_P(variants, saws_region, testing::Values("saws", "saws-noalpha", "saws-psm", "saws-psd"));

// The worker whose half is light waits beside the other's subtrees, which it may not take.
TEST(saws_region_waits, tell_of_crossings_that_were_wanted) {
  big_and_little on("saws-psd");
  const auto heavy_half = [] {
    std::vector<std::atomic<int>> seen(16);
    fork_join([&] { halve(seen, 0, 8, 0); }, [&] { halve(seen, 8, 16, 200'000); });
  };
  for (int i = 0; i < 6; ++i) on.made->run([&] { region({.name = "unequal", .input_bytes = 64 << 20}, heavy_half); });
  ASSERT_FALSE(on.heard.empty());
  std::uint64_t wanted = 0;
  for (const iteration_summary& one : on.heard) {
    ASSERT_TRUE(one.wanted_crossings.has_value());
    wanted += *one.wanted_crossings;
    if (one.planned && !one.profiled) {
      EXPECT_EQ(one.steals_between_domains, 0U);
    }
  }
  EXPECT_GT(wanted, 0U);
}

}  // namespace
