#include "power/frequency_control.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "fake_cpufreq.hpp"
#include "power/frequency_restoring.hpp"

namespace {

using namespace nearfork;
using test::fake_system;
using test::watched_files;
using written_pairs = std::vector<std::pair<std::string, std::string>>;

const std::vector<std::vector<unsigned>> two_cores{{0}, {1}};

class controlled : public testing::Test {
 protected:
  controlled() : files(std::make_shared<watched_files>(system.root())) {
    system.add_policy(0, "0");
    system.add_policy(1, "1");
  }
  [[nodiscard]] control_opening open() const { return open_frequencies(files, two_cores); }
  [[nodiscard]] std::string state() const {
    for (const std::string& folder : state_folders(*live_system_files()))
      if (std::filesystem::exists(system.root() + folder)) return system.get(folder + "/frequencies");
    return "no file";
  }

  fake_system system;
  std::shared_ptr<watched_files> files;
};

TEST_F(controlled, clocks_start_at_the_normal_one_and_are_restored) {
  {
    const control_opening opened = open();
    ASSERT_NE(opened.control, nullptr);
    EXPECT_TRUE(opened.refused.empty());
    EXPECT_EQ(system.governor_of(0), "userspace");
    EXPECT_EQ(system.setting_of(1), "1800000");
    EXPECT_NE(state().find("governor schedutil"), std::string::npos);
  }
  EXPECT_EQ(system.governor_of(0), "schedutil");
  EXPECT_EQ(system.governor_of(1), "schedutil");
  EXPECT_EQ(state(), "");
}

TEST_F(controlled, nothing_is_set_before_the_state_file_says_how_to_undo_it) {
  files->refuse_to_write[fake_system::policy_file(0, "scaling_governor")] = EINVAL;
  const control_opening opened = open();
  EXPECT_EQ(opened.control, nullptr);
  ASSERT_EQ(opened.refused.size(), 1U);
  EXPECT_EQ(opened.refused[0].where, fake_system::policy_file(0, "scaling_governor"));
  EXPECT_EQ(system.governor_of(1), "schedutil");
}

TEST_F(controlled, clocks_are_lowered_before_others_are_raised) {
  const control_opening opened = open();
  files->written.clear();
  opened.control->set(std::vector<std::uint32_t>{2'600'000, 1'000'000});
  EXPECT_EQ(files->written, (written_pairs{{fake_system::policy_file(1, "scaling_setspeed"), "1000000"},
                                           {fake_system::policy_file(0, "scaling_setspeed"), "2600000"}}));
  files->written.clear();
  opened.control->set(std::vector<std::uint32_t>{2'600'000, 1'000'000});
  EXPECT_TRUE(files->written.empty());
}

TEST_F(controlled, limits_never_cross) {
  system.add_policy_without_userspace(0, "0");
  system.add_policy_without_userspace(1, "1");
  {
    const control_opening opened = open();
    ASSERT_NE(opened.control, nullptr);
    EXPECT_EQ(system.governor_of(0), "powersave");
    files->written.clear();
    opened.control->set(std::vector<std::uint32_t>{2'500'000, 1'500'000});
    EXPECT_EQ(files->written, (written_pairs{{fake_system::policy_file(1, "scaling_min_freq"), "1500000"},
                                             {fake_system::policy_file(1, "scaling_max_freq"), "1500000"},
                                             {fake_system::policy_file(0, "scaling_max_freq"), "2500000"},
                                             {fake_system::policy_file(0, "scaling_min_freq"), "2500000"}}));
  }
  EXPECT_EQ(system.get(fake_system::policy_file(0, "scaling_min_freq")), "1000000");
  EXPECT_EQ(system.get(fake_system::policy_file(0, "scaling_max_freq")), "2600000");
}

TEST_F(controlled, each_file_that_is_refused_has_one_line_and_nothing_is_written) {
  for (const int refused : {EACCES, EROFS, ENOENT})
    for (const char* const file : {"scaling_governor", "scaling_setspeed"}) {
      files->refuse_to_open = {{fake_system::policy_file(0, file), refused},
                               {fake_system::policy_file(1, file), refused}};
      files->written.clear();
      const control_opening opened = open();
      EXPECT_EQ(opened.control, nullptr);
      ASSERT_EQ(opened.refused.size(), 1U) << file;
      EXPECT_EQ(opened.refused[0].where, fake_system::policy_file(0, file) + " and 1 other");
      EXPECT_FALSE(opened.refused[0].remedy.empty());
      EXPECT_TRUE(files->written.empty());
    }
}

TEST_F(controlled, a_file_that_cannot_be_read_has_one_line) {
  for (const char* const file : {"affected_cpus", "scaling_governor", "scaling_min_freq", "scaling_max_freq"}) {
    files->refuse_to_read = {{fake_system::policy_file(0, file), EACCES}};
    const control_opening opened = open();
    EXPECT_EQ(opened.control, nullptr);
    ASSERT_EQ(opened.refused.size(), 1U) << file;
    EXPECT_EQ(opened.refused[0].where, fake_system::policy_file(0, file));
  }
}

TEST_F(controlled, a_second_control_is_refused_while_the_first_lives) {
  control_opening first = open();
  ASSERT_NE(first.control, nullptr);
  const control_opening second = open();
  EXPECT_EQ(second.control, nullptr);
  ASSERT_EQ(second.refused.size(), 1U);
  EXPECT_EQ(second.refused[0].why, "another runtime of this process sets them");
  first.control.reset();
  EXPECT_NE(open().control, nullptr);
}

TEST_F(controlled, a_governor_that_another_program_chose_is_told_and_kept) {
  {
    const control_opening opened = open();
    system.put(fake_system::policy_file(0, "scaling_governor"), "performance");
    files->refuse_to_write[fake_system::policy_file(0, "scaling_setspeed")] = EINVAL;  // as the kernel does then
    opened.control->set(std::vector<std::uint32_t>{2'600'000, 1'000'000});
    const auto told = opened.control->shortfalls();
    ASSERT_EQ(told.size(), 1U);
    EXPECT_NE(told[0].why.find("\"performance\""), std::string::npos);
    EXPECT_EQ(system.setting_of(1), "1000000");
  }
  EXPECT_EQ(system.governor_of(0), "performance");
  EXPECT_EQ(system.governor_of(1), "schedutil");
}

TEST_F(controlled, a_write_that_is_refused_later_is_told_once) {
  const control_opening opened = open();
  files->refuse_to_write[fake_system::policy_file(0, "scaling_setspeed")] = EBUSY;
  opened.control->set(std::vector<std::uint32_t>{2'600'000, 1'800'000});
  opened.control->set(std::vector<std::uint32_t>{1'000'000, 1'800'000});
  ASSERT_EQ(opened.control->shortfalls().size(), 1U);
  EXPECT_EQ(opened.control->shortfalls()[0].where, fake_system::policy_file(0, "scaling_setspeed"));
}

TEST_F(controlled, cores_without_a_clock_are_told_and_the_others_are_set) {
  system.put(fake_system::policy_file(1, "affected_cpus"), "");
  const control_opening opened = open();
  ASSERT_NE(opened.control, nullptr);
  ASSERT_EQ(opened.refused.size(), 1U);
  EXPECT_EQ(opened.refused[0].where, "CPUs 1");
  EXPECT_EQ(opened.control->units().size(), 1U);
}

TEST_F(controlled, a_policy_of_several_cpus_is_noted) {
  system.remove(fake_system::policy_file(1, ""));
  system.put(fake_system::policy_file(0, "affected_cpus"), "0 1 2");
  const control_opening opened = open();
  ASSERT_NE(opened.control, nullptr);
  ASSERT_EQ(opened.notes.size(), 1U);
  EXPECT_EQ(
      opened.notes[0],
      "CPUs 0, 1, 2 have one clock: the fastest wish wins, and CPUs that are not ours keep it at the normal clock or "
      "above");
}

TEST_F(controlled, what_a_killed_program_left_is_undone_before_it_is_taken_for_the_users) {
  const std::string folder = state_folders(*live_system_files()).front();
  std::filesystem::create_directories(system.root() + folder);
  std::filesystem::permissions(system.root() + folder, std::filesystem::perms::owner_all);
  system.put(
      folder + "/frequencies",
      text_of(saved_frequencies{.boot = "4f1c-boot",
                                .process = 1,
                                .policies = {{.number = 0, .way = clock_way::setspeed, .governor = "schedutil"}}}));
  std::filesystem::permissions(system.root() + folder + "/frequencies",
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  system.put(fake_system::policy_file(0, "scaling_governor"), "userspace");
  {
    const control_opening opened = open();
  }
  EXPECT_EQ(system.governor_of(0), "schedutil");
}

TEST_F(controlled, doctor_finds_nothing_where_all_was_restored) {
  {
    const control_opening opened = open();
  }
  for (const restoring_result& one : restore_frequencies(*files)) EXPECT_EQ(one.state, restoring_state::nothing);
}

TEST_F(controlled, doctor_refuses_a_damaged_state_file_and_writes_nothing) {
  {
    const control_opening opened = open();
  }
  const std::string folder = state_folders(*live_system_files()).front();
  system.put(folder + "/frequencies", "nearfork frequencies 1\nboot x");
  files->written.clear();
  const auto results = restore_frequencies(*files);
  EXPECT_EQ(results.front().state, restoring_state::refused);
  EXPECT_TRUE(files->written.empty());
}

TEST_F(controlled, doctor_believes_no_folder_that_others_may_write) {
  {
    const control_opening opened = open();
  }
  const std::string folder = system.root() + state_folders(*live_system_files()).front();
  std::filesystem::permissions(folder, std::filesystem::perms::all);
  const auto results = restore_frequencies(*files);
  EXPECT_EQ(results.front().state, restoring_state::refused);
}

TEST_F(controlled, doctor_forgets_what_was_set_before_the_system_started_anew) {
  {
    const control_opening opened = open();
  }
  const std::string folder = state_folders(*live_system_files()).front();
  system.put(
      folder + "/frequencies",
      text_of(saved_frequencies{.boot = "another",
                                .process = 1,
                                .policies = {{.number = 0, .way = clock_way::setspeed, .governor = "schedutil"}}}));
  system.put(fake_system::policy_file(0, "scaling_governor"), "userspace");
  EXPECT_EQ(restore_frequencies(*files).front().state, restoring_state::nothing);
  EXPECT_EQ(system.governor_of(0), "userspace");
  EXPECT_EQ(state(), "");
}

}  // namespace
