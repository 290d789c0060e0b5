// A thief that comes while the owner's other jobs are private gets some of them at the owner's next join, even if the
// owner never forks again.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::test::with_workers;

/// On the owner, a leaf lasts until the other worker has run `wanted` leaves, or gives up.
class leaves {
 public:
  explicit leaves(unsigned owner) : owner_(owner) {}

  void run(int wanted) {
    if (nearfork::this_worker::index() != owner_) {
      ran_elsewhere_.fetch_add(1);
      return;
    }
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (ran_elsewhere_.load() < wanted && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  }
  [[nodiscard]] int ran_elsewhere() const { return ran_elsewhere_.load(); }

 private:
  const unsigned owner_;
  std::atomic<int> ran_elsewhere_{0};
};

TEST(starvation, ends_at_the_next_join_of_a_wide_fork) {
  nearfork::runtime runtime(with_workers(2));
  runtime.run([] {
    leaves all(nearfork::this_worker::index());
    const auto leaf = [&] { all.run(1); };
    const auto second_leaf = [&] { all.run(2); };
    nearfork::fork_join(leaf, second_leaf, leaf, leaf, leaf, leaf, leaf, leaf);
    EXPECT_GE(all.ran_elsewhere(), 2);
  });
}

TEST(starvation, ends_at_the_next_task_of_a_group) {
  nearfork::runtime runtime(with_workers(2));
  runtime.run([] {
    leaves all(nearfork::this_worker::index());
    nearfork::task_group group;
    for (int i = 0; i < 8; ++i) group.spawn([&all, i] { all.run(i < 7 ? 2 : 1); });  // the owner starts with the last
    group.sync();
    EXPECT_GE(all.ran_elsewhere(), 2);
  });
}

TEST(starvation, ends_at_the_next_join_on_the_way_up) {
  nearfork::runtime runtime(with_workers(2));
  runtime.run([] {
    leaves all(nearfork::this_worker::index());
    const auto leaf = [&] { all.run(2); };
    const auto nest = [&](const auto& self, int depth) -> void {
      if (depth == 0) return all.run(1);
      nearfork::fork_join([&] { self(self, depth - 1); }, leaf);
    };
    nest(nest, 8);
    EXPECT_GE(all.ran_elsewhere(), 2);
  });
}

/// The first task takes others into its worker's portion, and ends only when all others have run.
TEST(starvation, does_not_come_to_tasks_from_outside_that_follow_a_long_one) {
  constexpr int workers = 2;
  constexpr int others = 100;
  nearfork::runtime runtime(with_workers(workers));
  nearfork::task_group group(runtime);
  std::atomic<int> held{0};
  std::atomic<bool> all_spawned{false};
  std::atomic<int> ran{0};
  const auto await = [](const auto& condition) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!condition() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
    EXPECT_TRUE(condition());
  };
  for (int i = 0; i < workers; ++i)
    group.spawn([&] {
      held.fetch_add(1);
      await([&] { return all_spawned.load(); });
    });
  await([&] { return held.load() == workers; });
  group.spawn([&] { await([&] { return ran.load() == others; }); });
  for (int i = 0; i < others; ++i) group.spawn([&] { ran.fetch_add(1); });
  all_spawned.store(true);
  await([&] { return ran.load() == others; });
  group.sync();
}

/// Tasks none of which ends before all have begun: each must be had while its owner does nothing else.
class meeting_of_all {
 public:
  explicit meeting_of_all(int wanted) : wanted_(wanted) {}
  void come() {
    arrived_.fetch_add(1);
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (arrived_.load() < wanted_ && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (arrived_.load() < wanted_) missed_.store(true);
  }
  [[nodiscard]] bool complete() const { return arrived_.load() == wanted_ && !missed_.load(); }

 private:
  const int wanted_;
  std::atomic<int> arrived_{0};
  std::atomic<bool> missed_{false};
};

void fork_tree(int tasks, meeting_of_all& all) {
  if (tasks == 1) return all.come();
  nearfork::fork_join([&] { fork_tree(tasks / 2, all); }, [&] { fork_tree(tasks - tasks / 2, all); });
}

/// Where thieves cannot take by force (the report says why), only the owners share.
class coarse_tasks : public testing::Test {
 protected:
  static constexpr int workers = 8;
  void SetUp() override {
    for (const auto& one : runtime_.report().degradations)
      if (one.why.find("; signals: ") != std::string::npos) GTEST_SKIP() << one.why;
  }
  nearfork::runtime runtime_{with_workers(workers)};
};

TEST_F(coarse_tasks, of_a_wide_fork_all_begin) {
  for (int round = 0; round < 20; ++round) {
    meeting_of_all all(workers);
    const auto task = [&] { all.come(); };
    runtime_.run([&] { nearfork::fork_join(task, task, task, task, task, task, task, task); });
    ASSERT_TRUE(all.complete());
  }
}

TEST_F(coarse_tasks, of_a_tree_all_begin) {
  for (int round = 0; round < 20; ++round) {
    meeting_of_all all(workers);
    runtime_.run([&] { fork_tree(workers, all); });
    ASSERT_TRUE(all.complete());
  }
}

TEST_F(coarse_tasks, of_a_group_all_begin) {
  for (int round = 0; round < 20; ++round) {
    meeting_of_all all(workers);
    runtime_.run([&] {
      nearfork::task_group group;
      for (int i = 0; i < workers; ++i) group.spawn([&] { all.come(); });
      group.sync();
    });
    ASSERT_TRUE(all.complete());
  }
}

TEST_F(coarse_tasks, of_a_loop_all_begin) {
  for (int round = 0; round < 20; ++round) {
    meeting_of_all all(workers);
    runtime_.run([&] { nearfork::parallel_for(0, workers, [&](int) { all.come(); }); });
    ASSERT_TRUE(all.complete());
  }
}

/// Quick bodies are called several at once, but not so many that slow ones among them would wait for each other.
TEST_F(coarse_tasks, of_a_loop_all_begin_behind_quick_ones) {
  for (int round = 0; round < 20; ++round) {
    meeting_of_all all(workers);
    runtime_.run([&] {
      nearfork::parallel_for(0, 8 * workers, [&](int i) {
        if (i >= 7 * workers) all.come();
      });
    });
    ASSERT_TRUE(all.complete());
  }
}

}  // namespace
