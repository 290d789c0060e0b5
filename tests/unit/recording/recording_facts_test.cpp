// Recordings whose facts are impossible.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "recording/recording_bounds.hpp"
#include "recording/recording_file.hpp"
#include "unit/recording/small_recording.hpp"

namespace nearfork::recordings {
namespace {

struct impossible {
  const char* what;
  std::function<void(recording&)> change;
  std::vector<std::string> said;
};

/// A root with a fork of one child, with the given times.
task_graph graph_of_times(std::uint64_t root_ns, std::uint64_t child_ns) {
  task_graph graph;
  graph.add_task(std::vector<std::uint32_t>{1});
  graph.add_stretch(root_ns, {});
  graph.add_stretch(0, {});
  graph.add_task({});
  graph.add_stretch(child_ns, {});
  return graph;
}

task_graph graph_of_access(const data_access& one) {
  task_graph graph;
  graph.add_task({});
  graph.add_stretch(1, std::span(&one, 1));
  return graph;
}

constexpr std::uint64_t half = number_limit / 2;

const std::vector<impossible> impossible_facts{
    {"iteration 0",
     [](recording& made) { made.regions[0].recorded[0].number = 0; },
     {"\"r\"", "iteration 0", "from 1"}},
    {"iteration beyond",
     [](recording& made) { made.regions[0].recorded[0].number = 4; },
     {"\"r\"", "iteration 4 of 3", "contradicts itself"}},
    {"iteration twice",
     [](recording& made) { made.regions[0].recorded.push_back(made.regions[0].recorded[0]); },
     {"\"r\"", "iteration 2 twice"}},
    {"one of zero", [](recording& made) { made.regions[0].iterations = 0; }, {"\"r\"", "1 recorded iteration of 0"}},
    {"no workers", [](recording& made) { made.workers = 0; }, {"0 workers"}},
    {"many workers", [](recording& made) { made.workers = number_limit; }, {"number of workers", "4294967295"}},
    {"many left out", [](recording& made) { made.left_out = number_limit + 1; }, {"left out", "more than"}},
    {"many iterations",
     [](recording& made) { made.regions[0].iterations = ~std::uint64_t{0}; },
     {"iterations of a region"}},
    {"large input", [](recording& made) { made.regions[0].input_bytes = number_limit + 1; }, {"input of a region"}},
    {"duration", [](recording& made) { made.regions[0].recorded[0].duration_ns = number_limit + 1; }, {"duration"}},
    {"sum of durations",
     [](recording& made) {
       made.regions[0].recorded = {{1, half, graph_of_times(1, 1)}, {2, half + 1, graph_of_times(1, 1)}};
     },
     {"\"r\"", "number 2", "146 years"}},
    {"time",
     [](recording& made) { made.regions[0].recorded[0].graph = graph_of_times(number_limit + 1, 0); },
     {"time"}},
    {"sum of times",
     [](recording& made) { made.regions[0].recorded[0].graph = graph_of_times(half + 1, half); },
     {"work more than", "146 years"}},
    {"sum that wraps",
     [](recording& made) {
       made.regions[0].recorded = {
           {1, 1, graph_of_times(half, 0)}, {2, 1, graph_of_times(half, 0)}, {3, 1, graph_of_times(1, 0)}};
     },
     {"work more than"}},
    {"sum of accesses",
     [](recording& made) {
       made.regions[0].recorded[0].graph =
           graph_of_access({.begin_byte = 0, .size_bytes = 1000, .count = number_limit / 1000 + 1, .stride_bytes = 0});
     },
     {"touch more than"}},
    {"many pieces",
     [](recording& made) {
       made.regions[0].recorded[0].graph =
           graph_of_access({.begin_byte = 0, .size_bytes = 1, .count = number_limit + 1, .stride_bytes = 0});
     },
     {"pieces of an access"}},
    {"an end that wraps",
     [](recording& made) {
       made.regions[0].recorded[0].graph =
           graph_of_access({.begin_byte = 0, .size_bytes = 8, .count = 5, .stride_bytes = number_limit});
     },
     {"outside its data block"}},
    {"a beginning below 0",
     [](recording& made) {
       made.regions[0].recorded[0].graph = graph_of_access({.begin_byte = ~std::uint64_t{0}, .size_bytes = 2});
     },
     {"outside its data block"}},
    {"all data",
     [](recording& made) { made.blocks = {{"grid", half}, {"other", half + 1}}; },
     {"up to \"other\"", "more than"}},
};

TEST(recording_file, refuses_facts_that_contradict_each_other_and_sums_that_overflow) {
  ASSERT_EQ(complaint(to_bytes(small_recording())), "");
  for (const impossible& one : impossible_facts) {
    SCOPED_TRACE(one.what);
    recording made = small_recording();
    one.change(made);
    const std::string said = complaint(to_bytes(made));
    expect_says(said, {"nearfork: recording g.nfg, byte ", "record it again"});
    expect_says(said, one.said);
  }
}

TEST(recording_file, has_room_up_to_its_limits) {
  recording made = small_recording();
  made.workers = ~std::uint32_t{0};
  made.left_out = number_limit;
  made.blocks = {{"grid", number_limit - 1}, {"grid", 1}, {"", 0}};
  made.regions[0].input_bytes = number_limit;
  made.regions[0].iterations = number_limit;
  made.regions[0].recorded = {
      {number_limit, number_limit, graph_of_times(number_limit - 1, 0)},
      {1, 0,
       graph_of_access({.begin_byte = number_limit - 2, .size_bytes = 1, .count = number_limit, .stride_bytes = 0})}};
  EXPECT_EQ(complaint(to_bytes(made)), "");
  EXPECT_EQ(from_bytes(to_bytes(made), "g.nfg"), made);
}

}  // namespace
}  // namespace nearfork::recordings
