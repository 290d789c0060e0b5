#include "sim/dataflow/flow_events.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <nearfork/error.hpp>

#include "sim/dataflow/recorded_flow.hpp"
#include "sound_trace.hpp"
#include "trace/perfetto_trace.hpp"
#include "unit/sim/dataflow/random_programs.hpp"
#include "unit/sim/machine/hand_models.hpp"

namespace nearfork::sim {
namespace {

std::size_t begun(const test::decoded_trace& trace, const std::string& name) {
  const auto all = trace.named(name);
  return static_cast<std::size_t>(std::ranges::count_if(
      all, [](const test::decoded_event& one) { return one.type == 1 && !one.facts.contains("goes on"); }));
}

class flow_event_logs : public testing::Test {
 protected:
  [[nodiscard]] dataflow_settings settings(push_heuristic push) const {
    dataflow_settings made{.model = round_model(*where_, 1000)};
    made.activation.push = push;
    made.activation.threshold_bytes = 4096;
    return made;
  }
  [[nodiscard]] test::decoded_trace traced(const dataflow_program& what, dataflow_settings how,
                                           dataflow_report& seen) const {
    event_log log(std::size_t{1} << 20);
    how.events = &log;
    seen = run_dataflow(what, *where_, how);
    return test::decode_trace(traces::perfetto_trace(log.taken("simulated")));
  }

  const std::shared_ptr<const machine> where_ =
      load_machine("package:4 [numa] l3:1(size=1MiB) l2:1(size=64KiB) l1:1(size=8KiB) core:2 pu:1");
};

TEST_F(flow_event_logs, each_task_is_a_slice_and_each_steal_has_its_task) {
  std::size_t pushed = 0;
  std::size_t slept = 0;
  for (const push_heuristic push : {push_heuristic::none, push_heuristic::input})
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const dataflow_program what = random_layers(12, 20, seed);
      dataflow_settings how = settings(push);
      how.seed = seed;
      dataflow_report seen;
      const test::decoded_trace trace = traced(what, how, seen);
      test::expect_sound(trace);
      test::expect_each_steal_once(trace);
      const std::uint64_t steals = std::accumulate(seen.stolen.begin(), seen.stolen.end(), std::uint64_t{0});
      EXPECT_EQ(trace.named("steal").size(), steals);
      EXPECT_EQ(begun(trace, "stolen task"), steals);
      EXPECT_EQ(trace.named("sends a task").size(), seen.pushed);
      EXPECT_EQ(trace.named("wakes a worker").size(), trace.named("woken").size());
      EXPECT_EQ(begun(trace, "dataflow task") + begun(trace, "task from a pool") + steals, what.tasks());
      pushed += begun(trace, "task from a pool");
      slept += trace.named("woken").size();
    }
  EXPECT_GT(pushed, 0U);
  EXPECT_GT(slept, 0U);
}

TEST_F(flow_event_logs, change_nothing) {
  const dataflow_program what = random_layers(12, 20, 1);
  dataflow_report with;
  (void)traced(what, settings(push_heuristic::input), with);
  EXPECT_EQ(with, run_dataflow(what, *where_, settings(push_heuristic::input)));
}

TEST_F(flow_event_logs, need_the_regions_of_all_parts) {
  const dataflow_program what = random_layers(3, 3, 1);
  event_log log(100);
  dataflow_settings how = settings(push_heuristic::none);
  how.events = &log;
  const std::vector<std::uint32_t> ends{what.tasks() - 1};
  how.marks = ends;
  EXPECT_THROW((void)run_dataflow(what, *where_, how), error);
}

/// A root that waits for 40 tasks of 1 us.
recordings::recording wide_region() {
  recordings::task_graph graph;
  graph.add_task(std::vector{40U});
  graph.add_stretch(100, {});
  graph.add_stretch(10, {});
  recordings::flow_order flow;
  for (std::uint32_t i = 0; i < 40; ++i) {
    graph.add_task({});
    graph.add_stretch(1000, {});
    flow.add_task(i + 1, recordings::flow_order::by_waiting_task);
  }
  graph.order_by(std::move(flow));
  return {.program = "p",
          .policy = "random",
          .machine = "m",
          .workers = 1,
          .blocks = {},
          .regions = {{.name = "wide", .input_bytes = 0, .iterations = 1, .recorded = {{1, 1000, std::move(graph)}}}}};
}

TEST_F(flow_event_logs, an_iteration_is_a_slice_of_its_root) {
  event_log log(std::size_t{1} << 20);
  flow_region_settings how{.run = {.model = round_model(*where_, 1000)}, .iterations = 5};
  how.run.events = &log;
  const region_run seen = run_recorded_flow(
      {.recorded = std::make_shared<const recordings::recording>(wide_region()), .region = {}}, *where_, how);
  ASSERT_EQ(seen.iterations.size(), 5U);
  const test::decoded_trace trace = test::decode_trace(traces::perfetto_trace(log.taken("simulated")));
  test::expect_sound(trace);
  test::expect_each_steal_once(trace);
  EXPECT_EQ(begun(trace, "region wide"), 5U);
  EXPECT_EQ(trace.named("suspended: waits for a task").size(), 5U);
  EXPECT_EQ(trace.named("resumed").size(), 5U);
  std::vector<std::string> numbers;
  for (const test::decoded_event& one : trace.named("region wide"))
    if (one.type == 1 && !one.facts.contains("goes on")) numbers.push_back(one.facts.at("iteration"));
  EXPECT_EQ(numbers, (std::vector<std::string>{"1", "2", "3", "4", "5"}));
}

}  // namespace
}  // namespace nearfork::sim
