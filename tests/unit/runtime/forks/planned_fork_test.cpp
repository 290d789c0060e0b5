// The seams of profile -> plan -> search order, driven by policies made for these tests on virtual domains.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "machine/model/machine.hpp"
#include "plan/plans/policy.hpp"
#include "plan/policies/locality_orders.hpp"
#include "runtime/lifetime/scheduler.hpp"

namespace {

using namespace nearfork;

/// Profiles the first iteration, then sends the root's i-th child to domain i % 2, parent first. Only head workers of a
/// domain without a subtree in progress take from pools, and thieves stay at home. With early::yes, workers that would
/// sleep take from pools, too.
enum class early : bool { no, yes };

class scripted_policy final : public policy {
 public:
  struct log {
    std::mutex mutex;
    std::vector<std::size_t> profiled_tasks;
    std::uint64_t longest_ns = 0;
  };
  scripted_policy(log& what_it_saw, pool_class pool, early start) : log_(what_it_saw), pool_(pool), start_(start) {}

  std::string_view name() const override { return "scripted"; }
  policy_needs needs() const override { return {.pinned_workers = false, .profile = true}; }
  plan first(const machine&, const region_facts&) const override { return {}; }
  plan next(const machine&, const profile& measured, const plan&) const override {
    {
      const std::lock_guard lock(log_.mutex);
      log_.profiled_tasks.push_back(measured.tasks(tree_root));
      log_.longest_ns = measured.total(tree_root).time_ns;
    }
    return plan(measured.tree(), [&](tree_node node) -> placement {
      if (node == tree_root) return {.children = spawn_order::parent_first};
      return {.domain = static_cast<std::uint16_t>(measured.tree().position(node).index % 2),
              .pool = pool_,
              .subtree_root = true};
    });
  }
  search_order order(const machine&, phase) const override {
    const step_conditions head_of_free_domain{.head_only = true, .domain_free = true};
    search_order made{{.where = look::same_domain},
                      {.where = look::own_high_pool, .item = pool_item::newest, .only = head_of_free_domain},
                      {.where = look::own_low_pool, .item = pool_item::newest, .only = head_of_free_domain},
                      {.where = look::injector}};
    if (start_ == early::yes)
      made.add({.where = look::own_high_pool, .item = pool_item::newest, .only = {.rather_than_sleep = true}});
    return made;
  }

 private:
  log& log_;
  pool_class pool_;
  early start_;
};

struct two_domains {
  explicit two_domains(pool_class pool = pool_class::high, config settings = {}, early start = early::no) {
    settings.workers = 4;
    settings.pin = pinning::off;
    auto made = std::make_unique<scheduler>(settings, load_machine("package:2 l3:1 core:2 pu:1"),
                                            std::make_unique<scripted_policy>(log, pool, start));
    inside = made.get();
    runtime_ = std::make_unique<runtime>(settings, std::move(made));
  }
  scripted_policy::log log;
  scheduler* inside = nullptr;
  std::unique_ptr<runtime> runtime_;
};

class planned_forks : public testing::TestWithParam<pool_class> {};
INSTANTIATE_TEST_SUITE_P(pools, planned_forks, testing::Values(pool_class::high, pool_class::low));

TEST_P(planned_forks, run_each_subtree_in_the_domain_that_the_plan_names) {
  two_domains on(GetParam());
  for (int iteration = 0; iteration < 30; ++iteration) {
    std::atomic<int> leaves{0};
    std::atomic<int> strayed{0};
    const auto subtree = [&](unsigned home) {
      parallel_for(0, 64,
                   [&](int) {
                     leaves.fetch_add(1);
                     if (iteration > 0 && this_worker::domain() != home) strayed.fetch_add(1);
                   },
                   {.grain = 1});
    };
    on.runtime_->run([&] {
      region("four",
             [&] { fork_join([&] { subtree(0); }, [&] { subtree(1); }, [&] { subtree(0); }, [&] { subtree(1); }); });
    });
    EXPECT_EQ(leaves.load(), 4 * 64);
    EXPECT_EQ(strayed.load(), 0) << "iteration " << iteration;
  }
  const run_report report = on.runtime_->report();
  ASSERT_EQ(report.regions.size(), 1U);
  EXPECT_EQ(report.regions[0].iterations, 30U);
  EXPECT_EQ(report.regions[0].planned, 29U);
  EXPECT_EQ(report.pool_tasks, 29U * 4);
}

/// Used with a single worker: its plan turns back, and the order in which tasks run is then certain.
class turning_policy final : public policy {
 public:
  std::string_view name() const override { return "turning"; }
  policy_needs needs() const override { return {.pinned_workers = false, .profile = true}; }
  plan first(const machine&, const region_facts&) const override { return {}; }
  plan next(const machine&, const profile& measured, const plan&) const override {
    plan made(measured.tree(), [&](tree_node node) -> placement {
      return {.children = node == tree_root ? above : spawn_order::child_first, .subtree_root = node != tree_root};
    });
    made.turn_back();
    made.describe({.settled = true}, {});
    return made;
  }
  search_order order(const machine&, phase) const override {
    return {{.where = look::own_high_pool, .item = pool_item::newest},
            {.where = look::any_deque},
            {.where = look::injector}};
  }
  explicit turning_policy(spawn_order order_above) : above(order_above) {}
  spawn_order above;
};

class sweeps : public testing::TestWithParam<spawn_order> {};
INSTANTIATE_TEST_SUITE_P(orders, sweeps,
                         testing::Values(spawn_order::child_first, spawn_order::parent_first,
                                         spawn_order::others_to_pools));

TEST_P(sweeps, that_turn_back_run_the_last_child_first_in_every_second_iteration) {
  config settings;
  settings.workers = 1;
  settings.pin = pinning::off;
  runtime on(settings, std::make_unique<scheduler>(settings, load_machine("core:1 pu:1"),
                                                   std::make_unique<turning_policy>(GetParam())));
  for (int iteration = 0; iteration < 6; ++iteration) {
    std::vector<int> order;
    on.run([&] {
      region("three",
             [&] { fork_join([&] { order.push_back(0); }, [&] { order.push_back(1); }, [&] { order.push_back(2); }); });
    });
    const bool backward = iteration > 0 && iteration % 2 == 0;  // the first is profiled, the second goes forward
    EXPECT_EQ(order, backward ? (std::vector{2, 1, 0}) : (std::vector{0, 1, 2})) << "iteration " << iteration;
  }
}

/// True if both tasks that share `present` ran at the same time; waits for the other task for a limited time.
bool meet(std::atomic<int>& present) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  present.fetch_add(1);
  while (present.load() < 2 && std::chrono::steady_clock::now() < give_up) std::this_thread::yield();
  return present.load() == 2;
}

