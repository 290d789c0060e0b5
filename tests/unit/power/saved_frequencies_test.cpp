#include "power/saved_frequencies.hpp"

#include <gtest/gtest.h>

#include "fake_cpufreq.hpp"

namespace {

using namespace nearfork;
using test::fake_system;
using test::watched_files;

saved_frequencies two_policies() {
  return {
      .boot = "4f1c-boot",
      .process = 12,
      .policies = {{.number = 0, .way = clock_way::setspeed, .governor = "schedutil", .least_khz = 1, .most_khz = 9},
                   {.number = 7, .way = clock_way::limits, .governor = "powersave", .least_khz = 2, .most_khz = 8}}};
}

TEST(saved_text, is_read_back) {
  EXPECT_EQ(parse_saved(text_of(two_policies())), two_policies());
}

TEST(saved_text, that_was_cut_anywhere_is_refused) {
  const std::string whole = text_of(two_policies());
  for (std::size_t length = 0; length + 1 < whole.size(); ++length)
    EXPECT_EQ(parse_saved(whole.substr(0, length)), std::nullopt) << length;
}

TEST(saved_text, may_name_no_path) {
  std::string text = text_of(two_policies());
  text.replace(text.find("schedutil"), 9, "../../etc");
  EXPECT_EQ(parse_saved(text), std::nullopt);
}

TEST(restoring, leaves_a_governor_alone_that_another_program_chose) {
  const fake_system system;
  system.add_policy(0, "0");
  const watched_files files(system.root());
  const auto writes = writes_that_restore({.number = 0, .way = clock_way::setspeed, .governor = "schedutil"});
  system.put(fake_system::policy_file(0, "scaling_governor"), "performance");
  EXPECT_TRUE(restore(files, writes).empty());
  EXPECT_EQ(system.governor_of(0), "performance");
  system.put(fake_system::policy_file(0, "scaling_governor"), "userspace");
  EXPECT_TRUE(restore(files, writes).empty());
  EXPECT_EQ(system.governor_of(0), "schedutil");
}

TEST(restoring, gives_userspace_its_frequency_back) {
  const auto writes =
      writes_that_restore({.number = 0, .way = clock_way::setspeed, .governor = "userspace", .setspeed_khz = 1400});
  ASSERT_EQ(writes.size(), 1U);
  EXPECT_EQ(writes[0].path, fake_system::policy_file(0, "scaling_setspeed"));
  EXPECT_EQ(writes[0].text, "1400");
}

TEST(restoring, raises_the_highest_limit_first) {
  const auto writes = writes_that_restore({.number = 0, .way = clock_way::limits, .least_khz = 5, .most_khz = 9});
  ASSERT_EQ(writes.size(), 2U);
  EXPECT_EQ(writes[0].text, "9");
  EXPECT_EQ(writes[1].text, "5");
}

}  // namespace
