// What a system grants differs from host to host. On every host, probing the grants leaves no trace.
#include <gtest/gtest.h>
#include <sched.h>

#include <cerrno>

#include "machine/live/grants.hpp"

namespace {

using namespace nearfork;

cpu_set_t affinity_now() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(::sched_getaffinity(0, sizeof set, &set), 0);
  return set;
}

TEST(live_system, has_the_same_affinity_after_everything_was_tried) {
  const cpu_set_t before = affinity_now();
  const auto grants = try_everything();
  const cpu_set_t after = affinity_now();
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
  EXPECT_GE(grants.size(), 9U);
}

TEST(live_system, explains_whatever_it_does_not_grant) {
  for (const grant& one : try_everything()) {
    EXPECT_FALSE(one.what.empty());
    EXPECT_FALSE(one.use.empty()) << one.what;
    EXPECT_FALSE(one.detail.empty()) << one.what;
    EXPECT_TRUE(one.state != grant_state::denied || !one.remedy.empty()) << one.what;
  }
}

TEST(live_system, pins_from_a_narrow_affinity_too) {
  const cpu_set_t before = affinity_now();
  int last = -1;
  for (int number = 0; number < CPU_SETSIZE; ++number)
    if (CPU_ISSET(number, &before)) last = number;
  cpu_set_t narrow;
  CPU_ZERO(&narrow);
  CPU_SET(last, &narrow);
  if (::sched_setaffinity(0, sizeof narrow, &narrow) != 0) GTEST_SKIP() << "skipped: this system does not pin";
  EXPECT_EQ(live_system()->pin().error_number, 0);
  const cpu_set_t after = affinity_now();
  EXPECT_TRUE(CPU_EQUAL(&narrow, &after));
  EXPECT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
}

TEST(live_system, reads_a_first_line_or_says_why_not) {
  const auto system = live_system();
  EXPECT_EQ(system->read("/proc/self/comm").error_number, 0);
  EXPECT_FALSE(system->read("/proc/self/comm").text.empty());
  EXPECT_EQ(system->read("/no/such/file").error_number, ENOENT);
  EXPECT_EQ(system->write_back("/no/such/file", "1"), ENOENT);
}

}  // namespace
