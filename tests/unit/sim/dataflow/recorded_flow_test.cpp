#include "sim/dataflow/recorded_flow.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <nearfork/error.hpp>

#include "unit/recording/random_recording.hpp"
#include "unit/sim/machine/hand_models.hpp"

namespace nearfork::sim {
namespace {

using recordings::flow_order;
using recordings::recording;

struct made_task {
  std::uint64_t time_ns = 0;
  std::vector<std::uint32_t> after{};  // descending
  std::vector<std::uint32_t> alone{};
  std::vector<recordings::data_access> accesses{};
  std::uint32_t creator = flow_order::by_waiting_task;
};

/// A root that works 100 ns, waits for these tasks, and works 10 ns.
recording region_of(const std::vector<made_task>& tasks, std::vector<recordings::data_block> blocks = {}) {
  recordings::task_graph graph;
  graph.add_task(std::vector{static_cast<std::uint32_t>(tasks.size())});
  graph.add_stretch(100, {});
  graph.add_stretch(10, {});
  flow_order flow;
  for (std::uint32_t i = 0; i < tasks.size(); ++i) {
    graph.add_task({});
    graph.add_stretch(tasks[i].time_ns, tasks[i].accesses);
    flow.add_task(i + 1, tasks[i].creator);
    for (const std::uint32_t one : tasks[i].after) flow.add_predecessor(one);
    for (const std::uint32_t one : tasks[i].alone) flow.add_exclusion(one);
  }
  graph.order_by(std::move(flow));
  recording made{
      .program = "p", .policy = "random", .machine = "m", .workers = 1, .blocks = std::move(blocks), .regions = {}};
  made.regions.push_back({.name = "r", .input_bytes = 0, .iterations = 1, .recorded = {{1, 1000, std::move(graph)}}});
  return made;
}

recording diamond() {
  return region_of({{.time_ns = 1000},
                    {.time_ns = 2000, .after = {1}},
                    {.time_ns = 3000, .after = {1}},
                    {.time_ns = 4000, .after = {3, 2}}});
}

recorded_flow flow_of(recording made) {
  return {.recorded = std::make_shared<const recording>(std::move(made)), .region = {}};
}

class recorded_flows : public testing::Test {
 protected:
  /// Acts of the scheduler cost nothing.
  [[nodiscard]] flow_region_settings settings(std::uint32_t workers) const {
    flow_region_settings made{.run = {.model = round_model(*where_, 1000)}, .iterations = 1};
    made.run.model.costs = {};
    made.run.model.costs.steal_ps.fill(0);
    made.run.model.costs.fork_ps = made.run.model.costs.planned_fork_ps = made.run.model.costs.pool_ps = 0;
    made.run.model.costs.failed_look_ps = made.run.model.costs.notice_ps = made.run.model.costs.wake_ps = 0;
    made.run.workers = workers;
    return made;
  }
  [[nodiscard]] std::uint64_t time_ns(const recording& what, std::uint32_t workers) const {
    const region_run seen = run_recorded_flow(flow_of(what), *where_, settings(workers));
    return seen.iterations.at(0).duration_ps / 1000;
  }

