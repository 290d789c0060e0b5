// In a profiled iteration each task's misses become its own bytes, on scripted counters and virtual domains.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

#include <nearfork/error.hpp>
#include <nearfork/nearfork.hpp>

#include "machine/model/machine.hpp"
#include "plan/plans/policy.hpp"
#include "runtime/lifetime/scheduler.hpp"
#include "scripted_misses.hpp"

namespace {

using namespace nearfork;
using test::scripted_misses;

constexpr std::uint64_t line = scripted_misses::line_bytes;

/// Keeps the latest profile, and plans nothing.
class listening_policy final : public policy {
 public:
  struct notes {
    std::mutex mutex;
    std::optional<profile> last;
  };
  listening_policy(notes& into, policy_needs wishes) : notes_(into), needs_(wishes) {}

  std::string_view name() const override { return "listening"; }
  policy_needs needs() const override { return needs_; }
  plan first(const machine&, const region_facts&) const override { return {}; }
  plan next(const machine&, const profile& measured, const plan&) const override {
    const std::lock_guard lock(notes_.mutex);
    notes_.last = measured;
    return {};
  }
  search_order order(const machine&, phase) const override {
    return {{.where = look::same_domain},
            {.where = look::any_deque},
            {.where = look::own_low_pool, .item = pool_item::newest},
            {.where = look::remote_low_pools},
            {.where = look::injector}};
  }

 private:
  notes& notes_;
  policy_needs needs_;
};

class counted_tasks : public testing::Test {
 protected:
  counted_tasks() { make({.pinned_workers = false, .profile = true, .task_sizes = true}); }

  void make(policy_needs wishes, const char* where = "package:2 l3:1 core:2 pu:1") {
    config settings;
    settings.workers = 4;
    settings.pin = pinning::off;
    auto made = std::make_unique<scheduler>(settings, load_machine(where),
                                            std::make_unique<listening_policy>(heard, wishes), counting);
    scheduler_ = made.get();
    runtime_.reset();
    runtime_ = std::make_unique<runtime>(settings, std::move(made));
  }

  template <class F>
  const profile& profile_of(const std::string& name, F&& f) {
    heard.last.reset();
    runtime_->run([&] { region({.name = name}, f); });
    return *heard.last;
  }
  [[nodiscard]] region_report report_of(const std::string& name) const {
    for (const region_report& one : runtime_->report().regions)
      if (one.name == name) return one;
    return {};
  }
  [[nodiscard]] std::uint64_t own_lines(std::uint32_t node) const {
    return heard.last->own(tree_node{node}).size_bytes / line;
  }

