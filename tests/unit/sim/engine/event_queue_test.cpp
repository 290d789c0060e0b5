#include "sim/engine/event_queue.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace nearfork::sim {
namespace {

TEST(event_queue, knows_no_event_to_come_if_it_is_empty) {
  event_queue time;
  EXPECT_TRUE(time.next_ones().empty());
  time.announce(5, 1);
  ASSERT_EQ(time.next_ones().size(), 1U);
  EXPECT_EQ(time.next_ones().front().worker, 1U);
}

RC_GTEST_PROP(event_queue, next_ones_begin_with_the_next_and_have_the_one_after_it, ()) {
  event_queue time;
  const auto times = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange(0, 20)));
  for (std::uint32_t i = 0; i < times.size(); ++i) time.announce(times[i], i);
  while (!time.empty()) {
    const std::vector<event> seen(time.next_ones().begin(), time.next_ones().end());
    RC_ASSERT(seen.size() <= 3);
    RC_ASSERT(time.take().worker == seen.front().worker);
    if (time.empty()) break;
    const std::uint32_t after = time.next_ones().front().worker;
    RC_ASSERT(std::any_of(seen.begin() + 1, seen.end(), [&](const event& one) { return one.worker == after; }));
  }
}

}  // namespace
}  // namespace nearfork::sim
