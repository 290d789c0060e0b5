// Handles that outlive their graph, and accesses that outlive handles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/message_of.hpp"
#include "tests/runtime_settings.hpp"

namespace {

using nearfork::access;
using nearfork::dataflow;
using nearfork::in;
using nearfork::out;
using nearfork::test::message_of;
using testing::HasSubstr;

/// The new graph often lies where the old one lay.
TEST(dataflow_handles, of_a_graph_that_has_ended_are_refused_by_the_next_one) {
  nearfork::runtime runtime(nearfork::test::with_workers(2));
  std::optional<dataflow> graph;
  for (int i = 0; i < 20; ++i) {
    graph.emplace(runtime);
    const auto unwritten = graph->buffer<int>(4);
    const auto written = graph->buffer<int>(4);
    const auto stream = graph->stream<int>();
    graph->task({out(written)}, [](std::span<int>) {});
    graph->task({out(stream, 3)}, [](std::span<int>) {});
    graph->wait();
    graph.reset();
    graph.emplace(runtime);
    const auto read = [](std::span<const int>) { FAIL(); };
    const auto write = [](std::span<int>) { FAIL(); };
    EXPECT_THAT(message_of([&] { graph->task({in(written)}, read); }), HasSubstr("belongs to another graph"));
    EXPECT_THAT(message_of([&] { graph->task({in(unwritten)}, read); }), HasSubstr("belongs to another graph"));
    EXPECT_THAT(message_of([&] { graph->task({out(unwritten)}, write); }), HasSubstr("belongs to another graph"));
    EXPECT_THAT(message_of([&] { graph->task({in(stream)}, read); }), HasSubstr("belongs to another graph"));
    EXPECT_THAT(message_of([&] { graph->task({out(stream)}, write); }), HasSubstr("belongs to another graph"));
    graph->sync();
  }
}

access sevens(dataflow& graph) {
  const auto made = graph.buffer<int>(1000);
  graph.task({out(made)}, [](std::span<int> to) { std::ranges::fill(to, 7); });
  return in(made);
}

int sum_of(nearfork::task_data data) {
  int sum = 0;
  for (std::size_t i = 0; i < data.size(); ++i)
    for (const int each : data.in<int>(i)) sum += each;
  return sum;
}

/// What took the place of a buffer that is gone would be read, or refused.
void make_others(dataflow& graph) {
  for (int i = 0; i < 100; ++i) {
    const auto other = graph.buffer<int>(1000);
    graph.task({out(other)}, [](std::span<int> to) { std::ranges::fill(to, -1); });
    const auto stream = graph.stream<int>();
    graph.task({out(stream, 4)}, [](std::span<int>) {});
  }
  graph.wait();
}

TEST(accesses, keep_buffers_that_have_no_handle) {
  nearfork::runtime runtime(nearfork::test::with_workers(2));
  dataflow graph(runtime);
  std::vector<access> reads;
  reads.push_back(sevens(graph));
  access assigned = sevens(graph);
  assigned = sevens(graph);
  reads.insert(reads.begin(), assigned);
  reads.emplace_back(std::move(assigned));
  graph.wait();
  make_others(graph);
  int sum = 0;
  reads.erase(reads.begin());
  graph.task(reads, [&sum](const nearfork::task_data& data) { sum = sum_of(data); });
  graph.sync();
  EXPECT_EQ(sum, 14000);
}

TEST(accesses, keep_streams_that_have_no_handle) {
  nearfork::runtime runtime(nearfork::test::with_workers(2));
  dataflow graph(runtime);
  const auto four = [&graph] {
    const auto made = graph.stream<int>();
    graph.task({out(made, 4)}, [](std::span<int> to) { std::ranges::fill(to, 7); });
    return in(made, 4);
  };
  std::vector<access> reads{four(), four()};
  graph.wait();
  make_others(graph);
  int sum = 0;
  graph.task(reads, [&sum](const nearfork::task_data& data) { sum = sum_of(data); });
  graph.sync();
  EXPECT_EQ(sum, 56);
}

TEST(accesses, that_were_moved_away_are_refused) {
  nearfork::runtime runtime(nearfork::test::with_workers(2));
  dataflow graph(runtime);
  access from = sevens(graph);
  const access to = std::move(from);
  const auto read = [](std::span<const int>) {};
  EXPECT_THAT(message_of([&] { graph.task({from}, read); }), HasSubstr("names a handle without a buffer or stream"));
  graph.task({to}, read);
  graph.sync();
}

TEST(accesses, outlive_their_graph) {
  nearfork::runtime runtime(nearfork::test::with_workers(2));
  std::optional<dataflow> graph(std::in_place, runtime);
  const std::vector<access> reads(3, sevens(*graph));
  graph.reset();
  graph.emplace(runtime);
  EXPECT_THAT(message_of([&] { graph->task(reads, [](nearfork::task_data) {}); }),
              HasSubstr("belongs to another graph"));
}

}  // namespace