  std::shared_ptr<scripted_misses> counting = std::make_shared<scripted_misses>();
  listening_policy::notes heard;
  scheduler* scheduler_ = nullptr;
  std::unique_ptr<runtime> runtime_;
};

TEST_F(counted_tasks, own_what_they_miss_outside_their_children) {
  const profile& seen = profile_of("tree", [] {
    scripted_misses::miss(1000);
    fork_join([] { scripted_misses::miss(10); },
              [] {
                scripted_misses::miss(3);
                fork_join([] { scripted_misses::miss(100); }, [] { scripted_misses::miss(200); });
                scripted_misses::miss(4);
              });
    scripted_misses::miss(2000);
  });
  EXPECT_EQ(seen.source(), cost_source::cache_misses);
  ASSERT_EQ(seen.tree().size(), 5U);
  EXPECT_EQ(own_lines(0), 3000U);
  EXPECT_EQ(own_lines(1), 10U);
  EXPECT_EQ(own_lines(2), 7U);
  EXPECT_EQ(own_lines(3), 100U);
  EXPECT_EQ(own_lines(4), 200U);
  EXPECT_EQ(seen.total(tree_root).size_bytes, 3317 * line);
  const region_report told = report_of("tree");
  EXPECT_EQ(told.cost_source, "cache misses");
  EXPECT_EQ(told.misses_not_counted, "");
  EXPECT_EQ(told.why.back(), "cost source: cache misses");
}

TEST_F(counted_tasks, add_up_over_many_workers) {
  for (int pass = 0; pass < 20; ++pass) {
    const profile& seen = profile_of("loop" + std::to_string(pass), [] {
      parallel_for(0, 256,
                   [](int) {
                     scripted_misses::miss(3);
                     std::this_thread::yield();  // lets thieves take some bodies
                   },
                   {.grain = 1});
    });
    EXPECT_EQ(seen.total(tree_root).size_bytes, 256 * 3 * line);
  }
}

/// The task waits between its two misses, and may go on with another worker, whose counter has another value.
TEST_F(counted_tasks, own_what_they_miss_before_and_after_they_wait) {
  for (int pass = 0; pass < 50; ++pass) {
    const profile& seen = profile_of("waits" + std::to_string(pass), [] {
      scripted_misses::miss(5);
      std::atomic<bool> stolen{false};
      task_group group;
      group.spawn([&] {
        stolen.store(true);
        for (int i = 0; i < 100; ++i) std::this_thread::yield();
      });
      while (!stolen.load()) std::this_thread::yield();  // another worker has the task: sync will wait
      group.sync();
      scripted_misses::miss(7);
    });
    EXPECT_EQ(seen.source(), cost_source::cache_misses);
    EXPECT_EQ(own_lines(0), 12U) << "pass " << pass;
  }
}

/// A group's task, spawned before the region, runs on top of the task that syncs, and enters a region of its own.
TEST_F(counted_tasks, keep_their_misses_when_a_region_runs_inside_one) {
  runtime_->run([] {
    task_group group;
    group.spawn([] { region("inner", [] { scripted_misses::miss(100); }); });
    region("outer", [&] {
      scripted_misses::miss(5);
      group.sync();
      scripted_misses::miss(7);
    });
  });
  EXPECT_EQ(report_of("inner").cost_source, "cache misses");
  EXPECT_EQ(report_of("outer").cost_source, "cache misses");
  EXPECT_EQ(own_lines(0), 12U) << "of the outer region, which ended last";
}

TEST_F(counted_tasks, have_no_size_where_one_worker_cannot_count) {
  counting->refuse = [](unsigned opening) { return opening == 0 ? "" : "perf_event_paranoid is 3"; };
  const profile& seen = profile_of("partly", [] {
    std::atomic<int> arrived{0};
    const auto task = [&] {  // needs at least two workers
      scripted_misses::miss(1);
      arrived.fetch_add(1);
      while (arrived.load() < 2) std::this_thread::yield();
    };
    fork_join(task, task);
  });
  EXPECT_EQ(seen.source(), cost_source::time);
  EXPECT_EQ(seen.total(tree_root).size_bytes, 0U);
  EXPECT_GT(seen.total(tree_root).time_ns, 0U);
  const region_report told = report_of("partly");
  EXPECT_EQ(told.cost_source, "time");
  EXPECT_EQ(told.misses_not_counted, "perf_event_paranoid is 3");
  EXPECT_EQ(told.why.back(), "cost source: time; misses not counted: perf_event_paranoid is 3");
}

TEST_F(counted_tasks, without_counters_are_one_degradation_for_all_workers) {
  counting->refuse = [](unsigned) { return "no counters"; };
  for (const char* const name : {"a", "b", "c"})
    (void)profile_of(name, [] { parallel_for(0, 64, [](int) { std::this_thread::yield(); }, {.grain = 1}); });
  const run_report told = runtime_->report();
  ASSERT_EQ(told.degradations.size(), 1U);
  EXPECT_EQ(told.degradations[0].what, "cache misses are not counted");
  EXPECT_EQ(told.degradations[0].why, "no counters");
  EXPECT_EQ(told.degradations[0].remedy, "ask again");
  EXPECT_LE(counting->opened(), 4U) << "a worker that was refused does not ask again";
}

TEST_F(counted_tasks, without_counters_are_no_degradation_to_a_policy_that_asks_for_no_sizes) {
  make({.pinned_workers = false, .profile = true});
  counting->refuse = [](unsigned) { return "no counters"; };
  EXPECT_EQ(profile_of("plain", [] {}).source(), cost_source::time);
  EXPECT_TRUE(runtime_->report().degradations.empty());
}

TEST_F(counted_tasks, have_no_size_where_counts_were_lost) {
  counting->lose_count = true;
  EXPECT_EQ(profile_of("lost", [] { scripted_misses::miss(9); }).source(), cost_source::time);
  EXPECT_NE(report_of("lost").misses_not_counted.find("others took the counters"), std::string::npos);
  counting->lose_count = false;
  EXPECT_EQ(profile_of("found", [] { scripted_misses::miss(9); }).source(), cost_source::cache_misses);
}

TEST_F(counted_tasks, have_no_size_where_the_counters_never_move) {
  EXPECT_EQ(profile_of("still", [] {}).source(), cost_source::time);
  EXPECT_NE(report_of("still").misses_not_counted.find("stayed at zero"), std::string::npos);
}

TEST_F(counted_tasks, leave_no_counter_open) {
  (void)profile_of("once", [] {
    parallel_for(0, 256,
                 [](int) {
                   scripted_misses::miss(1);
                   std::this_thread::yield();
                 },
                 {.grain = 1});
  });
  EXPECT_GT(counting->opened(), 0U);
  // Workers close their counters before they go to sleep.
  while (counting->closed() < counting->opened()) std::this_thread::yield();
}

TEST_F(counted_tasks, are_counted_in_profiled_iterations_alone) {
  make({.pinned_workers = false});
  for (int i = 0; i < 3; ++i)
    runtime_->run([] { region("plain", [] { fork_join([] { scripted_misses::miss(1); }, [] {}); }); });
  EXPECT_EQ(counting->opened(), 0U);
  EXPECT_EQ(report_of("plain").cost_source, "");
}

TEST_F(counted_tasks, are_tried_for_strict_mode_only_where_sizes_matter) {
  counting->refuse = [](unsigned) { return "no counters"; };
  const policy_needs sizes{.pinned_workers = false, .profile = true, .task_sizes = true};
  const auto degradations = [&] {
    scheduler_->try_counting();
    return runtime_->report().degradations.size();
  };
  EXPECT_EQ(degradations(), 1U);
  make(sizes, "package:1 l3:1 core:4 pu:1");
  EXPECT_EQ(degradations(), 0U) << "one domain: nothing is placed";
  make({.pinned_workers = false, .profile = true});
  EXPECT_EQ(degradations(), 0U);
}

TEST(strict_mode, says_why_misses_cannot_be_counted) {
  config settings;
  settings.policy = "laws";
  settings.machine = "package:2 l3:1 core:2 pu:1";
  settings.pin = pinning::off;
  settings.strict = true;
  const counter_opening here = live_miss_counting()->open_for_this_thread();
  if (here.counter != nullptr) {
    EXPECT_NO_THROW(runtime{settings});
    return;
  }
  try {
    const runtime refused(settings);
    FAIL() << "it counts what cannot be counted here: " << here.refused.why;
  } catch (const error& refused) {
    EXPECT_NE(std::string(refused.what()).find(here.refused.why), std::string::npos) << refused.what();
  }
  settings.policy = "laws-nc";
  EXPECT_NO_THROW(runtime{settings}) << "it asks for no sizes";
  settings.policy = config{}.policy;
  EXPECT_NO_THROW(runtime{settings}) << "nobody named it";
  settings.set("policy", "auto");
  EXPECT_THROW(runtime{settings}, error) << "now it is named";
}

}  // namespace
