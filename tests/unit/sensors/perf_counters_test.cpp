// The real reading path, with events that the kernel counts itself: they exist wherever perf_event_open is permitted.
#include "sensors/perf_counters.hpp"

#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/mman.h>

#include <cerrno>
#include <thread>

#include "sensors/hardware_counting.hpp"
#include "sensors/user_mode_read.hpp"

namespace {

using namespace nearfork;

constexpr event_code page_faults{.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS};
constexpr event_code minor_faults{.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS_MIN};
constexpr event_code major_faults{.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS_MAJ};

/// Each page causes a fault.
void touch_fresh_pages(std::size_t pages) {
  constexpr std::size_t bytes = 4096;
  void* const area = ::mmap(nullptr, pages * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(area, MAP_FAILED);
  (void)::madvise(area, pages * bytes, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; i < pages; ++i) static_cast<volatile char*>(area)[i * bytes] = 1;
  ::munmap(area, pages * bytes);
}

std::string why(int error_number) {
  return refusal_of(error_number, live_counting_system()->paranoid_level(), false).why;
}

class perf_counters : public testing::Test {
 protected:
  perf_counters() {
    perf_opening tried = open_perf_counters({&page_faults, 1});
    if (tried.counter == nullptr) refused_ = why(tried.error_number);
  }
  void SetUp() override {
    if (!refused_.empty()) GTEST_SKIP() << "skipped: " << refused_;
  }

 private:
  std::string refused_;
};

TEST_F(perf_counters, count_what_this_thread_does) {
  const auto counter = open_perf_counters({&page_faults, 1}).counter;
  const miss_reading before = counter->read();
  touch_fresh_pages(64);
  const miss_reading after = counter->read();
  EXPECT_TRUE(before.complete && after.complete);
  EXPECT_GE(after.misses - before.misses, 64U);
  EXPECT_LT(after.misses - before.misses, 1000U);
}

TEST_F(perf_counters, do_not_count_what_others_do) {
  const auto counter = open_perf_counters({&page_faults, 1}).counter;
  const std::uint64_t before = counter->read().misses;
  std::thread([] { touch_fresh_pages(1000); }).join();
  EXPECT_LT(counter->read().misses - before, 500U);
}

TEST_F(perf_counters, add_up_several_events) {
  constexpr event_code kinds[] = {page_faults, minor_faults, major_faults};
  const auto all = open_perf_counters(kinds).counter;
  ASSERT_NE(all, nullptr);
  const auto one = open_perf_counters({&page_faults, 1}).counter;
  const std::uint64_t all_before = all->read().misses;
  const std::uint64_t one_before = one->read().misses;
  touch_fresh_pages(100);
  const std::uint64_t faults = one->read().misses - one_before;
  // Each fault counts twice: as a fault, and as minor or major. A few faults happen between the readings.
  EXPECT_GE(all->read().misses - all_before, 2 * faults);
  EXPECT_LE(all->read().misses - all_before, 2 * faults + 20);
}

TEST_F(perf_counters, refuse_what_does_not_exist) {
  constexpr event_code nonsense{.type = PERF_TYPE_SOFTWARE, .config = 12345};
  const perf_opening refused = open_perf_counters({&nonsense, 1});
  EXPECT_EQ(refused.counter, nullptr);
  EXPECT_NE(refused.error_number, 0);
}

TEST(perf_counters_of, no_event_or_too_many_are_refused) {
  EXPECT_EQ(open_perf_counters({}).error_number, EINVAL);
  constexpr event_code many[] = {page_faults, page_faults, page_faults, page_faults};
  EXPECT_NE(open_perf_counters(many).error_number, 0);
}

TEST(live_counting, counts_misses_or_says_why_not) {
  const counter_opening opened = live_miss_counting()->open_for_this_thread();
  if (opened.counter == nullptr) {
    EXPECT_FALSE(opened.refused.why.empty());
    EXPECT_FALSE(opened.refused.remedy.empty());
    GTEST_SKIP() << "skipped: " << opened.refused.why << "; " << opened.refused.remedy;
  }
  EXPECT_FALSE(opened.counted.name.empty());
  EXPECT_GT(opened.counted.line_bytes, 0U);
  const std::uint64_t before = opened.counter->read().misses;
  touch_fresh_pages(4096);  // 16 MiB: more than any private cache
  EXPECT_GT(opened.counter->read().misses, before);
}

TEST(user_mode_read, widens_a_narrow_counter) {
  EXPECT_EQ(widened(5, 48), 5U);
  EXPECT_EQ(widened(0xffff'ffff'fff0, 48), static_cast<std::uint64_t>(-16));
  EXPECT_EQ(widened(~std::uint64_t{0}, 64), ~std::uint64_t{0});
  // The kernel starts a counter below zero and keeps the rest of the value beside it.
  EXPECT_EQ(std::uint64_t{1000} + widened((std::uint64_t{1} << 48) - 990, 48), 10U);
}

}  // namespace
