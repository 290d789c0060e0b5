// What a policy is told about iterations on threads, besides their durations.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "machine/model/machine.hpp"
#include "plan/plans/policy.hpp"
#include "runtime/lifetime/scheduler.hpp"

namespace {

using namespace nearfork;

/// Plain stealing; keeps all that the policy is told.
class summary_listener final : public policy {
 public:
  explicit summary_listener(std::vector<iteration_summary>& heard) : heard_(heard) {}
  std::string_view name() const override { return "listening"; }
  policy_needs needs() const override { return {.pinned_workers = false, .profile = true}; }
  plan first(const machine&, const region_facts&) const override { return {}; }
  plan next(const machine&, const profile& measured, const plan&) const override {
    heard_ = measured.iterations();
    return {};
  }
  search_order order(const machine&, phase) const override {
    return {{.where = look::any_deque}, {.where = look::injector}};
  }

 private:
  std::vector<iteration_summary>& heard_;  // read between iterations
};

struct two_domains_of_one {
  two_domains_of_one() {
    config settings;
    settings.workers = 2;
    settings.pin = pinning::off;
    made = std::make_unique<runtime>(settings,
                                     std::make_unique<scheduler>(settings, load_machine("package:2 l3:1 core:1 pu:1"),
                                                                 std::make_unique<summary_listener>(heard)));
  }
  std::vector<iteration_summary> heard;
  std::unique_ptr<runtime> made;
};

// Each child waits until both run, so one of the two was stolen.
TEST(iteration_outcome, tells_of_steals_between_domains) {
  two_domains_of_one on;
  for (int i = 0; i < 2; ++i)
    on.made->run([] {
      region("both", [] {
        std::atomic<int> present{0};
        const auto meet = [&] {
          present.fetch_add(1);
          while (present.load() < 2) std::this_thread::yield();
        };
        fork_join(meet, meet);
      });
    });
  ASSERT_EQ(on.heard.size(), 2U);
  for (const iteration_summary& one : on.heard) EXPECT_EQ(one.steals_between_domains, 1U);
}

// The other worker's thread may need a while until it runs and finds that there is nothing to do.
TEST(iteration_outcome, tells_how_long_each_domain_waited_and_nothing_of_traffic) {
  two_domains_of_one on;
  std::uint64_t waited_ns = 0;
  for (int i = 0; i < 1000 && waited_ns == 0; ++i) {
    on.made->run([] { region("alone", [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }); });
    const iteration_summary& one = on.heard.back();
    EXPECT_EQ(one.steals_between_domains, 0U);
    ASSERT_EQ(one.wait_ns_of_domain.size(), 2U);
    waited_ns = std::accumulate(one.wait_ns_of_domain.begin(), one.wait_ns_of_domain.end(), std::uint64_t{0});
    EXPECT_TRUE(one.traffic_bytes_of_node.empty()) << "nobody counts it: that is not 0";
  }
  EXPECT_GT(waited_ns, 0U) << "one of two workers had nothing to do";
}

}  // namespace
