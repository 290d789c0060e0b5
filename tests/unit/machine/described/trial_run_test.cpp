#include "machine/described/trial_run.hpp"

#include <gtest/gtest.h>

#include <signal.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

#include <nearfork/error.hpp>

#include "machine/described/hwloc_library.hpp"
#include "machine/model/machine.hpp"
#include "tests/runtime_settings.hpp"

namespace {

using namespace nearfork;

void crash() {
  raise(SIGKILL);
}

TEST(trial_run, says_how_it_ended) {
  EXPECT_EQ(try_in_child([] {}, 5), trial_outcome::returned);
  EXPECT_EQ(try_in_child([] { throw std::runtime_error("an answer"); }, 5), trial_outcome::returned);
  EXPECT_EQ(try_in_child(crash, 5), trial_outcome::crashed);
  EXPECT_EQ(try_in_child(
                [] {
                  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
                },
                1),
            trial_outcome::took_too_long);
}

TEST(trial_run, knows_it_also_where_nobody_may_wait_for_children) {
  const auto before = signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(try_in_child([] {}, 5), trial_outcome::returned);
  EXPECT_EQ(try_in_child(crash, 5), trial_outcome::crashed);
  signal(SIGCHLD, before);
}

TEST(ask_child, hands_back_what_was_said) {
  const auto long_text = [] { return std::string(1'000'000, 'x'); };  // more than a pipe holds
  const child_answer said = ask_child(long_text, 5, child_environment::ours);
  EXPECT_EQ(said.outcome, trial_outcome::returned);
  EXPECT_FALSE(said.threw);
  EXPECT_EQ(said.text, long_text());
  const auto fails = []() -> std::string { throw std::runtime_error("an answer"); };
  const child_answer thrown = ask_child(fails, 5, child_environment::ours);
  EXPECT_TRUE(thrown.threw);
  EXPECT_EQ(thrown.text, "an answer");
}

TEST(ask_child, leaves_it_no_variable_of_the_environment) {
  ASSERT_EQ(setenv("NEARFORK_TEST_VARIABLE", "seen", 1), 0);
  const auto look = [] {
    const char* const found = std::getenv("NEARFORK_TEST_VARIABLE");
    return std::string(found != nullptr ? found : "nothing");
  };
  EXPECT_EQ(ask_child(look, 5, child_environment::ours).text, "seen");
  EXPECT_EQ(ask_child(look, 5, child_environment::none).text, "nothing");
  EXPECT_EQ(look(), "seen");
  unsetenv("NEARFORK_TEST_VARIABLE");
}

TEST(ask_child, ends_it_in_time_although_the_caller_blocks_the_signal) {
  sigset_t alarm;
  sigset_t before;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  sigprocmask(SIG_BLOCK, &alarm, &before);
  EXPECT_EQ(try_in_child(
                [] {
                  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
                },
                1),
            trial_outcome::took_too_long);
  sigprocmask(SIG_SETMASK, &before, nullptr);
}

/// Exits with 0 if the machine is refused for the expected reason.
[[noreturn]] void read_without_descriptors() {
  const hwloc_library stays_loaded;  // loading takes a descriptor, too
  const rlimit none{.rlim_cur = 3, .rlim_max = 3};
  if (setrlimit(RLIMIT_NOFILE, &none) != 0) std::exit(3);
  try {
    (void)machine_from_synthetic("core:2 pu:1");
  } catch (const error& refused) {
    std::exit(std::string(refused.what()).find("process of its own") != std::string::npos ? 0 : 1);
  }
  std::exit(2);
}

TEST(trial_run_death_test, that_cannot_be_made_is_an_error_and_no_unprotected_reading) {
  if (test::sanitized) GTEST_SKIP() << "sanitizers need descriptors";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(read_without_descriptors(), testing::ExitedWithCode(0), "");
}

}  // namespace
