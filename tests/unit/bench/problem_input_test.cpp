#include "tools/bench/problem_input.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include <nearfork/error.hpp>

#include "workloads/graphs/edge_list.hpp"

namespace nearfork::tools {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using workloads::array_setup;
using workloads::instance_input;

instance_input input_for(const bench_request& request) {
  return input_from(request, sized_workloads(request));
}

std::string input_refusal(const bench_request& request) {
  try {
    (void)input_for(request);
    return "";
  } catch (const error& refused) {
    return refused.what();
  }
}

TEST(problem_input, is_plain_memory_that_one_thread_writes_if_nothing_else_is_asked_for) {
  const instance_input made = input_for({.workloads = {"heat"}, .seed = 5});
  EXPECT_EQ(made.seed, 5U);
  EXPECT_EQ(made.arrays.setup, array_setup::serial);
  EXPECT_FALSE(made.arrays.placed.has_value());
  EXPECT_EQ(made.graph, nullptr);
}

TEST(problem_input, takes_setup_and_pages_by_the_words_of_the_simulator) {
  const auto placing_of = [](const std::string& pages) {
    return input_for({.workloads = {"heat"}, .setup = "parallel", .pages = pages}).arrays.placed.value().where;
  };
  EXPECT_EQ(placing_of("follow-plan"), placing::follow_plan());
  EXPECT_EQ(placing_of("interleaved"), placing::interleaved());
  EXPECT_EQ(placing_of("interleaved:0,2"), placing::interleaved_by_weights({{0, 1}, {2, 1}}));
  EXPECT_EQ(placing_of("interleaved-by-bandwidth"), placing::interleaved_by_bandwidth());
  EXPECT_EQ(placing_of("interleaved-by-weights:0=1,4=4"), placing::interleaved_by_weights({{0, 1}, {4, 4}}));
  EXPECT_EQ(placing_of("by-bandwidth"), placing::by_bandwidth());
  EXPECT_EQ(placing_of("by-capacity"), placing::by_capacity());
  EXPECT_EQ(placing_of("by-weights:1=3"), placing::by_weights({{1, 3}}));
  EXPECT_EQ(placing_of("bound:4"), placing::bound_to(4));
  EXPECT_EQ(placing_of("preferred:4"), placing::preferring(4));
  const instance_input plain = input_for({.workloads = {"heat"}, .setup = "parallel", .pages = "first-write"});
  EXPECT_EQ(plain.arrays.setup, array_setup::parallel);
  EXPECT_FALSE(plain.arrays.placed.has_value());
}

TEST(problem_input, that_is_wrong_is_refused_with_what_is_allowed) {
  EXPECT_THAT(input_refusal({.workloads = {"heat"}, .pages = "first-wrote"}), HasSubstr("first-write"));
  for (const char* const simulated_alone : {"bound:0,1", "by-bandwidth:0", "by-capacity:0,1"})
    EXPECT_THAT(input_refusal({.workloads = {"heat"}, .pages = simulated_alone}), HasSubstr("only nearfork sim"));
  EXPECT_THAT(input_refusal({.workloads = {"fib"}, .setup = "parallel"}),
              AllOf(HasSubstr("--setup"), HasSubstr("heat"), HasSubstr("pagerank"), Not(HasSubstr("fib"))));
  EXPECT_THAT(input_refusal({.workloads = {"fib"}, .pages = "follow-plan"}), HasSubstr("--pages"));
  EXPECT_THAT(input_refusal({.workloads = {"heat"}, .graph = "g.mtx"}),
              AllOf(HasSubstr("--graph"), HasSubstr("pagerank"), Not(HasSubstr("heat"))));
  EXPECT_THAT(input_refusal({.workloads = {"heat", "pagerank"}, .graph = "/no/such.mtx"}), HasSubstr("/no/such.mtx"));
}

TEST(problem_input, says_what_makes_an_instance_beside_its_size) {
  const std::string path = testing::TempDir() + "/problem_input_test." + std::to_string(::getpid());
  std::ofstream(path) << "0 1\n";
  const bench_request request{.workloads = {"components", "fib"},
                              .sizes = {"test"},
                              .setup = "parallel",
                              .pages = "interleaved",
                              .graph = path};
  const auto sized = sized_workloads(request);
  const instance_input input = input_from(request, sized);
  (void)std::remove(path.c_str());
  EXPECT_EQ(input.graph->nodes, 2U);
  EXPECT_THAT(problem_text(sized[0], request, input),
              StartsWith("node_bytes=40 iterations=3, graph " + path +
                         " (2 nodes, 1 edge), setup parallel, pages interleaved"));
  EXPECT_THAT(problem_text(sized[1], request, input), Not(HasSubstr("graph")));
}

}  // namespace
}  // namespace nearfork::tools
