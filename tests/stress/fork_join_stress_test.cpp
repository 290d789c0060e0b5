// Checks exactly once by task id: in a count, a lost task and a doubled task would cancel out.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::test::sanitized;
using nearfork::test::with_workers;

/// The long set: NEARFORK_TEST_TASKS=100000000 runs at least that many tasks per case.
std::uint64_t wanted_tasks() {
  const char* const given = std::getenv("NEARFORK_TEST_TASKS");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : (sanitized ? 200'000 : 4'000'000);
}

/// One byte per task: 1 after the task's run; any other value is a fault.
class task_ledger {
 public:
  explicit task_ledger(std::size_t tasks) : runs_(tasks) {}
  void ran(std::size_t id) { runs_[id].fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] std::size_t faults() const {
    std::size_t count = 0;
    for (const auto& runs : runs_) count += runs.load(std::memory_order_relaxed) != 1;
    return count;
  }

 private:
  std::vector<std::atomic<std::uint8_t>> runs_;
};

void binary(task_ledger& ledger, std::size_t lo, std::size_t hi) {
  if (hi - lo == 1) return ledger.ran(lo);
  const std::size_t middle = lo + (hi - lo) / 2;
  nearfork::fork_join([&, lo, middle] { binary(ledger, lo, middle); }, [&, middle, hi] { binary(ledger, middle, hi); });
}

/// Splits that a hash of the range decides: thin and bushy parts, with three and four children.
void uneven(task_ledger& ledger, std::size_t lo, std::size_t hi) {
  if (hi - lo == 1) return ledger.ran(lo);
  const std::size_t cut = lo + 1 + (lo * 0x9e3779b97f4a7c15 ^ hi) % (hi - lo - 1 > 0 ? hi - lo - 1 : 1);
  if ((cut & 3) == 0 && hi - cut > 2) {
    const std::size_t second = cut + (hi - cut) / 2;
    nearfork::fork_join([&, lo, cut] { uneven(ledger, lo, cut); }, [&, cut, second] { uneven(ledger, cut, second); },
                        [&, second, hi] { uneven(ledger, second, hi); });
  } else {
    nearfork::fork_join([&, lo, cut] { uneven(ledger, lo, cut); }, [&, cut, hi] { uneven(ledger, cut, hi); });
  }
}

class exactly_once : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(workers, exactly_once, testing::Values(2U, 4U, 16U));

TEST_P(exactly_once, balanced_tree) {
  const std::uint64_t tasks = wanted_tasks();
  nearfork::runtime runtime(with_workers(GetParam(), 1));
  task_ledger ledger(tasks);
  runtime.run([&] { binary(ledger, 0, tasks); });
  EXPECT_EQ(ledger.faults(), 0U);
}

TEST_P(exactly_once, uneven_tree_again_and_again_in_small) {
  nearfork::runtime runtime(with_workers(GetParam(), 2));
  constexpr std::size_t small = 2000;
  for (std::uint64_t done = 0; done < wanted_tasks() / 4; done += small) {
    task_ledger ledger(small);
    runtime.run([&] { uneven(ledger, 0, small); });
    ASSERT_EQ(ledger.faults(), 0U);
  }
}

TEST_P(exactly_once, groups_inside_forks) {
  nearfork::runtime runtime(with_workers(GetParam(), 3));
  const std::size_t tasks = wanted_tasks() / 20;
  task_ledger ledger(tasks);
  runtime.run([&] {
    nearfork::parallel_for(
        std::size_t{0}, tasks / 100,
        [&](std::size_t block) {
          nearfork::task_group group;
          for (std::size_t i = 0; i < 100; ++i)
            group.spawn([&ledger, id = block * 100 + i] { nearfork::fork_join([&] { ledger.ran(id); }, [] {}); });
          group.sync();
        },
        {.grain = 1});
    for (std::size_t id = tasks / 100 * 100; id < tasks; ++id) ledger.ran(id);
  });
  EXPECT_EQ(ledger.faults(), 0U);
}

TEST(many_runtimes, start_and_stop_again_and_again) {
  for (int round = 0; round < (sanitized ? 20 : 200); ++round) {
    nearfork::runtime one(with_workers(2, 1)), other(with_workers(3, 2));
    std::thread second([&] { EXPECT_EQ(other.run([] { return 2; }), 2); });
    EXPECT_EQ(one.run([] { return 1; }), 1);
    second.join();
  }
}

/// Lets a task wait until its sibling runs elsewhere, so that the join is certain to block.
class meeting {
 public:
  void arrive() { arrived_.store(true); }
  void wait() const {
    while (!arrived_.load()) std::this_thread::yield();
  }

 private:
  std::atomic<bool> arrived_{false};
};

/// If a waiting worker ran other tasks, a second task would run above the frame that holds the lock, and deadlock.
TEST(blocked_join, does_not_reenter_a_lock_that_is_held_across_it) {
  nearfork::runtime runtime(with_workers(2, 5));
  std::mutex lock;
  int inside = 0;
  int entered = 0;
  runtime.run([&] {
    nearfork::parallel_for(0, sanitized ? 100 : 2000,
                           [&](int) {
                             const std::lock_guard held(lock);
                             EXPECT_EQ(inside++, 0);
                             ++entered;
                             for (int fork = 0; fork < 2; ++fork)
                               nearfork::fork_join([] { std::this_thread::yield(); }, [] {});
                             EXPECT_EQ(--inside, 0);
                           },
                           {.grain = 1});
  });
  EXPECT_EQ(entered, sanitized ? 100 : 2000);
}

/// Each level's join blocks, since its first child returns only when the second was stolen. If a waiting worker ran
/// other tasks, the levels would pile up on one stack.
void blocked_chain(int depth, std::atomic<int>& levels) {
  levels.fetch_add(1, std::memory_order_relaxed);
  if (depth == 0) return;
  meeting stolen;
  nearfork::fork_join([&] { stolen.wait(); },
                      [&, depth] {
                        stolen.arrive();
                        blocked_chain(depth - 1, levels);
                      });
}

TEST(blocked_join, chains_deeper_than_any_stack) {
  // The long set goes to 250,000 levels: 1 GiB of stacks, a page for each level. (A million took 70 s, for the pages.)
  const char* const given = std::getenv("NEARFORK_TEST_CHAIN");
  const int depth = given != nullptr ? std::atoi(given) : (sanitized ? 1000 : 40'000);
  nearfork::config small = with_workers(2, 6);
  if (!sanitized) small.stack_bytes = std::size_t{16} << 10;
  nearfork::runtime runtime(small);
  std::atomic<int> levels{0};
  runtime.run([&] { blocked_chain(depth, levels); });
  EXPECT_EQ(levels.load(), depth + 1);
}

}  // namespace
