// What recorded tasks waited for memory is taken out before other machines are simulated.
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>

#include "plan/plans/policy.hpp"
#include "sim/engine/region_run.hpp"
#include "tools/sim/memory_waits.hpp"

namespace {

using namespace nearfork;
using namespace nearfork::tools;
using nearfork::sim::program;

constexpr sim::grid_shape grid{.rows = 512, .row_bytes = 8192, .leaf_rows = 16, .compute_ns_per_line = 20};
constexpr std::uint64_t iterations = 3;

struct simulated_times {
  std::vector<std::uint64_t> own_ns;  // by task, in the last iteration
  double iteration_ns = 0;
};

simulated_times simulate(const program& what, const simulated_machine& where, std::uint32_t workers) {
  simulated_times made;
  sim::region_settings settings;
  settings.engine.model = where.model;
  settings.engine.workers = workers;
  settings.iterations = iterations;
  settings.see_costs = [&](std::size_t, std::span<const task_cost> costs) {
    made.own_ns.clear();
    for (const task_cost& one : costs) made.own_ns.push_back(one.time_ns);
  };
  const sim::region_run run = sim::run_region(what, *where.what, *make_policy("random"), settings);
  made.iteration_ns = static_cast<double>(run.iterations.back().duration_ps) / 1000;
  return made;
}

/// As a recording says it: each task takes the time that it took, waits included.
program as_recorded(const program& what, const std::vector<std::uint64_t>& own_ns) {
  program made = what;
  made.graphs.clear();
  const sim::task_graph& graph = what.graphs.front();
  sim::task_graph& timed = made.graphs.emplace_back(graph.tree());
  for (std::uint32_t task = 0; task < graph.size(); ++task) {
    const tree_node node{task};
    const auto last = static_cast<std::uint32_t>(graph.forks(node).size());
    for (std::uint32_t i = 0; i < last; ++i) timed.set_work(node, i, 0, graph.work(node, i).accesses);
    timed.set_work(node, last, own_ns[task], graph.work(node, last).accesses);
  }
  made.course = {0};
  return made;
}

class waits_for_memory : public testing::Test {
 protected:
  /// A grid whose graphs are all alike, so that one stands for the recorded ones.
  program truth = one_graph(sim::regular_grid(grid));
  simulated_machine where = machine_to_simulate("package:1 [numa] l3:1(size=256KiB) core:4 pu:1");

