#include "tools/bench/request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nearfork/error.hpp>

namespace nearfork::tools {
namespace {

using testing::HasSubstr;

std::string refusal(const bench_request& request) {
  try {
    (void)sized_workloads(request);
    check_contenders(request);
    (void)runtime_settings(request, config{});
    return "";
  } catch (const error& refused) {
    return refused.what();
  }
}

TEST(bench_request, takes_the_size_that_names_the_workload_before_the_one_for_all) {
  const auto sized = sized_workloads({.workloads = {"heat", "fib"}, .sizes = {"fib:n=9", "small"}, .iterations = 3});
  ASSERT_EQ(sized.size(), 2U);
  EXPECT_EQ(workloads::size_text(sized[0].what->sizes, sized[0].size), "rows=512 columns=512 iterations=3");
  EXPECT_EQ(workloads::size_text(sized[1].what->sizes, sized[1].size), "n=9 cutoff=1");
}

TEST(bench_request, runs_all_workloads_if_none_is_named) {
  EXPECT_EQ(sized_workloads({}).size(), workloads::all_workloads().size());
}

TEST(bench_request, crosses_policies_with_workers) {
  const auto settings = runtime_settings({.policies = {"all"}, .workers = {"1", "2"}}, config{});
  ASSERT_EQ(settings.size(), 2 * policy_names().size());
  EXPECT_EQ(settings.front().workers, 1U);
  EXPECT_EQ(settings.back().workers, 2U);
  EXPECT_EQ(settings.back().policy, policy_names().back());
}

TEST(bench_request, that_is_wrong_is_refused_with_what_is_allowed) {
  EXPECT_THAT(refusal({.workloads = {"haet"}}), HasSubstr("allowed: heat"));
  EXPECT_THAT(refusal({.workloads = {"heat"}, .sizes = {"fib:small"}}), HasSubstr("does not run"));
  EXPECT_THAT(refusal({.workloads = {"heat"}, .sizes = {"huge"}}), HasSubstr("allowed: default"));
  EXPECT_THAT(refusal({.workloads = {"fib"}, .iterations = 3}), HasSubstr("heat"));
  EXPECT_THAT(refusal({.policies = {"randon"}}), HasSubstr("random"));
  EXPECT_THAT(refusal({.workers = {"many"}}), HasSubstr("0 to 4096"));
  EXPECT_THAT(refusal({.contenders = {"cilk"}}), HasSubstr("allowed: serial, nearfork"));
}

}  // namespace
}  // namespace nearfork::tools
