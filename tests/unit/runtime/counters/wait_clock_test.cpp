#include "runtime/counters/wait_clock.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace nearfork {
namespace {

std::uint64_t waited_at(const wait_clock& clock, std::uint64_t now_ns) {
  return clock.waited_ns([&] { return now_ns; });
}

TEST(wait_clock, adds_up_what_lies_between_start_and_stop) {
  wait_clock clock;
  EXPECT_EQ(waited_at(clock, 5), 0U);
  clock.start(1'000'000'000);
  EXPECT_EQ(waited_at(clock, 1'000'000'007), 7U);
  clock.stop(1'000'000'010);
  EXPECT_EQ(waited_at(clock, 2'000'000'000), 10U);
  clock.start(3'000'000'000);
  clock.stop(3'000'000'005);
  EXPECT_EQ(waited_at(clock, 4'000'000'000), 15U);
}

TEST(wait_clock, goes_on_where_it_is_started_twice_and_stands_where_it_is_stopped_twice) {
  wait_clock clock;
  clock.stop(50);
  clock.start(100);
  clock.start(200);
  clock.stop(300);
  clock.stop(400);
  EXPECT_EQ(waited_at(clock, 500), 200U);
}

TEST(wait_clock, that_is_turned_unread_between_two_readings_still_measures_what_lies_within_them) {
  wait_clock clock;
  clock.start(100);
  clock.stop_unread();
  EXPECT_TRUE(clock.stands());
  clock.stop_unread();
  clock.start_unread();
  EXPECT_FALSE(clock.stands());
  const std::uint64_t begun = waited_at(clock, 1'000'000'000);
  EXPECT_EQ(waited_at(clock, 1'000'000'030) - begun, 30U);
  clock.stop(1'000'000'040);
  clock.start(1'000'000'050);
  EXPECT_EQ(waited_at(clock, 1'000'000'060) - begun, 50U);
  clock.stop(1'000'000'070);
  clock.stop_unread();
  clock.stop_unread();
  EXPECT_EQ(waited_at(clock, 2'000'000'000) - begun, 60U);
}

}  // namespace
}  // namespace nearfork
