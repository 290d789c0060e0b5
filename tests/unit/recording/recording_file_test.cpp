#include "recording/recording_file.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <nearfork/error.hpp>

#include "random_recording.hpp"
#include "recording/checksum.hpp"
#include "recording/graph_code.hpp"
#include "unit/recording/small_recording.hpp"

namespace nearfork::recordings {
namespace {

RC_GTEST_PROP(recording_file, reads_what_it_wrote, (std::uint64_t seed)) {
  const recording made = any_recording(seed);
  const std::string bytes = to_bytes(made);
  const recording read = from_bytes(bytes, "g.nfg");
  RC_ASSERT(read == made);
  RC_ASSERT(to_bytes(read) == bytes);
}

TEST(recording_file, refuses_every_beginning_of_itself) {
  const std::string bytes = to_bytes(small_recording());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::string said = complaint(std::string_view(bytes).substr(0, size));
    expect_says(said, {"g.nfg", "byte "});
    if (size >= 32) expect_says(said, {"truncated", "claims " + std::to_string(bytes.size())});
  }
}

TEST(recording_file, refuses_every_byte_that_was_changed) {
  const std::string bytes = to_bytes(small_recording());
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const int bit : {0, 3, 7}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      EXPECT_NE(complaint(damaged), "") << "byte " << at << ", bit " << bit;
    }
}

TEST(recording_file, says_that_a_foreign_file_is_none) {
  expect_says(complaint("#!/bin/sh\necho this is a script and long enough to have a header\n"),
              {"byte 0", "no task-graph recording", "nearfork record"});
  expect_says(complaint(""), {"no task-graph recording"});
}

TEST(recording_file, of_a_later_version_says_which_one_it_is) {
  expect_says(complaint(with_payload(small_recording(), [](std::string& bytes) { bytes[8] = 9; })),
              {"version 9", "reads versions 1 to 3", "byte 8"});
}

TEST(recording_file, says_where_the_checksum_is_wrong) {
  std::string bytes = to_bytes(small_recording());
  bytes[32 + 16] ^= 1;
  expect_says(complaint(bytes), {"byte 32", "checksum", "facts"});
}

TEST(recording_file, refuses_what_comes_after_its_end) {
  expect_says(complaint(to_bytes(small_recording()) + "x"), {"added"});
}

/// The graph is the last section. Its numbers are single bytes here: number, duration (2), tasks, forks, accesses, ...
std::string with_graph_byte(std::size_t place, int value) {
  return with_payload(small_recording(), [&](std::string& bytes) {
    const std::size_t graph = bytes.size() - 19;
    bytes[graph + place] = static_cast<char>(value);
  });
}

TEST(recording_file, names_the_byte_of_what_is_wrong_in_a_graph) {
  ASSERT_EQ(complaint(with_graph_byte(0, 2)), "") << "unchanged but for the number of the iteration";
  expect_says(complaint(with_graph_byte(3, 100)), {"number of tasks", "100"});
  expect_says(complaint(with_graph_byte(3, 0)), {"a root at least"});
  expect_says(complaint(with_graph_byte(3, 4)), {"nobody forked"});
  expect_says(complaint(with_graph_byte(4, 2)), {"claimed 3, 2 and 1"});
  expect_says(complaint(with_graph_byte(7, 3)), {"branching"});
  expect_says(complaint(with_graph_byte(7, 0)), {"without children"});
  expect_says(complaint(with_graph_byte(10, 4)), {"data block 1 of 1"});
  expect_says(complaint(with_graph_byte(12, 0)), {"no byte"});
  expect_says(complaint(with_graph_byte(11, 1)), {"outside its data block"});
}

TEST(recording_file, refuses_a_second_region_of_one_name) {
  recording made = small_recording();
  made.regions.push_back({.name = "q", .input_bytes = 0, .iterations = 1, .recorded = {}});
  std::string bytes = with_payload(made, [](std::string& all) { all[all.size() - 4] = 'r'; });
  expect_says(complaint(bytes), {"second region", "\"r\"", "contradicts itself"});
}

TEST(recording_file, gives_regions_whose_names_became_the_same_a_number) {
  recording made = small_recording();
  const std::string longest(byte_reader::most_text, 'x');
  for (const char* name : {"a\n", "a\t", "a?"})
    made.regions.push_back({.name = name, .input_bytes = 0, .iterations = 1, .recorded = {}});
  for (const char* rest : {"1", "2"})
    made.regions.push_back({.name = longest + rest, .input_bytes = 0, .iterations = 1, .recorded = {}});
  const recording read = from_bytes(to_bytes(made), "g.nfg");
  ASSERT_EQ(read.regions.size(), 6U);
  EXPECT_EQ(read.regions[1].name, "a?");
  EXPECT_EQ(read.regions[2].name, "a? (2)");
  EXPECT_EQ(read.regions[3].name, "a? (3)");
  EXPECT_EQ(read.regions[4].name, longest);
  EXPECT_EQ(read.regions[5].name, longest.substr(4) + " (2)");
}

TEST(recording_file, takes_no_memory_for_sizes_that_the_file_cannot_hold) {
  // Ten bytes that claim 2^62 tasks.
  byte_writer graph;
  graph.number(1);
  graph.number(1);
  graph.number(std::uint64_t{1} << 62);
  graph.number(std::uint64_t{1} << 62);
  byte_reader from(graph.bytes(), "g.nfg");
  (void)from.number("", 1);
  (void)from.number("", 1);
  recording_sums sums;
  EXPECT_THROW((void)read_graph(from, {}, sums), error);
}

