// A sandbox refuses system calls in several ways. Whichever call it refuses: nothing hangs, and answers are right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "child_program.hpp"

namespace {

using nearfork::test::program_end;
using nearfork::test::run_program;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

program_end confined_run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), NEARFORK_CONFINED_RUN);
  return run_program(arguments, {});
}

class refused_call : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

/// nearfork then works with less.
TEST_P(refused_call, changes_no_answer) {
  const auto& [call, error] = GetParam();
  for (const char* const also : {"planned", "described"}) {
    const program_end end = confined_run({"deny", call, error, also});
    EXPECT_EQ(end.status, 0) << "signal " << end.signal << "\n" << end.output;
    EXPECT_THAT(end.output, HasSubstr("\nright"));
  }
}

INSTANTIATE_TEST_SUITE_P(
    of, refused_call,
    testing::Combine(testing::Values("sched_getaffinity", "sched_setaffinity", "get_mempolicy", "set_mempolicy",
                                     "mbind", "move_pages", "getcpu", "membarrier", "perf_event_open", "madvise",
                                     "mincore", "prctl", "sched_yield"),
                     testing::Values("EPERM", "ENOSYS", "EINVAL")),
    [](const auto& given) { return std::string(std::get<0>(given.param)) + "_" + std::get<1>(given.param); });

class needed_call : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

/// Without the call nothing may be possible. Then nearfork must say so.
TEST_P(needed_call, is_an_error_where_it_is_refused) {
  const auto& [call, error] = GetParam();
  for (const char* const also : {"planned", "described"}) {
    const program_end end = confined_run({"deny", call, error, also});
    EXPECT_THAT(end.status, AnyOf(0, 2)) << "signal " << end.signal << "\n" << end.output;
    EXPECT_THAT(end.output, AnyOf(HasSubstr("\nright"), HasSubstr("refused: nearfork: ")));
  }
}

INSTANTIATE_TEST_SUITE_P(of, needed_call,
                         testing::Combine(testing::Values("processes", "threads", "openat", "mprotect", "sigaltstack"),
                                          testing::Values("EPERM", "ENOSYS", "EINVAL", "EACCES")),
                         [](const auto& given) {
                           return std::string(std::get<0>(given.param)) + "_" + std::get<1>(given.param);
                         });

TEST(refused_affinity, is_on_the_run_report_and_an_error_in_strict_mode) {
  for (const char* const error : {"EPERM", "ENOSYS", "EINVAL"}) {
    const program_end end = confined_run({"deny", "sched_getaffinity", error});
    EXPECT_THAT(end.output, HasSubstr("degradation: the affinity mask is read from /proc"));
    EXPECT_THAT(end.output, HasSubstr("sched_getaffinity: "));
    const program_end strict = confined_run({"deny", "sched_getaffinity", error, "strict"});
    EXPECT_EQ(strict.status, 2) << strict.output;
    EXPECT_THAT(strict.output, HasSubstr("sched_getaffinity: "));
  }
}

/// A mask of one PU is set before the filter. nearfork finds the mask without the call that tells it.
TEST(refused_affinity, leaves_as_many_workers_as_the_mask_allows) {
  const auto one_pu = [] {
    cpu_set_t own;
    if (::sched_getaffinity(0, sizeof own, &own) != 0) ::_exit(125);
    unsigned first = 0;
    while (!CPU_ISSET(first, &own)) ++first;
    CPU_ZERO(&own);
    CPU_SET(first, &own);
    if (::sched_setaffinity(0, sizeof own, &own) != 0) ::_exit(125);
  };
  const program_end end = run_program({NEARFORK_CONFINED_RUN, "deny", "sched_getaffinity", "EPERM"}, {}, one_pu);
  EXPECT_EQ(end.status, 0) << end.output;
  EXPECT_THAT(end.output, HasSubstr("workers: 1\n"));
}

TEST(refused_membarrier, has_owners_in_long_tasks_interrupted_by_signals) {
  const program_end end = confined_run({"deny", "membarrier", "EPERM", "coarse"});
  EXPECT_EQ(end.status, 0) << "signal " << end.signal << "\n" << end.output;
  EXPECT_THAT(end.output, HasSubstr("degradation: workers in long tasks are interrupted by a signal"));
  EXPECT_THAT(end.output, HasSubstr(": membarrier: "));
}

TEST(refused_membarrier, and_signals_leave_private_jobs_to_their_owner) {
  const program_end end = confined_run({"deny", "membarrier", "EPERM", "deny", "rt_tgsigqueueinfo", "EPERM"});
  EXPECT_EQ(end.status, 0) << "signal " << end.signal << "\n" << end.output;
  EXPECT_THAT(end.output, HasSubstr("degradation: jobs of a worker in a long task may have to wait"));
  EXPECT_THAT(end.output, HasSubstr("; signals: "));
}

class hidden_folder : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(hidden_folder, changes_no_answer) {
  std::vector<std::string> words;
  for (const std::string& one : GetParam()) words.insert(words.end(), {"hide", one});
  for (const bool with_affinity : {true, false}) {
    if (!with_affinity) words.insert(words.end(), {"deny", "sched_getaffinity", "EPERM"});
    const program_end end = confined_run(words);
    if (end.status == 77) GTEST_SKIP() << "needs root, for a file system of its own: " << end.output;
    EXPECT_EQ(end.status, 0) << "signal " << end.signal << "\n" << end.output;
  }
}

INSTANTIATE_TEST_SUITE_P(of, hidden_folder,
                         testing::Values(std::vector<std::string>{"/sys"}, std::vector<std::string>{"/proc"},
                                         std::vector<std::string>{"/sys", "/proc"}),
                         [](const auto& given) {
                           return given.param.size() == 2 ? "sys_and_proc" : given.param[0].substr(1);
                         });

}  // namespace
