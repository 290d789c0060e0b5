// What simulated graph programs touch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include <nearfork/error.hpp>

#include "tools/simulated/simulated_workload.hpp"
#include "tools/workload_words.hpp"
#include "workloads/graphs/edge_list.hpp"

namespace nearfork::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A star: all nodes lead to node 2, and node 0 to node 1, too.
std::shared_ptr<const workloads::edge_list> small_graph() {
  return std::make_shared<const workloads::edge_list>(workloads::edge_list{
      .origin = "star", .nodes = 4, .edges = {{0, 2}, {1, 2}, {3, 2}, {0, 1}}, .undirected = false});
}

sim::program simulated_star(std::string_view name, sim::setup_kind setup = sim::setup_kind::none) {
  const auto& what = workloads::find_workload(name);
  return simulated_program(
      what,
      {.size = size_of_workload(name, what.sizes, "test,node_bytes=128"), .setup = setup, .graph = small_graph()});
}

/// The accesses of the only task.
std::vector<sim::data_access> accesses_of(const sim::task_graph& graph) {
  EXPECT_EQ(graph.size(), 1U);
  const auto found = graph.work(tree_root, 0).accesses;
  return {found.begin(), found.end()};
}

constexpr std::uint64_t page = 4096;  // each array begins at one: offsets, targets, readers, records

TEST(simulated_graph, sweeps_the_lists_and_gathers_the_records_that_they_name) {
  const sim::program made = simulated_star("pagerank");
  EXPECT_EQ(made.arrays, (std::vector<sim::data_array>{{0, 40}, {page, 16}, {2 * page, 16}, {3 * page, 512}}));
  EXPECT_EQ(made.input_bytes, 40U + 16 + 16 + 4 * 64);  // of each record one line
  using sim::access_order;
  const auto reads = [](std::uint64_t node, access_order order) {
    return sim::data_access{3 * page + node * 128, 16, sim::access_kind::read, order};
  };
  const auto writes = [](std::uint64_t node) {
    return sim::data_access{3 * page + node * 128, 16, sim::access_kind::write};
  };
  const sim::data_access offsets{0, 40};
  const sim::data_access readers{2 * page, 16};
  EXPECT_THAT(accesses_of(made.graphs.front()),
              ElementsAre(offsets, readers, writes(0), sim::data_access{page, 4}, reads(0, access_order::chain),
                          writes(1), sim::data_access{page + 4, 12}, reads(0, access_order::chain),
                          reads(1, access_order::sweep), reads(3, access_order::sweep), writes(2), writes(3)));
}

TEST(simulated_graph, reads_along_edges_both_ways_for_labels) {
  std::map<std::uint64_t, int> reads;
  for (const sim::data_access& one : accesses_of(simulated_star("components").graphs.front()))
    if (one.begin_byte >= 3 * page && one.kind == sim::access_kind::read) ++reads[(one.begin_byte - 3 * page) / 128];
  EXPECT_EQ(reads, (std::map<std::uint64_t, int>{{0, 2}, {1, 2}, {2, 3}, {3, 1}}));
}

TEST(simulated_graph, has_a_parallel_setup_that_writes_all_data_once) {
  const sim::program made = simulated_star("label-propagation", sim::setup_kind::parallel);
  ASSERT_EQ(made.setup.size(), 1U);
  auto written = accesses_of(made.setup.front());
  std::ranges::sort(written, {}, &sim::data_access::begin_byte);
  ASSERT_EQ(written.size(), made.arrays.size());
  for (std::size_t i = 0; i < written.size(); ++i)
    EXPECT_EQ(written[i],
              (sim::data_access{made.arrays[i].begin_byte, made.arrays[i].size_bytes, sim::access_kind::write}));
}

/// Several tasks: each byte of the data is written by one of them.
TEST(simulated_graph, divides_its_setup_as_its_iterations) {
  const auto& what = workloads::find_workload("pagerank");
  const sim::program made = simulated_program(
      what,
      {.size = size_of_workload("pagerank", what.sizes, "test"), .setup = sim::setup_kind::parallel, .graph = {}});
  EXPECT_TRUE(made.setup.front().tree().same_shape(made.graphs.front().tree()));
  EXPECT_GT(made.setup.front().size(), 4U);
  std::uint64_t written = 0;
  for (std::uint32_t task = 0; task < made.setup.front().size(); ++task)
    for (const sim::data_access& one : made.setup.front().work(tree_node{task}, 0).accesses) written += one.size_bytes;
  EXPECT_EQ(written, made.input_bytes);
}

TEST(simulated_graph, has_no_setup_of_mit_cilk) {
  try {
    (void)simulated_star("pagerank", sim::setup_kind::cilk);
    FAIL() << "nothing was thrown";
  } catch (const error& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("grid programs alone"));
  }
}

}  // namespace
}  // namespace nearfork::tools
