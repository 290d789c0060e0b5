#include "sensors/stalls/hardware_stalls.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <set>
#include <string>

namespace {

using namespace nearfork;

/// What names a processor has, and what the kernel opens.
struct fake_stalls {
  std::set<std::string> names;
  std::set<std::uint64_t> refused{};  // by event_code::config
  int hardware_refused = 0;
  std::optional<int> paranoid = 2;
};

class named_events final : public counting_system {
 public:
  explicit named_events(const fake_stalls& what) : what_(what) {}
  std::string cpuinfo() const override { return "vendor_id : GenuineIntel\ncpu family : 6\nmodel : 85\nflags : fpu\n"; }
  std::optional<int> paranoid_level() const override { return what_.paranoid; }
  int try_hardware_counter() const override { return what_.hardware_refused; }
  event_encoding encode(const std::string& event) const override {
    if (!what_.names.contains(event)) return {std::nullopt, {"no such event", "none"}};
    return {event_code{.type = 4, .config = event.size()}, {}};
  }
  perf_opening open(std::span<const event_code>) const override { return {nullptr, ENOSYS}; }

 private:
  const fake_stalls& what_;
};

class fixed_stalls final : public stall_counter {
 public:
  std::optional<std::uint64_t> stalled_ns() noexcept override { return 5; }
};

class opened_events final : public stall_system {
 public:
  explicit opened_events(const fake_stalls& what) : what_(what) {}
  perf_stall_opening open(const event_code& stalled) const override {
    if (what_.refused.contains(stalled.config)) return {nullptr, ENOENT};
    return {std::make_unique<fixed_stalls>(), 0};
  }
  event_code generic_event() const override { return {.type = 0, .config = 8}; }

 private:
  const fake_stalls& what_;
};

stall_opening open_on(const fake_stalls& what) {
  return hardware_stalls(std::make_unique<named_events>(what), std::make_unique<opened_events>(what))
      .open_for_this_thread();
}

TEST(hardware_stalls, counts_what_waits_for_memory_where_the_processor_has_an_event) {
  const stall_opening made = open_on({.names = {"CYCLE_ACTIVITY:STALLS_MEM_ANY"}});
  ASSERT_NE(made.counter, nullptr) << made.refused.why;
  EXPECT_EQ(made.event, "CYCLE_ACTIVITY:STALLS_MEM_ANY");
  EXPECT_EQ(made.counter->stalled_ns(), 5U);
}

TEST(hardware_stalls, else_counts_stalls_of_the_back_end) {
  const stall_opening unknown = open_on({.names = {}});
  ASSERT_NE(unknown.counter, nullptr);
  EXPECT_EQ(unknown.event, "stalled-cycles-backend");
  const std::string name = "EXE_ACTIVITY:BOUND_ON_LOADS";
  EXPECT_EQ(open_on({.names = {name}, .refused = {name.size()}}).event, "stalled-cycles-backend")
      << "the kernel does not open it";
}

TEST(hardware_stalls, says_that_no_event_is_known) {
  const stall_opening made = open_on({.names = {}, .refused = {8}});
  EXPECT_EQ(made.counter, nullptr);
  EXPECT_NE(made.refused.why.find("no event for stalls is known for"), std::string::npos) << made.refused.why;
  EXPECT_FALSE(made.refused.remedy.empty());
}

TEST(hardware_stalls, says_who_refuses_the_counters) {
  const stall_opening made = open_on({.names = {}, .hardware_refused = EACCES, .paranoid = 4});
  EXPECT_EQ(made.counter, nullptr);
  EXPECT_EQ(made.refused.why, "kernel.perf_event_paranoid is 4");
  EXPECT_NE(made.refused.remedy.find("perf_event_paranoid=2"), std::string::npos);
}

/// The machine that runs the tests: it counts, or says why not.
TEST(hardware_stalls, of_this_machine_count_or_say_why_not) {
  const stall_opening made = live_stall_counting()->open_for_this_thread();
  if (made.counter == nullptr) {
    EXPECT_FALSE(made.refused.why.empty());
    EXPECT_FALSE(made.refused.remedy.empty());
    return;
  }
  EXPECT_FALSE(made.event.empty());
  volatile double sum = 0;
  for (int i = 0; i < 1'000'000; ++i) sum = sum + i;
  EXPECT_TRUE(made.counter->stalled_ns().has_value());
}

}  // namespace
