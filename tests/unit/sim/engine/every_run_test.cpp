// What holds for any program, machine, policy and seed.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include <nearfork/config.hpp>

#include "sim/engine/region_run.hpp"
#include "sim/programs/program.hpp"
#include "unit/plan/crew/machines_for_tests.hpp"

namespace nearfork::sim {
namespace {

struct any_run {
  program what;
  const machine* where;
  region_run seen;
};

any_run run_anything() {
  any_run made{.what = random_program(*rc::gen::arbitrary<std::uint64_t>()),
               .where = &machines_for_tests()[*rc::gen::inRange<std::size_t>(0, machines_for_tests().size())],
               .seen = {}};
  const std::vector<std::string> names = policy_names();
  const auto how = make_policy(*rc::gen::elementOf(names));
  region_settings settings{.engine = {.seed = *rc::gen::arbitrary<std::uint64_t>(), .keep_tasks = true}};
  settings.iterations = *rc::gen::inRange<std::size_t>(1, 8);
  settings.profile = *rc::gen::element(cost_source::cache_misses, cost_source::time);
  settings.engine.costs = cost_model{.notice_ps = *rc::gen::element<std::uint64_t>(0, 100'000),
                                     .spin_ps = *rc::gen::element<std::uint64_t>(0, 1'000'000, 50'000'000)};
  made.seen = run_region(made.what, *made.where, *how, settings);
  return made;
}

RC_GTEST_PROP(every_run, runs_every_task_exactly_once, ()) {
  const any_run run = run_anything();
  for (std::size_t i = 0; i < run.seen.iterations.size(); ++i) {
    std::vector<std::uint32_t> ran;
    for (const task_run& one : run.seen.iterations[i].tasks) ran.push_back(index_of(one.task));
    std::sort(ran.begin(), ran.end());
    std::vector<std::uint32_t> all(run.what.graph_of(i).size());
    std::iota(all.begin(), all.end(), 0U);
    RC_ASSERT(ran == all);
  }
}

RC_GTEST_PROP(every_run, is_not_faster_than_work_and_span_allow, ()) {
  const any_run run = run_anything();
  for (std::size_t i = 0; i < run.seen.iterations.size(); ++i) {
    const task_graph& graph = run.what.graph_of(i);
    const iteration_report& seen = run.seen.iterations[i];
    RC_ASSERT(seen.duration_ps >= span_ns(graph) * 1000);
    RC_ASSERT(seen.duration_ps * seen.busy_ps.size() >= work_ns(graph) * 1000);
    std::uint64_t busy = 0;
    for (const std::uint64_t one : seen.busy_ps) {
      RC_ASSERT(one <= seen.duration_ps);
      busy += one;
    }
    RC_ASSERT(busy >= work_ns(graph) * 1000);
  }
}

/// A task's parent begins before it and ends after it.
RC_GTEST_PROP(every_run, ends_children_before_their_parents, ()) {
  const any_run run = run_anything();
  for (std::size_t i = 0; i < run.seen.iterations.size(); ++i) {
    const task_tree& tree = run.what.graph_of(i).tree();
    std::vector<task_run> of_task(tree.size());
    for (const task_run& one : run.seen.iterations[i].tasks) of_task[index_of(one.task)] = one;
    for (const task_run& one : of_task) {
      RC_ASSERT(one.began_ps <= one.ended_ps);
      if (one.task == tree_root) continue;
      const task_run& parent = of_task[index_of(tree.parent(one.task))];
      RC_ASSERT(parent.began_ps <= one.began_ps && one.ended_ps <= parent.ended_ps);
    }
  }
}

std::uint64_t lines_touched(const task_graph& graph) {
  std::uint64_t lines = 0;
  for (std::uint32_t task = 0; task < graph.size(); ++task)
    for (std::uint32_t i = 0; i <= graph.forks(tree_node{task}).size(); ++i)
      for (const data_access& one : graph.work(tree_node{task}, i).accesses)
        lines += (one.begin_byte + one.size_bytes - 1) / 64 - one.begin_byte / 64 + 1;
  return lines;
}

RC_GTEST_PROP(every_run, loses_no_access_on_its_way, ()) {
  const any_run run = run_anything();
  for (std::size_t i = 0; i < run.seen.iterations.size(); ++i) {
    const memory_counts& memory = run.seen.iterations[i].memory;
    RC_ASSERT(memory.accesses == lines_touched(run.what.graph_of(i)));
    std::uint64_t on_the_way = memory.accesses;
    for (const level_count& level : memory.level) {
      RC_ASSERT(level.accesses == on_the_way || level.accesses == 0U);
      if (level.accesses != 0) on_the_way = level.misses();
    }
    RC_ASSERT(memory.local + memory.remote == on_the_way);
  }
}

/// Two packages and a link between them, on which a single worker's tasks find each other's pages.
machine_model two_seats(const machine& where, std::uint64_t line_ps) {
  machine_model made = default_model(where);
  made.between = {.seats = 2, .seat_of_domain = {0, 1}, .seat_of_node = {0, 1}, .links = {{0, 1, line_ps}}};
  return made;
}

RC_GTEST_PROP(every_run, carries_every_remote_line_over_a_link, (std::uint64_t seed)) {
  const machine& where = machines_for_tests()[9];
  const auto how = make_policy("random");
  region_settings settings{.engine = {.seed = seed, .model = two_seats(where, 5'000)}, .iterations = 3};
  for (const iteration_report& seen : run_region(random_program(seed), where, *how, settings).iterations) {
    RC_ASSERT(seen.memory.carried >= seen.memory.remote);
    RC_ASSERT(seen.memory.carried <= seen.memory.remote + seen.memory.writebacks);
  }
}

/// With one worker the order of all events is fixed, so slower memory makes no run faster. (With several workers it
/// may: Graham.)
RC_GTEST_PROP(every_run, one_worker_is_not_faster_with_slower_memory, (std::uint64_t seed)) {
  const machine& where = machines_for_tests()[8 + seed % 4];
  const program what = random_program(seed);
  const auto how = make_policy("random");
  const auto total = [&](const machine_model& model) {
    const region_settings settings{.engine = {.workers = 1, .seed = seed, .model = model}, .iterations = 3};
    return run_region(what, where, *how, settings).total_ps();
  };
  const machine_model given = default_model(where);
  const std::uint64_t before = total(given);
  machine_model slower = given;
  const auto factor = *rc::gen::inRange<std::uint64_t>(1, 20);
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      for (auto& one : slower.memory_ps) one *= factor;
      break;
    case 1:
      for (auto& one : slower.node_line_ps) one *= factor;
      break;
    case 2:
      for (auto& one : slower.kinds[0].hit_ps) one *= factor;
      break;
    default: slower.invalidation_ps *= factor; break;
  }
  RC_ASSERT(total(slower) >= before);
}

RC_GTEST_PROP(every_run, gives_the_same_report_for_the_same_seed, (std::uint64_t seed)) {
  const program what = random_program(seed);
  const machine& where = machines_for_tests()[seed % machines_for_tests().size()];
  const auto how = make_policy(policy_names()[seed / 64 % policy_names().size()]);
  const region_settings settings{.engine = {.seed = seed, .keep_tasks = true}, .iterations = 5};
  RC_ASSERT(run_region(what, where, *how, settings).iterations == run_region(what, where, *how, settings).iterations);
}

}  // namespace
}  // namespace nearfork::sim