/// A root whose fork has four dataflow tasks: the last one waits for the two in the middle, and these for the first.
recording with_diamond() {
  recording made = small_recording();
  task_graph graph;
  graph.add_task(std::vector<std::uint32_t>{4});
  graph.add_stretch(100, {});
  graph.add_stretch(5, {});
  for (const std::uint64_t time : {10U, 20U, 30U, 40U}) {
    graph.add_task({});
    graph.add_stretch(time, {});
  }
  flow_order flow;
  flow.add_task(1, flow_order::by_waiting_task);
  for (const std::uint32_t middle : {2U, 3U}) {
    flow.add_task(middle, flow_order::by_waiting_task);
    flow.add_predecessor(1);
  }
  flow.add_task(4, flow_order::by_waiting_task);
  flow.add_predecessor(3);
  flow.add_predecessor(2);
  graph.order_by(std::move(flow));
  made.regions[0].recorded[0].graph = std::move(graph);
  return made;
}

TEST(recording_file, of_dataflow_tasks_has_version_3_and_their_order) {
  const recording made = with_diamond();
  const std::string bytes = to_bytes(made);
  EXPECT_EQ(bytes[8], 3);
  const recording read = from_bytes(bytes, "g.nfg");
  EXPECT_EQ(read, made);
  const flow_order& flow = read.regions[0].recorded[0].graph.flow();
  EXPECT_EQ(flow.size(), 4U);
  EXPECT_EQ(flow.edges(), 4U);
  EXPECT_TRUE(std::ranges::equal(flow.predecessors(3), std::vector<std::uint32_t>{3, 2}));
}

TEST(recording_file, without_dataflow_tasks_has_the_version_before) {
  recording made = small_recording();
  EXPECT_EQ(to_bytes(made)[8], 1);
  made.allocations = {{0, array_placing::interleaved}};
  EXPECT_EQ(to_bytes(made)[8], 2);
}

TEST(recording_file, the_span_goes_along_edges) {
  EXPECT_EQ(with_diamond().regions[0].recorded[0].graph.span_ns(), 100U + 10 + 30 + 40 + 5);
  EXPECT_EQ(with_diamond().regions[0].recorded[0].graph.work_ns(), 100U + 10 + 20 + 30 + 40 + 5);
}

/// The last section of that recording: no buffer, 4 dataflow tasks, each with gap, creator, predecessors, exclusions.
TEST(recording_file, names_the_byte_of_what_is_wrong_in_a_list_of_dataflow_tasks) {
  const auto with_flow_byte = [](std::size_t from_end, int value) {
    return with_payload(with_diamond(),
                        [&](std::string& bytes) { bytes[bytes.size() - from_end] = static_cast<char>(value); });
  };
  ASSERT_EQ(complaint(with_flow_byte(1, 0)), "") << "unchanged";
  expect_says(complaint(with_flow_byte(6, 1)), {"dataflow task 5, and the graph has 5 tasks", "byte"});
  expect_says(complaint(with_flow_byte(5, 9)), {"the creator of dataflow task 4 is 9 tasks before it", "has 3 there"});
  expect_says(complaint(with_flow_byte(4, 100)), {"number of predecessors", "can hold"});
  expect_says(complaint(with_flow_byte(3, 9)), {"a predecessor of dataflow task 4 is 9 tasks before it"});
  expect_says(complaint(with_flow_byte(3, 0)), {"dataflow task 4 waits for itself"});
  expect_says(complaint(with_flow_byte(2, 0)), {"dataflow task 4 waits for one task twice"});
  expect_says(complaint(with_flow_byte(1, 1)), {"number of exclusions", "can hold"});
}

TEST(recording_file, takes_twelve_bytes_a_task_where_leaves_touch_two_ranges) {
  task_graph graph;
  constexpr std::uint32_t tasks = 65535;
  for (std::uint32_t task = 0; task < tasks; ++task) {
    const bool leaf = task >= tasks / 2;
    if (!leaf) {
      graph.add_task(std::vector<std::uint32_t>{2});
      graph.add_stretch(120, {});
      graph.add_stretch(80, {});
      continue;
    }
    const std::uint64_t row = task - tasks / 2;
    const data_access accesses[] = {
        {.block = 0, .begin_byte = row * 8192, .size_bytes = 3 * 8192},
        {.block = 1, .kind = access_kind::write, .begin_byte = row * 8192 + 8192, .size_bytes = 8192}};
    graph.add_task({});
    graph.add_stretch(20'000 + row % 999, accesses);
  }
  byte_writer to;
  write_graph(to, graph);
  EXPECT_LT(to.bytes().size(), 12 * tasks);
}

TEST(recording_file, cleans_names) {
  recording made = small_recording();
  made.regions[0].name = "bell\a and " + std::string(5000, 'x');
  const recording read = from_bytes(to_bytes(made), "g.nfg");
  EXPECT_EQ(read.regions[0].name.substr(0, 10), "bell? and ");
  EXPECT_EQ(read.regions[0].name.size(), 4096U);
  made.regions[0].name = std::string(4095, 'x') + "\xe2\x82\xac";
  EXPECT_EQ(from_bytes(to_bytes(made), "g.nfg").regions[0].name, std::string(4095, 'x')) << "no part of a character";
}

TEST(checksum, is_crc32c) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283U);
  EXPECT_EQ(crc32c(std::string_view("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 32)),
            0x8a9136aaU)
      << "RFC 3720, B.4";
  EXPECT_EQ(crc32c("6789", crc32c("12345")), 0xe3069283U);
}

}  // namespace
}  // namespace nearfork::recordings
