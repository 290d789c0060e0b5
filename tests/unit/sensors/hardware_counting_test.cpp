#include "sensors/hardware_counting.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <map>

namespace {

using namespace nearfork;

constexpr const char* zen2 = "vendor_id : AuthenticAMD\ncpu family : 23\nmodel : 49\nflags : fpu\n";
constexpr const char* skylake = "vendor_id : GenuineIntel\ncpu family : 6\nmodel : 85\nflags : fpu\n";

class fixed_counter final : public miss_counter {
 public:
  miss_reading read() noexcept override { return {7, true}; }
};

/// A system where everything works, until a test takes something away.
struct fake_counting {
  std::string cpuinfo = zen2;
  std::optional<int> paranoid_level = 2;
  int hardware_refused = 0;
  int open_refused = 0;
  std::string encode_refused;
  unsigned openings = 0;
  std::vector<std::string> encoded;
  std::vector<event_code> opened;
};

class faked final : public counting_system {
 public:
  explicit faked(fake_counting& what) : what_(what) {}
  std::string cpuinfo() const override { return what_.cpuinfo; }
  std::optional<int> paranoid_level() const override { return what_.paranoid_level; }
  int try_hardware_counter() const override { return what_.hardware_refused; }
  event_encoding encode(const std::string& event) const override {
    if (!what_.encode_refused.empty()) return {std::nullopt, {what_.encode_refused, "install it"}};
    what_.encoded.push_back(event);
    return {event_code{.type = 4, .config = what_.encoded.size()}, {}};
  }
  perf_opening open(std::span<const event_code> events) const override {
    ++what_.openings;
    what_.opened.assign(events.begin(), events.end());
    if (what_.open_refused != 0) return {nullptr, what_.open_refused};
    return {std::make_unique<fixed_counter>(), 0};
  }

 private:
  fake_counting& what_;
};

counter_opening open_on(fake_counting& what) {
  return hardware_counting(std::make_unique<faked>(what)).open_for_this_thread();
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(hardware_counting, counts_the_sum_of_the_events_of_the_processor) {
  fake_counting what;
  const counter_opening made = open_on(what);
  ASSERT_NE(made.counter, nullptr) << made.refused.why;
  EXPECT_EQ(made.counter->read().misses, 7U);
  EXPECT_EQ(made.counted.line_bytes, 64U);
  EXPECT_EQ(
      made.counted.name,
      "CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:LS_RD_BLK_C + L2_PREFETCH_HIT_L3:ANY + L2_PREFETCH_MISS_L3:ANY");
  EXPECT_EQ(what.opened, (std::vector<event_code>{{4, 1}, {4, 2}, {4, 3}}));
}

TEST(hardware_counting, looks_up_the_event_once_for_all_threads) {
  fake_counting what;
  what.cpuinfo = skylake;
  const hardware_counting counting(std::make_unique<faked>(what));
  for (int i = 0; i < 3; ++i) EXPECT_NE(counting.open_for_this_thread().counter, nullptr);
  EXPECT_EQ(what.encoded, std::vector<std::string>{"L2_LINES_IN:ALL"});
  EXPECT_EQ(what.openings, 3U);
}

struct refusal_case {
  const char* name;
  void (*take_away)(fake_counting&);
  const char* why;
  const char* remedy;
};
void PrintTo(const refusal_case& one, std::ostream* out) {
  *out << one.name;
}

class counting_refused : public testing::TestWithParam<refusal_case> {};

TEST_P(counting_refused, says_why_and_what_to_do) {
  fake_counting what;
  GetParam().take_away(what);
  const counter_opening made = open_on(what);
  EXPECT_EQ(made.counter, nullptr);
  EXPECT_TRUE(holds(made.refused.why, GetParam().why)) << made.refused.why;
  EXPECT_TRUE(holds(made.refused.remedy, GetParam().remedy)) << made.refused.remedy;
}

INSTANTIATE_TEST_SUITE_P(
    each_reason, counting_refused,
    testing::Values(
        refusal_case{"paranoid",
                     [](fake_counting& on) {
                       on.hardware_refused = EACCES;
                       on.paranoid_level = 3;
                     },
                     "kernel.perf_event_paranoid is 3",
                     "sysctl kernel.perf_event_paranoid=2, or give the program CAP_PERFMON"},
        refusal_case{"seccomp", [](fake_counting& on) { on.hardware_refused = EPERM; }, "seccomp", "--cap-add PERFMON"},
        refusal_case{"no paranoid file",
                     [](fake_counting& on) {
                       on.hardware_refused = EPERM;
                       on.paranoid_level = {};
                     },
                     "seccomp", "--cap-add PERFMON"},
        refusal_case{"no syscall", [](fake_counting& on) { on.hardware_refused = ENOSYS; }, "no perf_event_open",
                     "CONFIG_PERF_EVENTS"},
        refusal_case{"no counters", [](fake_counting& on) { on.hardware_refused = ENOENT; },
                     "no hardware counters here", "real hardware"},
        refusal_case{"virtual machine",
                     [](fake_counting& on) {
                       on.hardware_refused = ENOENT;
                       on.cpuinfo = "vendor_id : AuthenticAMD\nflags : hypervisor\n";
                     },
                     "this virtual machine has no hardware counters", "pmu=on"},
        refusal_case{"files of the thread that tries", [](fake_counting& on) { on.open_refused = EMFILE; },
                     "no file descriptor is left", "ulimit -n"},
        refusal_case{"busy", [](fake_counting& on) { on.open_refused = EBUSY; }, "another program holds the counters",
                     "perf"},
        refusal_case{"event refused", [](fake_counting& on) { on.open_refused = EINVAL; }, "does not take the event",
                     "nmi_watchdog"},
        refusal_case{"unforeseen", [](fake_counting& on) { on.open_refused = EIO; }, "errno 5", "perf_event_open(2)"},
        refusal_case{"unknown processor",
                     [](fake_counting& on) { on.cpuinfo = "vendor_id : GenuineIntel\ncpu family : 6\nmodel : 23\n"; },
                     "no event known for GenuineIntel family 6 model 23", "miss_events.cpp"},
        refusal_case{"no processor", [](fake_counting& on) { on.cpuinfo.clear(); }, "no event known for a processor",
                     "miss_events.cpp"},
        refusal_case{"several kinds",
                     [](fake_counting& on) {
                       on.cpuinfo =
                           "CPU implementer : 0x41\nCPU part : 0xd0c\n\nCPU implementer : 0x41\nCPU part : 0xd05\n";
                     },
                     "several kinds", "one kind"},
        refusal_case{"no libpfm4", [](fake_counting& on) { on.encode_refused = "libpfm4 is not installed"; },
                     "libpfm4 is not installed", "install it"}));

TEST(hardware_counting, names_what_forbids_all_counting_first) {
  fake_counting what;
  what.hardware_refused = EACCES;
  what.paranoid_level = 4;
  what.encode_refused = "libpfm4 is not installed";
  EXPECT_TRUE(holds(open_on(what).refused.why, "perf_event_paranoid is 4"));
  EXPECT_TRUE(what.encoded.empty());
  EXPECT_EQ(what.openings, 0U);
}

TEST(hardware_counting, tries_again_where_another_thread_ran_out_of_files) {
  fake_counting what;
  what.hardware_refused = EMFILE;
  EXPECT_NE(open_on(what).counter, nullptr);
}

}  // namespace
