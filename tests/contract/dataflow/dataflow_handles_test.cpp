// Handles that outlive their graph.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <span>
#include <string>

#include <nearfork/nearfork.hpp>

#include "tests/message_of.hpp"
#include "tests/runtime_settings.hpp"

namespace {

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

}  // namespace