// In the papers, cores idle while a subtree drains; under auto they do not.
TEST(planned_forks, start_the_next_subtree_early_if_the_order_says_so) {
  two_domains on(pool_class::high, {}, early::yes);
  for (int iteration = 0; iteration < 20; ++iteration) {
    std::array<std::atomic<int>, 2> present{};
    std::atomic<int> met{0};
    const auto subtree = [&](unsigned home) { met.fetch_add(iteration > 0 && meet(present[home]) ? 1 : 0); };
    on.runtime_->run([&] {
      region("four",
             [&] { fork_join([&] { subtree(0); }, [&] { subtree(1); }, [&] { subtree(0); }, [&] { subtree(1); }); });
    });
    EXPECT_EQ(met.load(), iteration > 0 ? 4 : 0) << "iteration " << iteration;
  }
}

TEST(profiled_forks, record_every_task_by_its_place_in_the_tree) {
  two_domains on;
  on.runtime_->run(
      [&] { region("tree", [] { fork_join([] { parallel_for(0, 8, [](int) {}, {.grain = 1}); }, [] {}, [] {}); }); });
  // The root, its three children, and a tree of halves over 8 leaves below the first: 2 + 4 + 8.
  EXPECT_EQ(on.log.profiled_tasks.at(0), 1U + 3 + 14);
  EXPECT_GT(on.log.longest_ns, 0U);
}

TEST(profiled_forks, stay_plain_and_say_so_where_the_tree_outgrows_its_bound) {
  config settings;
  settings.profile_tasks = 10;
  two_domains on(pool_class::high, settings);
  for (int iteration = 0; iteration < 5; ++iteration) {
    std::atomic<int> leaves{0};
    on.runtime_->run(
        [&] { region("large", [&] { parallel_for(0, 64, [&](int) { leaves.fetch_add(1); }, {.grain = 1}); }); });
    EXPECT_EQ(leaves.load(), 64);
  }
  const region_report about = on.runtime_->report().regions.at(0);
  EXPECT_EQ(about.profiled, 1U);
  EXPECT_EQ(about.plain, 4U);
  EXPECT_TRUE(on.log.profiled_tasks.empty()) << "half a profile is none";
  ASSERT_FALSE(about.why.empty());
  EXPECT_NE(about.why[0].find("profile_tasks"), std::string::npos) << about.why[0];
}

TEST(profiled_forks, of_a_loop_are_as_many_as_a_plan_can_use) {
  two_domains on;
  on.runtime_->run([&] { region("loop", [] { parallel_for(0, 1'000'000, [](int) {}); }); });
  ASSERT_EQ(on.log.profiled_tasks.size(), 1U);
  EXPECT_EQ(on.log.profiled_tasks[0], 2U * detail::deterministic_leaves - 1);
}