  const std::shared_ptr<const machine> where_ =
      load_machine("package:4 [numa] l3:1(size=1MiB) l2:1(size=64KiB) l1:1(size=8KiB) core:4 pu:1");
};

TEST_F(recorded_flows, with_one_worker_take_the_sum_of_work_and_with_enough_the_span) {
  const recording what = diamond();
  const auto& graph = what.regions[0].recorded[0].graph;
  EXPECT_EQ(graph.work_ns(), 10'110U);
  EXPECT_EQ(graph.span_ns(), 8'110U);
  EXPECT_EQ(time_ns(what, 1), graph.work_ns());
  EXPECT_EQ(time_ns(what, 16), graph.span_ns());
}

TEST_F(recorded_flows, of_random_recordings_lie_between_span_and_work) {
  std::size_t simulated = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    recording what = recordings::any_recording(seed, 40);
    what.blocks.clear();
    what.allocations.clear();
    what.buffers.clear();
    for (recordings::region& one : what.regions) {
      one.began = one.ended = 0;
      for (recordings::iteration& each : one.recorded) {
        // Times that can be simulated, and no data: these would take their own time.
        recordings::task_graph made;
        std::vector<std::uint32_t> branching;
        for (std::uint32_t task = 0; task < each.graph.tasks(); ++task) {
          branching.clear();
          for (const auto& fork : each.graph.forks(task)) branching.push_back(fork.branching);
          made.add_task(branching);
          for (std::uint32_t i = 0; i <= branching.size(); ++i)
            made.add_stretch(each.graph.work(task, i).time_ns % 10'000, {});
        }
        flow_order flow;  // without exclusions, which no span counts
        const flow_order& of = each.graph.flow();
        for (std::size_t i = 0; i < of.size(); ++i) {
          flow.add_task(of.task(i), of.creator(i));
          for (const std::uint32_t before : of.predecessors(i)) flow.add_predecessor(before);
        }
        made.order_by(std::move(flow));
        each.graph = std::move(made);
      }
    }
    for (const recordings::region& one : what.regions) {
      if (one.recorded.empty() || !has_dataflow(one)) continue;
      ++simulated;
      recording alone = what;
      alone.regions = {one};
      const auto& graph = one.recorded[0].graph;
      ASSERT_EQ(time_ns(alone, 1), graph.work_ns()) << "seed " << seed;
      ASSERT_GE(time_ns(alone, 16), graph.span_ns()) << "seed " << seed;
      const flow_course course = course_from(flow_of(alone), 1);
      ASSERT_EQ(work_ns(course.what), graph.work_ns());
      ASSERT_EQ(span_ns(course.what), graph.span_ns()) << "seed " << seed;
    }
  }
  EXPECT_GT(simulated, 30U);
}

TEST_F(recorded_flows, that_exclude_each_other_run_one_after_the_other) {
  const recording together = region_of({{.time_ns = 1000}, {.time_ns = 1000}, {.time_ns = 1000}});
  const recording apart =
      region_of({{.time_ns = 1000, .alone = {0}}, {.time_ns = 1000, .alone = {0, 1}}, {.time_ns = 1000, .alone = {1}}});
  EXPECT_EQ(time_ns(together, 16), 1'110U);
  EXPECT_EQ(time_ns(apart, 16), 2'110U) << "the first and the last at the same time, or one after the other";
  EXPECT_EQ(time_ns(apart, 1), 3'110U);
}

TEST_F(recorded_flows, are_created_by_their_creator) {
  const recording what = region_of({{.time_ns = 1000}, {.time_ns = 500, .creator = 1}});
  EXPECT_EQ(time_ns(what, 16), 1'610U);
}

TEST_F(recorded_flows, of_several_iterations_follow_each_other) {
  flow_region_settings how = settings(16);
  how.iterations = 5;
  const region_run seen = run_recorded_flow(flow_of(diamond()), *where_, how);
  ASSERT_EQ(seen.iterations.size(), 5U);
  for (const iteration_report& one : seen.iterations) {
    EXPECT_EQ(one.duration_ps, 8'110'000U);
    EXPECT_EQ(std::accumulate(one.busy_ps.begin(), one.busy_ps.end(), std::uint64_t{0}), 10'110'000U);
  }
}

/// Each of 8 tasks writes 64 KiB, and another one reads them.
recording with_data(bool as_buffers) {
  constexpr std::uint64_t bytes = 64 << 10;
  std::vector<made_task> tasks;
  std::vector<recordings::data_block> blocks;
  for (std::uint32_t i = 0; i < 8; ++i) {
    blocks.push_back({"b", bytes});
    tasks.push_back(
        {.time_ns = 1000,
         .accesses = {{.block = i, .kind = recordings::access_kind::write, .begin_byte = 0, .size_bytes = bytes}}});
  }
  for (std::uint32_t i = 0; i < 8; ++i)
    tasks.push_back(
        {.time_ns = 1000, .after = {i + 1}, .accesses = {{.block = i, .begin_byte = 0, .size_bytes = bytes}}});
  recording made = region_of(tasks, blocks);
  if (as_buffers)
    for (std::uint32_t i = 0; i < 8; ++i) made.buffers.push_back(i);
  return made;
}

TEST_F(recorded_flows, have_buffers_where_the_recording_does) {
  const flow_course buffers = course_from(flow_of(with_data(true)), 3);
  const flow_course arrays = course_from(flow_of(with_data(false)), 3);
  const auto count = [](const dataflow_program& what) {
    return std::ranges::count(what.blocks(), flow_memory::buffer, &flow_block::kind);
  };
  EXPECT_EQ(count(buffers.what), 3 * 8) << "in each iteration their own";
  EXPECT_EQ(count(arrays.what), 0);
}

TEST_F(recorded_flows, with_buffers_that_others_than_the_waiting_task_read_have_arrays_instead) {
  recording what = with_data(true);
  recordings::task_graph& graph = what.regions[0].recorded[0].graph;
  flow_order changed;
  for (std::size_t i = 0; i < graph.flow().size(); ++i) {
    // The reader of the first buffer is created by a task that waits for that buffer, too.
    changed.add_task(graph.flow().task(i), i == 15 ? 9 : flow_order::by_waiting_task);
    for (const std::uint32_t one : graph.flow().predecessors(i)) changed.add_predecessor(one);
  }
  graph.order_by(std::move(changed));
  const flow_course made = course_from(flow_of(what), 1);
  EXPECT_EQ(std::ranges::count(made.what.blocks(), flow_memory::buffer, &flow_block::kind), 7);
}

TEST_F(recorded_flows, are_pushed_to_their_data_whether_these_are_buffers_or_arrays) {
  for (const bool as_buffers : {false, true}) {
    flow_region_settings how = settings(16);
    how.iterations = 3;
    how.run.activation.threshold_bytes = 4096;
    const auto pushed = [&](std::string_view rule) {
      follow_rule(how.run, rule);
      std::uint64_t sum = 0;
      for (const iteration_report& one : run_recorded_flow(flow_of(with_data(as_buffers)), *where_, how).iterations)
        sum += one.schedule.pool_takes;
      return sum;
    };
    EXPECT_EQ(pushed("random"), 0U);
    EXPECT_EQ(pushed("push=none"), 0U);
    EXPECT_GE(pushed("push=input") + pushed("push=output") + pushed("push=weighted"), as_buffers ? 0U : 1U);
  }
}

TEST_F(recorded_flows, are_the_same_for_the_same_seed) {
  const recording what = with_data(true);
  for (const std::string& rule : flow_rule_names()) {
    flow_region_settings how = settings(7);
    how.iterations = 3;
    follow_rule(how.run, rule);
    const region_run once = run_recorded_flow(flow_of(what), *where_, how);
    EXPECT_EQ(once.iterations, run_recorded_flow(flow_of(what), *where_, how).iterations) << rule;
  }
}

TEST_F(recorded_flows, run_after_the_regions_that_ran_before_which_are_not_timed) {
  recording what = with_data(false);
  recordings::task_graph init;
  init.add_task({});
  const recordings::data_access all{
      .block = 0, .kind = recordings::access_kind::write, .begin_byte = 0, .size_bytes = 4096};
  init.add_stretch(1'000'000'000, std::span(&all, 1));
  what.regions[0].began = 3;
  what.regions[0].ended = 4;
  what.regions.push_back({.name = "init",
                          .input_bytes = 0,
                          .iterations = 1,
                          .recorded = {{1, 1'000'000'100, init}},
                          .began = 1,
                          .ended = 2});
  recorded_flow both = flow_of(what);
  both.region = "r";
  EXPECT_EQ(course_from(both, 1).setup_parts, 1U);
  const region_run seen = run_recorded_flow(both, *where_, settings(4));
  ASSERT_EQ(seen.iterations.size(), 1U);
  EXPECT_LT(seen.iterations[0].duration_ps, 1'000'000'000'000U);
  both.is_set_up = false;
  EXPECT_EQ(course_from(both, 1).setup_parts, 0U);
}

TEST_F(recorded_flows, refuse_rules_that_are_not_there) {
  dataflow_settings how;
  EXPECT_THROW(follow_rule(how, "laws"), error);
}

TEST_F(recorded_flows, can_be_interrupted) {
  std::vector<made_task> tasks(6000, made_task{.time_ns = 10});
  flow_region_settings how = settings(2);
  how.iterations = 3;
  how.goes_on = [](double) { return false; };
  EXPECT_TRUE(run_recorded_flow(flow_of(region_of(tasks)), *where_, how).interrupted);
}

}  // namespace
}  // namespace nearfork::sim