  sim_study recorded_with(std::uint32_t workers) const {
    const simulated_times seen = simulate(truth, where, workers);
    sim_study made;
    made.subject = "made.nfg";
    made.here = where;
    made.machines = {where};
    made.programs.push_back(as_recorded(truth, seen.own_ns));
    made.recorded = recorded_facts{.time_ns = seen.iteration_ns,
                                   .iterations = 1,
                                   .workers = workers,
                                   .policy = "random",
                                   .machine = where.what->summary(),
                                   .names_data = true};
    return made;
  }
  static program one_graph(program what) {
    what.graphs.erase(what.graphs.begin() + 1, what.graphs.end());
    what.course = {0};
    return what;
  }
};

std::uint64_t compute_ns(const program& what) {
  return what.graphs.front().compute_ns();
}

TEST_F(waits_for_memory, are_what_the_machine_of_the_recording_adds) {
  sim_study study = recorded_with(1);
  const auto before = static_cast<double>(compute_ns(study.programs.front()));
  const auto computed = static_cast<double>(compute_ns(truth));
  ASSERT_GT(before, 1.2 * computed) << "the machine must make the program wait";
  take_memory_waits_out(study);
  const auto after = static_cast<double>(compute_ns(study.programs.front()));
  EXPECT_NEAR(after / computed, 1, 0.02);
  ASSERT_TRUE(study.waits);
  EXPECT_EQ(study.waits->why_not, "");
  EXPECT_NEAR(study.waits->part_of_work, 1 - computed / before, 0.02);
  EXPECT_NEAR(simulate(study.programs.front(), where, 1).iteration_ns / study.recorded->time_ns, 1, 0.02);
}

TEST_F(waits_for_memory, are_taken_out_of_recordings_with_several_workers) {
  sim_study study = recorded_with(2);
  take_memory_waits_out(study);
  EXPECT_NEAR(simulate(study.programs.front(), where, 2).iteration_ns / study.recorded->time_ns, 1, 0.05);
}

TEST_F(waits_for_memory, do_not_depend_on_where_the_study_puts_pages) {
  sim_study study = recorded_with(1);
  sim_study elsewhere = study;
  study.recorded->setup.emplace();
  elsewhere.recorded->setup.emplace();
  set_up(elsewhere.programs.front(), sim::setup_kind::serial);
  elsewhere.setup = sim::setup_kind::serial;
  elsewhere.placing = elsewhere.programs.front().placing = sim::placing_called("interleaved");
  take_memory_waits_out(study);
  take_memory_waits_out(elsewhere);
  EXPECT_EQ(elsewhere.waits->part_of_work, study.waits->part_of_work);
  EXPECT_EQ(compute_ns(elsewhere.programs.front()), compute_ns(study.programs.front()));
}

TEST_F(waits_for_memory, of_a_machine_that_is_simulated_count_where_the_recording_was_made_elsewhere) {
  sim_study study = recorded_with(1);
  study.here = machine_to_simulate("package:2 [numa] core:2 pu:1");
  const auto before = compute_ns(study.programs.front());
  take_memory_waits_out(study);
  EXPECT_LT(compute_ns(study.programs.front()), before);
  EXPECT_EQ(study.waits->machine, where.name);
}

TEST_F(waits_for_memory, are_those_of_a_machine_with_measured_values_if_there_is_one) {
  sim_study study = recorded_with(1);
  simulated_machine& measured = study.machines.emplace_back(where);
  measured.name = "box";
  measured.assumed.clear();
  study.here->assumed = {"memory that answers in 90 ns"};
  study.machines.front().assumed = study.here->assumed;
  take_memory_waits_out(study);
  EXPECT_EQ(study.waits->machine, "box");
}

TEST_F(waits_for_memory, stay_if_the_machine_of_the_recording_is_not_known) {
  sim_study study = recorded_with(1);
  study.here.reset();
  study.machines = {machine_to_simulate("package:2 [numa] core:2 pu:1")};
  const auto before = compute_ns(study.programs.front());
  take_memory_waits_out(study);
  EXPECT_EQ(compute_ns(study.programs.front()), before);
  EXPECT_EQ(study.waits->why_not, "none of the machines is the one that recorded");
}

TEST_F(waits_for_memory, stay_if_the_simulation_is_stopped) {
  sim_study study = recorded_with(1);
  const auto before = compute_ns(study.programs.front());
  take_memory_waits_out(study, {}, [] { return true; });
  EXPECT_EQ(compute_ns(study.programs.front()), before);
}

TEST_F(waits_for_memory, are_never_more_than_the_task_took) {
  sim_study study = recorded_with(1);
  sim::task_graph& graph = study.programs.front().graphs.front();
  for (std::uint32_t task = 0; task < graph.size(); ++task)
    for (std::uint32_t i = 0; i <= graph.forks(tree_node{task}).size(); ++i)
      graph.shorten(tree_node{task}, i, graph.work(tree_node{task}, i).compute_ns / 1000);
  take_memory_waits_out(study);
  EXPECT_LE(compute_ns(study.programs.front()), compute_ns(truth) / 1000);
  EXPECT_LE(study.waits->part_of_work, 1);
}

TEST_F(waits_for_memory, are_none_where_no_task_names_data) {
  sim_study study = recorded_with(1);
  study.recorded->names_data = false;
  take_memory_waits_out(study);
  EXPECT_FALSE(study.waits);
}

}  // namespace
