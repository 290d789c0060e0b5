#include "tools/advice/simulations/own_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "recording/recording_file.hpp"
#include "tools/advice/recorded_data.hpp"
#include "tools/advice/simulations/simulations.hpp"
#include "unit/tools/report/sample_files.hpp"

namespace nearfork::tools {
namespace {

using recordings::access_kind;
using recordings::data_access;
using sample_files::flat_recording;

std::vector<data_access> accesses_of(const recordings::recording& of) {
  std::vector<data_access> made;
  const recordings::task_graph& graph = of.regions.at(0).recorded.at(0).graph;
  for (std::uint32_t task = 0; task < graph.tasks(); ++task)
    for (std::uint32_t i = 0; i <= graph.forks(task).size(); ++i)
      for (const data_access& one : graph.work(task, i).accesses) made.push_back(one);
  return made;
}

/// A root whose leaves have these accesses.
recordings::recording leaves_with(const std::vector<std::vector<data_access>>& leaves, std::uint64_t bytes) {
  recordings::recording made = flat_recording(static_cast<std::uint32_t>(leaves.size()), 10, 1);
  recordings::task_graph graph;
  const std::uint32_t branching[] = {static_cast<std::uint32_t>(leaves.size())};
  graph.add_task(branching);
  graph.add_stretch(10, {});
  graph.add_stretch(10, {});
  for (const auto& one : leaves) {
    graph.add_task({});
    graph.add_stretch(10, one);
  }
  made.blocks[0].bytes = bytes;
  made.regions[0].recorded[0].graph = std::move(graph);
  return made;
}

TEST(own_lines, parts_of_different_tasks_begin_at_lines) {
  const auto padded = with_own_lines(flat_recording(4, 10, 96), 0);
  ASSERT_TRUE(padded);
  EXPECT_EQ(padded->blocks[0].bytes, 3 * 128U + 96);
  const auto all = accesses_of(*padded);
  ASSERT_EQ(all.size(), 4U);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].begin_byte, i * 128);
    EXPECT_EQ(all[i].size_bytes, 96U);
  }
  EXPECT_EQ(data_evidence_of(*padded)->shared_lines, 0U);
}

TEST(own_lines, parts_of_whole_lines_stay) {
  const recordings::recording whole = flat_recording(4, 10, 128);
  EXPECT_EQ(with_own_lines(whole, 0), whole);
}

TEST(own_lines, readers_move_with_the_bytes) {
  const data_access first{.kind = access_kind::write, .begin_byte = 0, .size_bytes = 8};
  const data_access second{.kind = access_kind::write, .begin_byte = 8, .size_bytes = 8};
  const data_access both{.kind = access_kind::read, .begin_byte = 4, .size_bytes = 8};
  const data_access column{.kind = access_kind::read, .begin_byte = 0, .size_bytes = 4, .count = 2, .stride_bytes = 8};
  const auto padded = with_own_lines(leaves_with({{first}, {second}, {both, column}}, 16), 0);
  const auto all = accesses_of(*padded);
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all[1].begin_byte, 64U);
  EXPECT_EQ(all[2].begin_byte, 4U);
  EXPECT_EQ(all[2].size_bytes, 64U) << "bytes 4 to 7, the padding, and bytes 8 to 11";
  EXPECT_EQ(all[3].begin_byte, 0U);
  EXPECT_EQ(all[4].begin_byte, 64U);
  EXPECT_EQ(all[4].count, 1U);
  EXPECT_EQ(padded->blocks[0].bytes, 72U);
}

TEST(own_lines, bytes_that_several_tasks_write_stay_shared) {
  const data_access same{.kind = access_kind::write, .begin_byte = 8, .size_bytes = 8};
  const recordings::recording both = leaves_with({{same}, {same}}, 16);
  EXPECT_EQ(with_own_lines(both, 0), both);
}

/// Two sockets whose tasks write into the same lines again and again: with lines of their own they wait for less.
TEST(own_lines, the_gain_is_simulated) {
  std::vector<std::vector<data_access>> leaves(4);
  for (std::uint64_t round = 0; round < 16; ++round)
    for (std::uint64_t i = 0; i < 256; ++i)
      leaves[i % 4].push_back({.kind = access_kind::write, .begin_byte = i * 16, .size_bytes = 16});
  const recordings::recording shared = leaves_with(leaves, 256 * 16);
  const auto path = std::filesystem::temp_directory_path() / ("own-lines-" + std::to_string(::getpid()) + ".nfg");
  recordings::save_recording(shared, path.string());
  const simulated_evidence found = simulated_evidence_of(
      path.string(), shared, {"package:2 [numa] l3:1(size=256KiB) l2:1(size=64KiB) core:2 pu:1"}, "own-lines.nfg");
  std::filesystem::remove(path);
  const auto lines = std::ranges::find(found.variants, simulated_variant::change::lines, &simulated_variant::what);
  ASSERT_NE(lines, found.variants.end());
  EXPECT_EQ(lines->value, "data");
  EXPECT_GT(lines->gain(), 0.1);
}

/// What is simulated else is the region with the most work; these lines are written in another one.
TEST(own_lines, the_region_is_simulated_whose_tasks_write_the_lines) {
  std::vector<std::vector<data_access>> leaves(4);
  for (std::uint64_t round = 0; round < 16; ++round)
    for (std::uint64_t i = 0; i < 256; ++i)
      leaves[i % 4].push_back({.kind = access_kind::write, .begin_byte = i * 16, .size_bytes = 16});
  recordings::recording both = leaves_with(leaves, 256 * 16);
  recordings::region heavy = flat_recording(4, 5'000'000, 128).regions[0];
  heavy.name = "heavy";
  both.regions.push_back(std::move(heavy));
  EXPECT_EQ(data_evidence_of(both)->region, "loop");
  const auto path = std::filesystem::temp_directory_path() / ("two-regions-" + std::to_string(::getpid()) + ".nfg");
  recordings::save_recording(both, path.string());
  const simulated_evidence found = simulated_evidence_of(
      path.string(), both, {"package:2 [numa] l3:1(size=256KiB) l2:1(size=64KiB) core:2 pu:1"}, "own-lines.nfg");
  std::filesystem::remove(path);
  EXPECT_EQ(std::ranges::count(found.variants, simulated_variant::change::lines, &simulated_variant::what), 1);
  const auto lines = std::ranges::find(found.variants, simulated_variant::change::lines, &simulated_variant::what);
  ASSERT_NE(lines, found.variants.end());
  EXPECT_LT(lines->base_ns, 5'000'000) << "of the region \"loop\"";
  EXPECT_GT(lines->gain(), 0.1);
}

TEST(own_lines, nothing_is_simulated_where_no_line_is_shared) {
  const recordings::recording apart = flat_recording(4, 10, 128);
  const auto path = std::filesystem::temp_directory_path() / ("whole-lines-" + std::to_string(::getpid()) + ".nfg");
  recordings::save_recording(apart, path.string());
  const simulated_evidence found =
      simulated_evidence_of(path.string(), apart, {"package:2 [numa] l3:1(size=256KiB) core:2 pu:1"}, "g.nfg");
  std::filesystem::remove(path);
  EXPECT_EQ(std::ranges::count(found.variants, simulated_variant::change::lines, &simulated_variant::what), 0);
}

}  // namespace
}  // namespace nearfork::tools
