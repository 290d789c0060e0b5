// Whether a worker's pushes and joins stay slow after a job was taken by force, and how many short tasks a thief takes.
#include <gtest/gtest.h>

#include <chrono>

#include "runtime/workers/coarse_tasks.hpp"

namespace {

/// As often as an owner of long tasks looks.
void run_long_task() {
  const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(100);
  while (std::chrono::steady_clock::now() < until) {
  }
}

TEST(coarse_tasks, are_not_expected_before_force) {
  nearfork::coarse_tasks tasks;
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(tasks.go_on());
}

TEST(coarse_tasks, go_on_while_tasks_are_long) {
  nearfork::coarse_tasks tasks;
  tasks.note_force();
  for (int i = 0; i < 200; ++i) {
    EXPECT_TRUE(tasks.go_on()) << i;
    run_long_task();
  }
}

TEST(coarse_tasks, go_on_if_some_tasks_are_long) {
  nearfork::coarse_tasks tasks;
  tasks.note_force();
  for (int i = 0; i < 200; ++i) {
    EXPECT_TRUE(tasks.go_on()) << i;
    if (i % 3 == 0) run_long_task();
  }
}

/// The system may stop this thread now and then, which looks like a long task.
TEST(coarse_tasks, end_if_few_tasks_are_long) {
  nearfork::coarse_tasks tasks;
  tasks.note_force();
  int looks = 0;
  while (tasks.go_on() && looks < 100'000)
    if (++looks % 16 == 0) run_long_task();
  EXPECT_LT(looks, 100'000);
}

TEST(coarse_tasks, end_once_tasks_are_short) {
  nearfork::coarse_tasks tasks;
  for (int round = 0; round < 3; ++round) {
    tasks.note_force();
    int looks = 0;
    while (tasks.go_on()) ASSERT_LT(++looks, 100'000'000);
    EXPECT_GE(looks, 31);
    EXPECT_FALSE(tasks.go_on());
  }
}

using nearfork::taken_tasks;
constexpr std::uint64_t long_enough = nearfork::detail::look_up_ticks;

TEST(taken_tasks, are_so_many_that_they_take_some_microseconds) {
  taken_tasks size;
  EXPECT_EQ(size.next(), 1U);
  for (int i = 0; i < 20; ++i) size.took(size.next(), size.next() * long_enough / 10, true);
  EXPECT_GE(size.next(), 4U);
  EXPECT_LE(size.next(), 20U);
}

TEST(taken_tasks, are_at_most_32_however_short) {
  taken_tasks size;
  for (int i = 0; i < 20; ++i) size.took(size.next(), size.next(), false);
  EXPECT_EQ(size.next(), taken_tasks::most);
}

TEST(taken_tasks, are_taken_one_by_one_once_they_take_long) {
  taken_tasks size;
  for (int i = 0; i < 20; ++i) size.took(size.next(), size.next(), false);
  size.took(size.next(), 9 * long_enough, false);
  EXPECT_EQ(size.next(), 1U);
}

TEST(taken_tasks, are_taken_one_by_one_where_their_owner_is_quicker) {
  taken_tasks size;
  for (int i = 0; i < 20; ++i) size.took(size.next(), size.next() * (long_enough / 100), true);
  EXPECT_EQ(size.next(), 1U);
}

}  // namespace
