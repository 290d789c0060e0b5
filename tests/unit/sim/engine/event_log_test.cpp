#include "sim/engine/event_log.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>

#include <nearfork/config.hpp>

#include "plan/policies/laws_policy.hpp"
#include "sim/engine/region_run.hpp"
#include "sim/programs/program.hpp"
#include "sound_trace.hpp"
#include "trace/perfetto_trace.hpp"
#include "unit/sim/machine/hand_models.hpp"

namespace nearfork::sim {
namespace {

const grid_shape logged_heat{.rows = 512, .row_bytes = 4096, .leaf_rows = 8, .halo_rows = 1, .compute_ns_per_line = 4};

region_run logged(std::string_view policy, event_log* log) {
  return run_region(regular_grid(logged_heat), opteron_8380(), *make_policy(policy),
                    {.engine = {.log = log}, .iterations = 12});
}

std::uint64_t counted(const region_run& of, std::uint64_t schedule_counts::* what) {
  std::uint64_t sum = 0;
  for (const iteration_report& one : of.iterations) sum += one.schedule.*what;
  return sum;
}

class event_log_of : public testing::TestWithParam<const char*> {};

TEST_P(event_log_of, a_run_makes_a_sound_trace) {
  event_log log(std::size_t{1} << 20);
  const region_run seen = logged(GetParam(), &log);
  const test::decoded_trace trace = test::decode_trace(traces::perfetto_trace(log.taken("simulated")));
  test::expect_sound(trace);
  test::expect_each_steal_once(trace);
  std::uint64_t steals = 0;
  for (const iteration_report& one : seen.iterations)
    steals = std::accumulate(one.schedule.steals.begin(), one.schedule.steals.end(), steals);
  EXPECT_EQ(trace.named("steal").size(), steals);
  EXPECT_EQ(trace.named("shares tasks").size(), steals) << "the forks of what was stolen";
  EXPECT_EQ(trace.named("suspended: waits for a task").size(), counted(seen, &schedule_counts::suspensions));
  EXPECT_EQ(trace.named("woken").size(), counted(seen, &schedule_counts::wakes));
  EXPECT_EQ(trace.named("wakes a worker").size(), trace.named("woken").size());
  std::size_t subtrees = 0;
  std::size_t pool_takes = 0;
  for (const iteration_report& one : seen.iterations) {
    subtrees += one.subtrees.size();
    pool_takes += one.schedule.pool_takes;
  }
  const auto begun = [&](const std::string& name) {
    const auto all = trace.named(name);
    return static_cast<std::size_t>(std::ranges::count_if(
        all, [](const test::decoded_event& one) { return one.type == 1 && !one.facts.contains("goes on"); }));
  };
  EXPECT_EQ(begun("subtree"), subtrees);
  EXPECT_EQ(begun("task from a pool"), pool_takes);
}

INSTANTIATE_TEST_SUITE_P(policies, event_log_of, testing::Values("random", "acab", "laws", "saws", "bats"));

/// As on threads, each task but the root is a slice of its own, wherever it came from.
TEST_P(event_log_of, a_run_has_every_task_on_request) {
  event_log log(std::size_t{1} << 20, 1);
  const region_run seen = logged(GetParam(), &log);
  const test::decoded_trace trace = test::decode_trace(traces::perfetto_trace(log.taken("simulated")));
  test::expect_sound(trace);
  test::expect_each_steal_once(trace);
  const auto tasks = trace.named("task");
  const auto begun = std::ranges::count_if(
      tasks, [](const test::decoded_event& one) { return one.type == 1 && !one.facts.contains("goes on"); });
  const std::size_t expected = seen.iterations.size() * (regular_grid(logged_heat).graph_of(0).size() - 1);
  EXPECT_EQ(static_cast<std::size_t>(begun), expected);
}

TEST(event_log, has_one_task_of_so_many) {
  const auto tasks_of = [](std::uint32_t sampling) {
    event_log log(std::size_t{1} << 20, sampling);
    (void)logged("random", &log);
    const auto run = log.taken("simulated");
    std::size_t tasks = 0;
    for (const traces::traced_worker& one : run.workers)
      tasks += static_cast<std::size_t>(std::ranges::count_if(one.events, [](const traces::event& at) {
        return at.kind == traces::event_kind::task_begins &&
               at.detail == static_cast<std::uint8_t>(traces::task_origin::forked);
      }));
    return tasks;
  };
  const std::size_t all = tasks_of(1);
  const std::size_t some = tasks_of(10);
  EXPECT_EQ(tasks_of(0), 0U);
  EXPECT_LE(some, all / 10);
  EXPECT_GE(some + 16, all / 10) << "of each of 16 workers at most 9 are left over";
}

TEST(event_log, changes_nothing) {
  event_log log(100);
  const region_run with = logged("laws", &log);
  const region_run without = logged("laws", nullptr);
  ASSERT_EQ(with.iterations.size(), without.iterations.size());
  EXPECT_EQ(with.total_ps(), without.total_ps());
}

TEST(event_log, the_same_seed_makes_the_same_trace) {
  const auto bytes = [] {
    event_log log(std::size_t{1} << 20);
    (void)logged("laws", &log);
    return traces::perfetto_trace(log.taken("simulated"));
  };
  EXPECT_EQ(bytes(), bytes());
}

TEST(event_log, names_the_iterations_of_a_region) {
  event_log log(std::size_t{1} << 20);
  const region_run seen = logged("laws", &log);
  const test::decoded_trace trace = test::decode_trace(traces::perfetto_trace(log.taken("simulated")));
  std::size_t begun = 0;
  std::size_t profiles = 0;
  for (const test::decoded_event& one : trace.named("region " + regular_grid(logged_heat).name)) {
    if (one.type != 1 || one.facts.contains("goes on")) continue;
    EXPECT_EQ(one.facts.at("iteration"), std::to_string(++begun));
    profiles += one.facts.at("kind") == "profile" ? 1 : 0;
  }
  EXPECT_EQ(begun, seen.iterations.size());
  EXPECT_EQ(profiles, 1U);
}

TEST(event_log, loses_the_oldest_events_and_says_how_many) {
  event_log all(std::size_t{1} << 20);
  event_log few(10);
  (void)logged("random", &all);
  (void)logged("random", &few);
  const traces::traced_run whole = all.taken("whole");
  const traces::traced_run last = few.taken("last");
  ASSERT_EQ(whole.workers.size(), last.workers.size());
  for (std::size_t i = 0; i < whole.workers.size(); ++i) {
    EXPECT_LE(last.workers[i].events.size(), 10U);
    EXPECT_EQ(last.workers[i].events.size() + last.workers[i].lost, whole.workers[i].events.size());
  }
  test::expect_sound(test::decode_trace(traces::perfetto_trace(last)));
}

TEST(event_log, traces_of_two_runs_make_one) {
  std::string bytes;
  for (std::uint32_t part = 1; part <= 2; ++part) {
    event_log log(std::size_t{1} << 20);
    (void)logged("random", &log);
    traces::traced_run one = log.taken("run " + std::to_string(part));
    one.process = part;
    bytes += traces::perfetto_trace(one, part);
  }
  const test::decoded_trace trace = test::decode_trace(bytes);
  std::set<std::uint64_t> tracks;
  for (const auto& [track, name] : trace.tracks) tracks.insert(track);
  EXPECT_EQ(tracks.size(), trace.tracks.size());
  EXPECT_EQ(std::ranges::count_if(trace.tracks, [](const auto& one) { return one.second.starts_with("run "); }), 2);
}

}  // namespace
}  // namespace nearfork::sim
