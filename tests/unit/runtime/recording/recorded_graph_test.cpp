// What a recording of real iterations holds: every task, at its place in the tree, with its accesses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "recording/recording.hpp"
#include "recording/recording_file.hpp"
#include "recording_runtime.hpp"
#include "sim/engine/region_run.hpp"
#include "sim/programs/recorded_program.hpp"
#include "workloads/workload.hpp"

namespace {

using namespace nearfork;
using recordings::recording;
using test::recording_runtime;
using test::recording_settings;
using test::region_called;

std::uint64_t leaves_of(const recordings::task_graph& graph) {
  std::uint64_t leaves = 0;
  for (std::uint32_t task = 0; task < graph.tasks(); ++task) leaves += graph.forks(task).empty() ? 1 : 0;
  return leaves;
}

unsigned fib(unsigned n) {
  if (n < 2) return n;
  const auto [a, b] = fork_join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

TEST(recorded_graph, has_every_task_of_the_second_iteration) {
  for (const unsigned workers : {1U, 4U}) {
    recording_runtime on(recording_settings(workers));
    for (int i = 0; i < 5; ++i) on->run([] { region("fib", [] { return fib(12); }); });
    const recording made = on.made();
    const recordings::region& fibs = region_called(made, "fib");
    EXPECT_EQ(fibs.iterations, 5U);
    ASSERT_EQ(fibs.recorded.size(), 1U);
    EXPECT_EQ(fibs.recorded[0].number, 2U);
    EXPECT_EQ(fibs.recorded[0].graph.tasks(), 465U) << "calls of fib(12)";
    EXPECT_EQ(leaves_of(fibs.recorded[0].graph), 233U);
    EXPECT_EQ(fibs.recorded[0].graph.forks(0).size(), 1U);
  }
}

TEST(recorded_graph, has_the_first_iteration_where_there_is_no_second_and_all_where_all_are_asked_for) {
  recording_runtime once(recording_settings(2));
  once->run([] { region("r", [] { (void)fib(3); }); });
  EXPECT_EQ(region_called(once.made(), "r").recorded.at(0).number, 1U);
  recording_runtime all(recording_settings(2, recorded_iterations::all));
  for (unsigned i = 1; i <= 4; ++i) all->run([i] { region("r", [i] { (void)fib(i); }); });
  const recording made = all.made();
  const recordings::region& region = region_called(made, "r");
  ASSERT_EQ(region.recorded.size(), 4U);
  const std::uint32_t calls[] = {1, 3, 5, 9};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(region.recorded[i].graph.tasks(), calls[i]) << "fib(" << i + 1 << ")";
}

TEST(recorded_graph, has_one_stretch_more_than_forks_and_each_in_its_place) {
  std::vector<char> data(6 * 4096);
  const auto part = [&](std::size_t i) { return std::span(data).subspan(i * 4096, 4096); };
  recording_runtime on(recording_settings(4));
  on->run([&] {
    region("r", [&] {
      reads(part(0));
      fork_join([&] { writes(part(1)); }, [&] { writes(part(2)); });
      reads(part(3));
      fork_join([&] { writes(part(4)); }, [&] {}, [&] {});
      reads(part(5));
    });
  });
  const recording made = on.made();
  const recordings::task_graph& graph = region_called(made, "r").recorded.at(0).graph;
  ASSERT_EQ(graph.tasks(), 6U);
  ASSERT_EQ(graph.forks(0).size(), 2U);
  EXPECT_EQ(graph.forks(0)[0].branching, 2U);
  EXPECT_EQ(graph.forks(0)[1].branching, 3U);
  ASSERT_EQ(made.blocks.size(), 1U);
  const std::uint64_t base = reinterpret_cast<std::uint64_t>(data.data()) % 4096;
  const auto only = [&](std::uint32_t task, std::uint32_t stretch) {
    const auto accesses = graph.work(task, stretch).accesses;
    EXPECT_EQ(accesses.size(), 1U);
    EXPECT_EQ(accesses[0].size_bytes, 4096U);
    return (accesses[0].begin_byte - base) / 4096;
  };
  EXPECT_EQ(only(0, 0), 0U);
  EXPECT_EQ(only(0, 1), 3U);
  EXPECT_EQ(only(0, 2), 5U);
  EXPECT_EQ(only(1, 0), 1U);
  EXPECT_EQ(only(2, 0), 2U);
  EXPECT_EQ(only(3, 0), 4U);
  EXPECT_EQ(graph.work(0, 0).accesses[0].kind, recordings::access_kind::read);
  EXPECT_EQ(graph.work(1, 0).accesses[0].kind, recordings::access_kind::write);
}

TEST(recorded_graph, counts_neither_children_nor_waiting_as_a_tasks_own_time) {
  using namespace std::chrono_literals;
  recording_runtime on(recording_settings(2));
  on->run([] {
    region("r",
           [] { fork_join([] { std::this_thread::sleep_for(20ms); }, [] { std::this_thread::sleep_for(20ms); }); });
  });
  const recording made = on.made();
  const recordings::iteration& one = region_called(made, "r").recorded.at(0);
  EXPECT_GE(one.graph.work(1, 0).time_ns, 19'000'000U);
  EXPECT_GE(one.graph.work(2, 0).time_ns, 19'000'000U);
  EXPECT_LT(one.graph.work(0, 0).time_ns + one.graph.work(0, 1).time_ns, one.graph.work(1, 0).time_ns);
  EXPECT_GE(one.duration_ns, 19'000'000U);
}

TEST(recorded_graph, of_a_run_without_region_is_named_by_its_call_site) {
  recording_runtime on(recording_settings(2));
  const unsigned line = __LINE__ + 1;
  on->run([] { (void)fib(5); });
  const recording made = on.made();
  ASSERT_EQ(made.regions.size(), 1U);
  EXPECT_EQ(made.regions[0].name, "run at recorded_graph_test.cpp:" + std::to_string(line));
  EXPECT_EQ(made.regions[0].recorded.at(0).graph.tasks(), 15U);
}

TEST(recorded_graph, of_regions_in_a_run_is_theirs_and_not_the_runs) {
  recording_runtime on(recording_settings(2));
  on->run([] {
    (void)fib(4);
    for (int i = 0; i < 4; ++i) region("inner", [] { (void)fib(5); });
    (void)fib(2);
  });
  const recording made = on.made();
  ASSERT_EQ(made.regions.size(), 2U);
  EXPECT_EQ(region_called(made, "inner").recorded.at(0).graph.tasks(), 15U);
  for (const recordings::region& one : made.regions) {
    if (one.name == "inner") continue;
    EXPECT_EQ(one.recorded.at(0).graph.tasks(), 9U + 2U);
  }
}

TEST(recorded_graph, of_a_main_loop_that_forks_nothing_is_not_kept) {
  recording_runtime on(recording_settings(2));
  on->run([] { region("only", [] { (void)fib(3); }); });
  const recording made = on.made();
  ASSERT_EQ(made.regions.size(), 1U);
  EXPECT_EQ(made.regions[0].name, "only");
}

TEST(recorded_graph, of_an_unnamed_region_is_named_by_its_call_site) {
  recording_runtime on(recording_settings(2));
  const unsigned line = __LINE__ + 1;
  on->run([] { region(region_options{}, [] { (void)fib(3); }); });
  EXPECT_EQ(on.made().regions.at(0).name, "recorded_graph_test.cpp:" + std::to_string(line));
}

TEST(recorded_graph, without_room_is_left_out_and_counted) {
  config settings = recording_settings(2);
  settings.record_tasks = 100;
  recording_runtime on(settings);
  on->run([] { region("large", [] { (void)fib(12); }); });
  on->run([] { region("small", [] { (void)fib(5); }); });
  const recording made = on.made();
  EXPECT_EQ(made.left_out, 1U);
  ASSERT_EQ(made.regions.size(), 1U);
  EXPECT_EQ(made.regions[0].name, "small");
}

TEST(recorded_graph, with_more_than_the_format_holds_is_left_out_and_the_file_is_sound) {
  char one_byte = 0;
  recording_runtime on(recording_settings(1));
  on->run([&] { region("wrong hint", [&] { reads(&one_byte, ~std::size_t{0}, 0); }); });
  on->run([] { region({.name = "wrong input", .input_bytes = ~std::uint64_t{0}}, [] { (void)fib(5); }); });
  const recording made = on.made();
  EXPECT_EQ(made.left_out, 1U);
  ASSERT_EQ(made.regions.size(), 1U);
  EXPECT_EQ(made.regions[0].input_bytes, recordings::number_limit);
}

TEST(recorded_graph, keeps_an_iteration_that_the_next_one_cannot_replace) {
  char one_byte = 0;
  recording_runtime on(recording_settings(1));
  for (const bool wrong : {false, true})
    on->run([&] { region("r", [&] { reads(&one_byte, wrong ? ~std::size_t{0} : 1, 0); }); });
  const recording made = on.made();
  EXPECT_EQ(made.left_out, 1U);
  EXPECT_EQ(region_called(made, "r").recorded.at(0).number, 1U);
}

TEST(recorded_graph, with_names_that_a_file_cannot_hold_is_sound) {
  recording_runtime on(recording_settings(1));
  for (const char* const name : {"bell\a", "bell\b", "\xff"}) on->run([&] { region(name, [] { (void)fib(3); }); });
  const recording made = on.made();
  EXPECT_EQ(region_called(made, "bell?").iterations, 1U);
  EXPECT_EQ(region_called(made, "bell? (2)").iterations, 1U);
  EXPECT_EQ(region_called(made, "\xff").iterations, 1U);
}

TEST(recorded_graph, names_data_and_joins_hints_that_follow_each_other) {
  std::vector<double> grid(5000);
  recording_runtime on(recording_settings(1));
  const data_name named("grid", grid);
  on->run([&] {
    region("r", [&] {
      for (std::size_t row = 0; row < 5; ++row) reads(std::span(grid).subspan(row * 1000, 1000));
      writes(grid.data(), 50, 100);
    });
  });
  const recording made = on.made();
  ASSERT_EQ(made.blocks.size(), 1U);
  EXPECT_EQ(made.blocks[0].name, "grid");
  const auto accesses = region_called(made, "r").recorded.at(0).graph.work(0, 0).accesses;
  ASSERT_EQ(accesses.size(), 2U);
  EXPECT_EQ(accesses[0].size_bytes, 40000U);
  EXPECT_EQ(accesses[1].count, 50U);
  EXPECT_EQ(accesses[1].stride_bytes, 800U);
  EXPECT_EQ(accesses[1].size_bytes, 8U);
}

TEST(recorded_graph, knows_names_that_tasks_of_the_iteration_gave) {
  recording_runtime on(recording_settings(2));
  on->run([&] {
    region("r", [&] {
      std::vector<double> whole(2000);
      const data_name outer("whole", whole);
      fork_join(
          [&] {
            std::vector<double> mine(3000);
            const data_name inner("left", mine);
            writes(mine);
          },
          [&] { reads(whole); });
    });
  });
  std::vector<std::string> names;
  for (const recordings::data_block& one : on.made().blocks) names.push_back(one.name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("left", "whole"));
}

TEST(recorded_graph, does_not_know_names_that_died_before_the_iteration) {
  std::vector<double> grid(5000);
  recording_runtime on(recording_settings(1));
  {
    const data_name gone("gone", grid);
  }
  on->run([&] { region("r", [&] { reads(grid); }); });
  const recording made = on.made();
  ASSERT_EQ(made.blocks.size(), 1U);
  EXPECT_EQ(made.blocks[0].name, "data 1");
}

TEST(recorded_graph, is_the_same_under_a_policy_that_profiles_and_plans) {
  for (const char* const policy : {"laws", "acab", "auto"}) {
    config settings = recording_settings(4, recorded_iterations::all);
    settings.policy = policy;
    settings.machine = "package:2 l3:1 core:2 pu:1";
    recording_runtime on(settings);
    for (int i = 0; i < 4; ++i) on->run([] { region({.name = "fib", .input_bytes = 1 << 24}, [] { (void)fib(10); }); });
    const recording made = on.made();
    const recordings::region& fibs = region_called(made, "fib");
    ASSERT_EQ(fibs.recorded.size(), 4U) << policy;
    for (const recordings::iteration& one : fibs.recorded) EXPECT_EQ(one.graph.tasks(), 177U) << policy;
  }
}

/// The default size, except for these fields.
workloads::size_values size_with(const workloads::size_rules& rules, std::map<std::string_view, std::uint64_t> fields) {
  workloads::size_values values = rules.named_values("default");
  for (std::size_t i = 0; i < values.size(); ++i)
    if (const auto given = fields.find(rules.fields[i].name); given != fields.end()) values[i] = given->second;
  return values;
}

/// The workload heat, whose leaves hint at the data that they touch.
recording recorded_heat(unsigned workers) {
  recording_runtime on(recording_settings(workers, recorded_iterations::all));
  const workloads::workload& heat = workloads::find_workload("heat");
  const auto problem = heat.make(size_with(heat.sizes, {{"rows", 128}, {"columns", 64}, {"iterations", 4}}),
                                 {.seed = 1, .arrays = {}, .graph = {}});
  problem->reset();
  on->run([&] { problem->run_nearfork(); });
  EXPECT_EQ(problem->fault(), "");
  return on.made();
}

TEST(recorded_heat, writes_every_inner_cell_exactly_once_an_iteration) {
  const recording made = recorded_heat(4);
  ASSERT_EQ(made.regions.size(), 1U);
  EXPECT_EQ(made.regions[0].name, "heat");
  ASSERT_EQ(made.regions[0].recorded.size(), 4U);
  for (const recordings::iteration& one : made.regions[0].recorded) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> written;
    for (std::uint32_t task = 0; task < one.graph.tasks(); ++task)
      for (std::uint32_t i = 0; i <= one.graph.forks(task).size(); ++i)
        for (const recordings::data_access& access : one.graph.work(task, i).accesses)
          if (access.kind == recordings::access_kind::write) written.emplace_back(access.begin_byte, access.size_bytes);
    std::ranges::sort(written);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < written.size(); ++i) {
      sum += written[i].second;
      if (i + 1 == written.size()) continue;
      EXPECT_EQ(written[i].first + written[i].second, written[i + 1].first) << "a gap or an overlap";
    }
    EXPECT_EQ(sum, 126U * 64 * sizeof(double)) << "all rows but the border's";
  }
}

TEST(recorded_heat, runs_in_the_simulator_under_any_policy_with_all_its_tasks) {
  const recording made = recorded_heat(2);
  const sim::program program = sim::program_from(made);
  ASSERT_EQ(program.graphs.size(), 4U);
  EXPECT_EQ(program.graphs[0].size(), made.regions[0].recorded[0].graph.tasks());
  EXPECT_EQ(sim::work_ns(program.graphs[0]), made.regions[0].recorded[0].graph.work_ns());
  const auto where = load_machine("package:2 l3:1 l2:1 core:2 pu:1");
  for (const char* const policy : {"random", "laws"}) {
    const sim::region_run run =
        sim::run_region(program, *where, *make_policy(policy), {.engine = {.keep_tasks = true}, .iterations = 6});
    ASSERT_EQ(run.iterations.size(), 6U);
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_EQ(run.iterations[i].tasks.size(), made.regions[0].recorded[i % 4].graph.tasks())
          << policy << ", iteration " << i;
  }
}

}  // namespace
