// What the stacks of tasks hold, and what ends a program that needs more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <string>

#include <nearfork/nearfork.hpp>

#include "tests/address_space.hpp"
#include "tests/runtime_settings.hpp"

namespace {

using nearfork::test::has_many_addresses;
using nearfork::test::sanitized;
using nearfork::test::with_workers;

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::size_t gib = std::size_t{1} << 30;

nearfork::config with_stacks(std::size_t bytes, unsigned workers = 2) {
  nearfork::config settings = with_workers(workers);
  settings.stack_bytes = bytes;
  return settings;
}

/// Writes to a frame of `bytes` bytes: at the low end and every `step` bytes from there.
__attribute__((noinline)) char write_frame(std::size_t bytes, std::size_t step) {
  volatile char* const room = static_cast<volatile char*>(__builtin_alloca(bytes));
  for (std::size_t at = 0; at < bytes; at += step) room[at] = 1;
  return room[0];
}

__attribute__((noinline)) std::size_t recurse(std::size_t bytes) {
  volatile char room[4096];
  room[0] = 1;
  return bytes <= sizeof room ? bytes : recurse(bytes - sizeof room) + static_cast<std::size_t>(room[0]);
}

class frame_of : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(mib, frame_of, testing::Values(9, 17, 33, 100, 900),
                         [](const auto& given) { return std::to_string(given.param); });

TEST_P(frame_of, too_many_mib_ends_with_a_message_whichever_end_is_touched_first) {
  if (!has_many_addresses())
    GTEST_SKIP() << "skipped: few addresses here, or a sanitizer that reports overflows by itself";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        nearfork::runtime runtime(with_workers(2));
        runtime.run([] { return write_frame(GetParam() * mib, GetParam() * mib); });
      },
      "stack overflow in a task on worker .* 819[0-9] KiB.*NEARFORK_STACK_BYTES");
}

TEST(stacks_death_test, that_are_large_have_a_guard_of_a_gib_too) {
  if (!has_many_addresses())
    GTEST_SKIP() << "skipped: few addresses here, or a sanitizer that reports overflows by itself";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        nearfork::runtime runtime(with_stacks(20 * mib));
        runtime.run([] { nearfork::fork_join([] { return write_frame(900 * mib, gib); }, [] {}); });
      },
      "stack overflow in a task on worker .* 204[0-9][0-9] KiB.*NEARFORK_STACK_BYTES");
}

TEST(stacks_death_test, are_not_blamed_for_a_wild_pointer_into_their_guard) {
  if (sanitized) GTEST_SKIP() << "sanitizers handle the signal";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        nearfork::runtime runtime(with_workers(1));
        runtime.run([] {
          volatile char here = 0;
          volatile char* volatile wild = &here;
          *(wild - 300 * mib) = 1;
        });
      },
      testing::KilledBySignal(SIGSEGV), testing::Not(testing::HasSubstr("stack overflow")));
}

/// The signal is sent once, and not repeated as that of a fault is.
TEST(stacks_death_test, leave_a_signal_its_effect_that_was_sent) {
  if (sanitized) GTEST_SKIP() << "sanitizers handle the signal";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        nearfork::runtime runtime(with_workers(2));
        runtime.run([] { (void)::raise(SIGSEGV); });
        std::_Exit(0);
      },
      testing::KilledBySignal(SIGSEGV), testing::Not(testing::HasSubstr("stack overflow")));
}

class stacks_of : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(mib, stacks_of, testing::Values(1, 15, 16, 64, 512, 1024),
                         [](const auto& given) { return std::to_string(given.param); });

TEST_P(stacks_of, so_many_mib_hold_that_much_on_every_fiber) {
  const std::size_t bytes = GetParam() * mib;
  nearfork::runtime runtime(with_stacks(bytes));
  // Touches only some pages, because only touched pages take memory.
  const std::size_t deep = bytes - bytes / 8;
  const auto body = [=](int) { EXPECT_EQ(write_frame(deep, 2 * mib), 1); };
  runtime.run([&] { nearfork::parallel_for(0, 8, body, {.grain = 1}); });
  const nearfork::run_report report = runtime.report();
  EXPECT_EQ(report.fibers_unguarded, 0U);
  EXPECT_GT(report.peak_stack_bytes, 0U);
  if (has_many_addresses()) {
    EXPECT_EQ(report.fibers_small_guard, 0U);
  }
  if (!sanitized) {
    EXPECT_LT(report.peak_stack_bytes, report.fibers_made * (mib + bytes / 64));
  }
}

TEST(stacks, of_64_mib_hold_a_deep_recursion) {
  if (sanitized) GTEST_SKIP() << "sanitizers enlarge frames";
  nearfork::runtime runtime(with_stacks(64 * mib));
  EXPECT_GT(runtime.run([] { return recurse(40 * mib); }), 0U);
  EXPECT_GT(runtime.report().peak_stack_bytes, 40 * mib);
}

long sum_to(long n) {
  if (n < 2) return n;
  const auto [low, high] = nearfork::fork_join([=] { return sum_to(n / 2); }, [=] { return sum_to(n - n / 2); });
  return low + high;
}

/// More tasks than a deque holds, and chains of tasks that each spawn the next: their frames must not lie on one stack.
TEST(stacks, hold_chains_of_tasks_that_a_full_deque_has_no_room_for) {
  struct chain {
    nearfork::task_group& group;
    std::atomic<int>& ran;
    void spawn(int left) const {
      group.spawn([*this, left] {
        ran.fetch_add(1, std::memory_order_relaxed);
        if (left > 1) spawn(left - 1);
      });
    }
  };
  for (const unsigned workers : {1U, 2U}) {
    nearfork::runtime runtime(with_stacks(1 * mib, workers));
    std::atomic<int> ran{0};
    runtime.run([&] {
      nearfork::task_group group;
      for (int i = 0; i < 9000; ++i) chain{group, ran}.spawn(i % 1000 == 0 ? 10'000 : 1);
      group.sync();
    });
    EXPECT_EQ(ran.load(), 9 * 10'000 + 9000 - 9);
  }
}

TEST(stacks, of_several_sizes_live_side_by_side) {
  nearfork::runtime small(with_stacks(64 * 1024));
  nearfork::runtime large(with_stacks(100 * mib));
  nearfork::runtime huge(with_stacks(gib));
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(large.run([] { return sum_to(1000); }), 1000);
    EXPECT_EQ(small.run([&] {
      return sum_to(500) + huge.run([&] { return sum_to(250) + large.run([] { return sum_to(250); }); });
    }),
              1000);
    EXPECT_EQ(sum_to(1000), 1000) << "in the process's runtime";
    EXPECT_EQ(huge.run([] { return write_frame(500 * mib, 64 * mib); }), 1);
  }
}

}  // namespace
