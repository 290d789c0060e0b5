#include "sensors/miss_events.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/privileged.hpp"
#include "sensors/libpfm.hpp"

namespace {

using namespace nearfork;

cpu_model model(std::string vendor, unsigned family, unsigned number) {
  return {.vendor = std::move(vendor), .family = family, .model = number};
}

TEST(miss_events, are_known_for_the_machines_of_the_papers) {
  const miss_event_row* const opteron_8380 = miss_events_of(model("AuthenticAMD", 0x10, 4));
  ASSERT_NE(opteron_8380, nullptr);
  EXPECT_EQ(opteron_8380->events[0], "L2_CACHE_MISS:DATA:HW_PREFETCH_FROM_DC");
  EXPECT_EQ(opteron_8380->line_bytes, 64U);
  for (const cpu_model& which :
       {model("GenuineIntel", 6, 46), model("GenuineIntel", 6, 87), model("AuthenticAMD", 0x15, 1)})
    EXPECT_NE(miss_events_of(which), nullptr) << text_of(which);
}

TEST(miss_events, tell_zen_3_from_zen_4) {
  const auto* const zen3 = miss_events_of(model("AuthenticAMD", 0x19, 0x01));
  const auto* const zen4 = miss_events_of(model("AuthenticAMD", 0x19, 0x11));
  ASSERT_TRUE(zen3 != nullptr && zen4 != nullptr);
  EXPECT_NE(zen3, zen4);
  EXPECT_EQ(miss_events_of(model("AuthenticAMD", 0x19, 0x21)), zen3);                  // Vermeer
  EXPECT_EQ(miss_events_of(model("AuthenticAMD", 0x19, 0xa0))->events, zen4->events);  // Bergamo
}

TEST(miss_events, are_not_guessed) {
  EXPECT_EQ(miss_events_of(model("GenuineIntel", 6, 23)), nullptr) << "Core 2: the L2 is shared";
  EXPECT_EQ(miss_events_of(model("GenuineIntel", 6, 151)), nullptr) << "Alder Lake: cores of two kinds";
  EXPECT_EQ(miss_events_of({}), nullptr);
  cpu_model mixed = model("0x41", 8, 0xd0c);
  EXPECT_NE(miss_events_of(mixed), nullptr);
  mixed.several_kinds = true;
  EXPECT_EQ(miss_events_of(mixed), nullptr);
}

TEST(miss_events, have_each_an_event_a_line_and_a_source) {
  for (const miss_event_row& row : miss_event_table()) {
    EXPECT_FALSE(row.events[0].empty()) << row.vendor << ' ' << row.first_model;
    EXPECT_LE(row.first_model, row.last_model);
    EXPECT_TRUE(row.line_bytes == 64 || row.line_bytes == 256);
    EXPECT_FALSE(row.source.empty());
  }
}

/// The names that libpfm 4.13 gives to the processors of the table. libpfm 4.13 lacks Emerald and Granite Rapids and
/// Zen 5; only its builds for Arm have the processors of Arm.
struct known_pmu {
  const char* name;
  cpu_model which;
};
const std::vector<known_pmu>& pmus() {
  static const std::vector<known_pmu> all{
      {"nhm", model("GenuineIntel", 6, 26)},
      {"nhm", model("GenuineIntel", 6, 30)},
      {"nhm_ex", model("GenuineIntel", 6, 46)},
      {"wsm", model("GenuineIntel", 6, 37)},
      {"wsm_dp", model("GenuineIntel", 6, 44)},
      {"wsm_dp", model("GenuineIntel", 6, 47)},
      {"snb", model("GenuineIntel", 6, 42)},
      {"snb_ep", model("GenuineIntel", 6, 45)},
      {"ivb", model("GenuineIntel", 6, 58)},
      {"ivb_ep", model("GenuineIntel", 6, 62)},
      {"hsw", model("GenuineIntel", 6, 60)},
      {"hsw", model("GenuineIntel", 6, 69)},
      {"hsw_ep", model("GenuineIntel", 6, 63)},
      {"bdw", model("GenuineIntel", 6, 61)},
      {"bdw", model("GenuineIntel", 6, 71)},
      {"bdw_ep", model("GenuineIntel", 6, 79)},
      {"bdw_ep", model("GenuineIntel", 6, 86)},
      {"skl", model("GenuineIntel", 6, 78)},
      {"skl", model("GenuineIntel", 6, 94)},
      {"skl", model("GenuineIntel", 6, 142)},
      {"skl", model("GenuineIntel", 6, 158)},
      {"skl", model("GenuineIntel", 6, 165)},
      {"skx", model("GenuineIntel", 6, 85)},
      {"clx", model("GenuineIntel", 6, 85)},
      {"icx", model("GenuineIntel", 6, 106)},
      {"icl", model("GenuineIntel", 6, 108)},
      {"icl", model("GenuineIntel", 6, 125)},
      {"icl", model("GenuineIntel", 6, 140)},
      {"icl", model("GenuineIntel", 6, 167)},
      {"spr", model("GenuineIntel", 6, 143)},
      {"knl", model("GenuineIntel", 6, 87)},
      {"knm", model("GenuineIntel", 6, 133)},
      {"amd64_fam10h_barcelona", model("AuthenticAMD", 0x10, 2)},
      {"amd64_fam10h_shanghai", model("AuthenticAMD", 0x10, 4)},
      {"amd64_fam10h_istanbul", model("AuthenticAMD", 0x10, 8)},
      {"amd64_fam15h_interlagos", model("AuthenticAMD", 0x15, 1)},
      {"amd64_fam17h_zen1", model("AuthenticAMD", 0x17, 1)},
      {"amd64_fam17h_zen2", model("AuthenticAMD", 0x17, 49)},
      {"amd64_fam19h_zen3", model("AuthenticAMD", 0x19, 1)},
      {"amd64_fam19h_zen4", model("AuthenticAMD", 0x19, 0x11)},
  };
  return all;
}

TEST(miss_events, of_rows_for_x86_are_each_tried_below) {
  std::set<const miss_event_row*> tried;
  for (const known_pmu& one : pmus()) tried.insert(miss_events_of(one.which));
  for (const miss_event_row& row : miss_event_table()) {
    const bool is_newer =
        (row.vendor == "GenuineIntel" && (row.first_model == 207 || row.first_model == 173)) || row.family == 0x1a;
    // Zen 4 has two ranges of models with one row of events.
    const bool is_second_range = row.family == 0x19 && row.first_model == 0x60;
    if (row.vendor.starts_with("0x") || is_newer || is_second_range) continue;
    EXPECT_TRUE(tried.contains(&row)) << row.vendor << ' ' << row.family << ' ' << row.first_model;
  }
}

/// libpfm4 encodes events of machines that it does not run on, if it is told to before it starts.
TEST(miss_events, are_all_known_to_libpfm4) {
  ::setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
  if (const event_encoding some = encode_by_libpfm("skl::L2_LINES_IN:ALL"); !some.code)
    GTEST_SKIP() << "skipped: " << some.refused.why;
  for (const known_pmu& one : pmus())
    for (const std::string_view event : miss_events_of(one.which)->events) {
      if (event.empty()) continue;
      const event_encoding encoded = encode_by_libpfm(std::string(one.name) + "::" + std::string(event));
      EXPECT_TRUE(encoded.code) << text_of(one.which) << ": " << encoded.refused.why;
      EXPECT_NE(encoded.code.value_or(event_code{}).config, 0U) << event;
    }
}

TEST(libpfm, encodes_the_event_of_the_opteron_8380_as_its_manual_does) {
  ::setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
  const event_encoding encoded = encode_by_libpfm("amd64_fam10h_shanghai::L2_CACHE_MISS:DATA:HW_PREFETCH_FROM_DC");
  if (!encoded.code) GTEST_SKIP() << "skipped: " << encoded.refused.why;
  EXPECT_EQ(encoded.code->config, 0x0a7eU) << "unit masks 02h and 08h of event 07Eh";
}

/// There a child process asks libpfm4, and no variable of the environment reaches the child.
TEST(libpfm, says_the_same_in_a_privileged_process) {
  for (const char* const event : {"perf::PERF_COUNT_HW_CACHE_MISSES", "NO_SUCH_EVENT"}) {
    const event_encoding own = encode_by_libpfm(event);
    const pretended_privileges privileged;
    const event_encoding by_child = encode_by_libpfm(event);
    EXPECT_EQ(by_child.code, own.code) << event;
    EXPECT_EQ(by_child.refused.why, own.refused.why);
    EXPECT_EQ(by_child.refused.remedy, own.refused.remedy);
  }
}

TEST(libpfm, says_what_it_does_not_know) {
  const event_encoding encoded = encode_by_libpfm("NO_SUCH_EVENT");
  EXPECT_FALSE(encoded.code);
  EXPECT_FALSE(encoded.refused.why.empty());
  EXPECT_FALSE(encoded.refused.remedy.empty());
}

}  // namespace
