// What recorded dataflow tasks waited for memory is taken out, too.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sim/dataflow/recorded_flow.hpp"
#include "sim/programs/recorded_program.hpp"
#include "tools/sim/memory_waits.hpp"

namespace {

using namespace nearfork;
using namespace nearfork::tools;
using recordings::recording;
using recordings::task_graph;

constexpr std::uint32_t parts = 32;
constexpr std::uint64_t part_bytes = 64 << 10;
constexpr std::uint64_t task_ns = 20'000;

/// Two sweeps of dataflow tasks over an array: one task for each part, the second after the first one of its part. The
/// root works without data.
task_graph two_sweeps(std::uint64_t scale) {
  task_graph graph;
  graph.add_task(std::vector{2 * parts});
  graph.add_stretch(scale * 5'000, {});
  graph.add_stretch(scale * 1'000, {});
  recordings::flow_order flow;
  for (std::uint32_t i = 0; i < 2 * parts; ++i) {
    const recordings::data_access part{.block = 0,
                                       .kind = recordings::access_kind::write,
                                       .begin_byte = i % parts * part_bytes,
                                       .size_bytes = part_bytes};
    graph.add_task({});
    graph.add_stretch(scale * task_ns, {&part, 1});
    flow.add_task(i + 1, recordings::flow_order::by_waiting_task);
    if (i >= parts) flow.add_predecessor(i + 1 - parts);
  }
  graph.order_by(std::move(flow));
  return graph;
}

/// Whose iterations compute unequally long.
recording computing() {
  recording made{.program = "p",
                 .policy = "auto",
                 .machine = "m",
                 .workers = 1,
                 .blocks = {{.name = "x", .bytes = parts * part_bytes}},
                 .regions = {}};
  made.regions.push_back({.name = "r", .input_bytes = 0, .iterations = 2, .recorded = {}});
  for (const std::uint64_t scale : {1U, 3U}) made.regions[0].recorded.push_back({scale, 1000, two_sweeps(scale)});
  return made;
}

class waits_of_dataflow_tasks : public testing::Test {
 protected:
  simulated_machine where = machine_to_simulate("package:1 [numa] l3:1(size=256KiB) core:4 pu:1");

  /// As the machine records it: waits included.
  [[nodiscard]] recording timed(recording made) const {
    sim::flow_region_settings settings{.run = {.model = where.model, .workers = 1}};
    const auto took = sim::stretch_times_ns({std::make_shared<const recording>(made), "r"}, *where.what, settings);
    for (std::size_t i = 0; i < made.regions[0].recorded.size(); ++i) {
      task_graph& graph = made.regions[0].recorded[i].graph;
      std::size_t at = 0;
      for (std::uint32_t task = 0; task < graph.tasks(); ++task)
        for (std::uint32_t s = 0; s <= graph.forks(task).size(); ++s) graph.set_time(task, s, took->at(i).at(at++));
    }
    return made;
  }
  [[nodiscard]] sim_study study_of(recording made) const {
    sim_study study;
    study.subject = "made.nfg";
    study.here = where;
    study.machines = {where};
    study.programs.push_back(sim::program_from(made, "r"));
    study.recorded = recorded_facts{.time_ns = 1,
                                    .iterations = 2,
                                    .workers = 1,
                                    .policy = "auto",
                                    .machine = where.what->summary(),
                                    .names_data = true};
    study.flow = sim::recorded_flow{.recorded = std::make_shared<const recording>(std::move(made)), .region = "r"};
    return study;
  }
  static double work_ns(const recording& of, std::size_t iteration) {
    return static_cast<double>(of.regions[0].recorded[iteration].graph.work_ns());
  }
};

TEST_F(waits_of_dataflow_tasks, are_what_the_machine_of_the_recording_adds) {
  const recording truth = computing();
  sim_study study = study_of(timed(truth));
  const recording before = *study.flow->recorded;
  ASSERT_GT(work_ns(before, 0), 1.2 * work_ns(truth, 0)) << "the machine must make the program wait";
  take_memory_waits_out(study);
  ASSERT_TRUE(study.waits);
  EXPECT_EQ(study.waits->why_not, "");
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(work_ns(*study.flow->recorded, i) / work_ns(truth, i), 1, 0.02) << "iteration " << i;
  const double all = work_ns(before, 0) + work_ns(before, 1);
  EXPECT_NEAR(study.waits->part_of_work, 1 - (work_ns(truth, 0) + work_ns(truth, 1)) / all, 0.02);
  EXPECT_EQ(study.flow->recorded->regions[0].recorded[0].graph.work(0, 0).time_ns, 5'000U) << "names no data";
}

TEST_F(waits_of_dataflow_tasks, stay_if_the_simulation_is_stopped) {
  sim_study study = study_of(timed(computing()));
  const auto before = study.flow->recorded;
  take_memory_waits_out(study, {}, [] { return true; });
  EXPECT_EQ(study.flow->recorded, before);
}

TEST_F(waits_of_dataflow_tasks, are_never_more_than_the_task_took) {
  recording quick = computing();
  for (recordings::iteration& one : quick.regions[0].recorded)
    for (std::uint32_t task = 1; task < one.graph.tasks(); ++task) one.graph.set_time(task, 0, 10);
  sim_study study = study_of(quick);
  take_memory_waits_out(study);
  EXPECT_LE(study.waits->part_of_work, 1);
  EXPECT_LE(work_ns(*study.flow->recorded, 0), work_ns(quick, 0));
}

}  // namespace
