#include "tools/advice/recorded_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "unit/tools/report/sample_files.hpp"

namespace nearfork::tools {
namespace {

using sample_files::flat_recording;

TEST(recorded_data, parts_that_end_within_a_line_are_shared) {
  const auto shared = data_evidence_of(flat_recording(4, 10, 96));  // three lines for each two parts
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->shared_block, "data");
  EXPECT_EQ(shared->written_lines, 6U);
  EXPECT_EQ(shared->shared_lines, 2U);
}

TEST(recorded_data, parts_of_whole_lines_are_not_shared) {
  const auto apart = data_evidence_of(flat_recording(4, 10, 128));
  ASSERT_TRUE(apart);
  EXPECT_EQ(apart->written_lines, 8U);
  EXPECT_EQ(apart->shared_lines, 0U);
}

/// Four leaves of 10 ns, each of which declares 96 bytes: two lines.
TEST(recorded_data, writers_have_the_time_and_the_lines_that_they_declare) {
  const auto quick = data_evidence_of(flat_recording(4, 10, 96));
  ASSERT_TRUE(quick);
  EXPECT_EQ(quick->writers_ns, 40);
  EXPECT_EQ(quick->writers_lines, 8);
  EXPECT_TRUE(quick->is_one_pass());
  const auto slow = data_evidence_of(flat_recording(4, 100'000, 96));
  ASSERT_TRUE(slow);
  EXPECT_FALSE(slow->is_one_pass()) << "50 us a line";
}

TEST(recorded_data, larger_leaves_keep_all_work_and_accesses) {
  // A root with two children, each with two leaves.
  recordings::task_graph graph;
  const std::uint32_t two[] = {2};
  graph.add_task(two);
  graph.add_stretch(100, {});
  graph.add_stretch(7, {});
  for (int i = 0; i < 2; ++i) {
    graph.add_task(two);
    graph.add_stretch(3, {});
    graph.add_stretch(4, {});
  }
  for (std::uint64_t i = 0; i < 4; ++i) {
    const recordings::data_access part[] = {{.begin_byte = i * 64, .size_bytes = 64}};
    graph.add_task({});
    graph.add_stretch(10, part);
  }
  const recordings::task_graph made = with_larger_leaves(graph, 27);
  ASSERT_EQ(made.tasks(), 3U);
  EXPECT_EQ(made.known_tasks(), 3U);
  EXPECT_EQ(made.work_ns(), graph.work_ns());
  EXPECT_EQ(made.access_count(), graph.access_count());
  EXPECT_EQ(made.work(1, 0).time_ns, 27U);
  ASSERT_EQ(made.work(2, 0).accesses.size(), 2U);
  EXPECT_EQ(made.work(2, 0).accesses[0].begin_byte, 128U);
  EXPECT_EQ(with_larger_leaves(graph, 0), graph) << "nothing is that small";
  EXPECT_EQ(with_larger_leaves(graph, 1000).tasks(), 1U);
}

/// A root whose leaves have these accesses, one each.
recordings::region region_with(std::uint64_t began, const std::vector<recordings::data_access>& accesses) {
  recordings::task_graph graph;
  const std::uint32_t branching[] = {static_cast<std::uint32_t>(accesses.size())};
  graph.add_task(branching);
  graph.add_stretch(1, {});
  graph.add_stretch(1, {});
  for (const recordings::data_access& one : accesses) {
    graph.add_task({});
    graph.add_stretch(10, std::span(&one, 1));
  }
  recordings::region made{.name = "region " + std::to_string(began), .iterations = 1, .recorded = {}, .began = began};
  made.recorded.push_back({.number = 1, .duration_ns = 10, .graph = graph});
  return made;
}

TEST(recorded_data, that_are_read_before_they_are_written_come_from_outside) {
  using recordings::access_kind;
  recordings::recording made = flat_recording(4, 10, 4096);
  EXPECT_EQ(part_from_outside(made), 0) << "tasks write them";
  const recordings::data_access reads{.kind = access_kind::read, .begin_byte = 0, .size_bytes = 4096};
  const recordings::data_access writes{.kind = access_kind::write, .begin_byte = 8192, .size_bytes = 4096};
  const recordings::data_access reads_that{.kind = access_kind::read, .begin_byte = 8192, .size_bytes = 4096};
  made.regions = {region_with(2, {reads, writes, reads_that})};
  EXPECT_EQ(part_from_outside(made), 0.5);
  const recordings::data_access fills{.kind = access_kind::write, .begin_byte = 0, .size_bytes = 4096};
  made.regions.push_back(region_with(1, {fills}));
  EXPECT_EQ(part_from_outside(made), 0) << "an earlier region fills them";
  made.regions.pop_back();
  made.allocations.push_back({.block = 0});
  EXPECT_EQ(part_from_outside(made), 0) << "it is an array of nearfork";
}

}  // namespace
}  // namespace nearfork::tools