TEST(planned_forks, survive_a_tree_that_changes_its_shape) {
  two_domains on;
  for (int iteration = 0; iteration < 12; ++iteration) {
    std::atomic<int> ran{0};
    on.runtime_->run([&] {
      region("shifty", [&] {
        const auto task = [&] { ran.fetch_add(1); };
        if (iteration % 3 == 0) fork_join(task, task);
        else if (iteration % 3 == 1) fork_join(task, task, task);
        else task();
      });
    });
    EXPECT_EQ(ran.load(), iteration % 3 == 0 ? 2 : iteration % 3 == 1 ? 3 : 1);
  }
}

TEST(planned_forks, carry_exceptions_and_leave_the_region_usable) {
  two_domains on;
  for (int iteration = 0; iteration < 10; ++iteration) {
    const auto pass = [&](bool throws) {
      on.runtime_->run([&] {
        region("thrower", [&] {
          fork_join([] {},
                    [&] {
                      if (throws) throw 7;
                    },
                    [] {});
        });
      });
    };
    if (iteration % 2 == 0) pass(false);
    else EXPECT_THROW(pass(true), int);
  }
  EXPECT_EQ(on.runtime_->report().regions.at(0).iterations, 10U);
}

// Otherwise workers would wait for the missing subtrees for ever, and leave other domains alone.
TEST(planned_forks, that_never_came_are_not_waited_for_after_the_iteration) {
  two_domains on;
  for (int iteration = 0; iteration < 6; ++iteration) {
    std::int32_t announced = 0;
    const auto pass = [&] {
      region("half-way", [&] {
        announced = on.inside->workers().domain_at(0).to_come.load() + on.inside->workers().domain_at(1).to_come.load();
        if (iteration == 3) throw iteration;
        if (iteration != 4) fork_join([] {}, [] {}, [] {});
      });
    };
    if (iteration == 3) EXPECT_THROW(on.runtime_->run(pass), int);
    else on.runtime_->run(pass);
    EXPECT_EQ(announced, iteration == 0 ? 0 : 3) << "iteration " << iteration;
    for (std::uint32_t i = 0; i < 2; ++i)
      EXPECT_EQ(on.inside->workers().domain_at(i).to_come.load(), 0) << "iteration " << iteration;
  }
}

TEST(planned_forks, are_profiled_again_when_the_tree_has_changed_its_shape) {
  two_domains on;
  const auto pass = [&](int children) {
    on.runtime_->run([&] {
      region("grower", [&] {
        if (children == 2) fork_join([] {}, [] {});
        else fork_join([] {}, [] {}, [] {});
      });
    });
  };
  const auto profiled = [&] { return on.runtime_->report().regions.at(0).profiled; };
  for (int iteration = 0; iteration < 5; ++iteration) pass(2);
  EXPECT_EQ(profiled(), 1U);
  pass(3);
  pass(2);
  pass(2);
  EXPECT_EQ(profiled(), 1U) << "one strange iteration is no new shape";
  for (int iteration = 0; iteration < 5; ++iteration) pass(3);
  EXPECT_EQ(profiled(), 2U);
  for (int iteration = 0; iteration < 5; ++iteration) pass(3);
  EXPECT_EQ(profiled(), 2U) << "the new plan fits";
}

TEST(planned_forks, run_overlapping_iterations_of_one_region_plainly) {
  two_domains on;
  std::vector<std::thread> callers;
  std::atomic<int> ran{0};
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&] {
      for (int iteration = 0; iteration < 20; ++iteration)
        on.runtime_->run(
            [&] { region("shared", [&] { fork_join([&] { ran.fetch_add(1); }, [&] { ran.fetch_add(1); }); }); });
    });
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(ran.load(), 4 * 20 * 2);
  EXPECT_EQ(on.runtime_->report().regions.at(0).iterations, 80U);
}

TEST(planned_forks, take_groups_and_loops_inside_planned_tasks) {
  two_domains on;
  for (int iteration = 0; iteration < 5; ++iteration) {
    std::atomic<int> ran{0};
    on.runtime_->run([&] {
      region("mixed", [&] {
        task_group group;
        for (int i = 0; i < 10; ++i) group.spawn([&] { parallel_for(0, 10, [&](int) { ran.fetch_add(1); }); });
        fork_join([&] { parallel_for(0, 100, [&](int) { ran.fetch_add(1); }); }, [&] { ran.fetch_add(1); });
        group.sync();
      });
    });
    EXPECT_EQ(ran.load(), 201);
  }
}

}  // namespace
