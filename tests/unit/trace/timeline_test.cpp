#include "trace/timeline.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace nearfork::traces {
namespace {

constexpr std::uint64_t loop = 100;
constexpr std::uint64_t other_loop = 200;

event at(std::uint64_t ns, event one) {
  one.at = ns;
  return one;
}
event begins(std::uint64_t ns, std::uint64_t job, task_origin from) {
  return {.at = ns, .subject = job, .kind = event_kind::task_begins, .detail = static_cast<std::uint8_t>(from)};
}
event ends(std::uint64_t ns, std::uint64_t job) {
  return {.at = ns, .subject = job, .kind = event_kind::task_ends};
}
event switches(std::uint64_t ns, std::uint64_t to, std::uint64_t from, switch_cause why) {
  return {
      .at = ns, .subject = to, .value = from, .kind = event_kind::switches, .detail = static_cast<std::uint8_t>(why)};
}

traced_run run_of(std::vector<std::vector<event>> events) {
  traced_run run{.title = "t", .process = 1, .names = {"", "one", "why"}, .workers = {}};
  for (auto& one : events) run.workers.push_back({.events = std::move(one)});
  return run;
}

/// "1 worker0 [task", "2 worker0 ]", "3 worker1 .steal".
std::vector<std::string> shown(const timeline& line) {
  std::vector<std::string> all;
  for (const mark& one : line.marks)
    all.push_back(std::to_string(one.at_ns) + " w" + std::to_string(one.worker) + " " +
                  (one.kind == mark_kind::slice_begins ? "["
                   : one.kind == mark_kind::slice_ends ? "]"
                   : one.kind == mark_kind::instant    ? "."
                                                       : "=") +
                  one.name);
  return all;
}

using lines = std::vector<std::string>;

TEST(timeline, moves_the_slices_of_a_waiting_task_to_where_it_goes_on) {
  const timeline line = timeline_of(
      run_of({{switches(1, loop, 0, switch_cause::begins), begins(2, 7, task_origin::injector),
               at(3, {.name = 1, .kind = event_kind::span_begins}), switches(4, 101, loop, switch_cause::waits)},
              {switches(1, other_loop, 0, switch_cause::begins), switches(5, loop, other_loop, switch_cause::resumes),
               at(6, {.kind = event_kind::span_ends}), ends(7, 7)}}));
  EXPECT_EQ(shown(line),
            (lines{"2 w0 [call from outside", "3 w0 [one", "4 w0 .suspended: waits for a task", "4 w0 ]", "4 w0 ]",
                   "5 w1 [call from outside", "5 w1 [one", "5 w1 .resumed", "6 w1 ]", "7 w1 ]"}));
}

TEST(timeline, joins_a_steal_to_what_was_shared_and_to_what_it_runs) {
  const timeline line = timeline_of(
      run_of({{switches(1, loop, 0, switch_cause::begins), at(2, {.subject = loop, .kind = event_kind::shares})},
              {switches(1, other_loop, 0, switch_cause::begins),
               at(3, {.subject = 7, .value = loop, .number = 0, .kind = event_kind::takes_steal, .detail = 1}),
               begins(4, 7, task_origin::stolen), ends(5, 7)}}));
  ASSERT_EQ(shown(line), (lines{"2 w0 .shares tasks", "3 w1 .steal", "4 w1 [stolen task", "5 w1 ]"}));
  ASSERT_EQ(line.marks[0].flows.size(), 1U);
  EXPECT_EQ(line.marks[0].flows, line.marks[1].flows);
  EXPECT_EQ(line.marks[2].last_of_flow, line.marks[0].flows[0]);
  EXPECT_EQ(line.marks[1].facts[0].text, "0");
  EXPECT_EQ(line.marks[1].facts[1].text, "cache");
}

TEST(timeline, names_the_worker_that_wakes_another_one) {
  const timeline line = timeline_of(run_of(
      {{at(3, {.number = 1, .kind = event_kind::wakes, .detail = static_cast<std::uint8_t>(wake_cause::pool_work)})},
       {at(2, {.kind = event_kind::parks}), at(4, {.kind = event_kind::woken}), at(5, {.kind = event_kind::parks}),
        at(6, {.kind = event_kind::woken})}}));
  ASSERT_EQ(shown(line), (lines{"2 w1 [parked", "3 w0 .wakes a worker", "4 w1 ]", "4 w1 .woken", "5 w1 [parked",
                                "6 w1 ]", "6 w1 .woken"}));
  EXPECT_EQ(line.marks[3].facts[0].text, "work in a pool");
  EXPECT_EQ(line.marks[3].facts[1].text, "0");
  EXPECT_EQ(line.marks[3].last_of_flow, line.marks[1].flows[0]);
  EXPECT_EQ(line.marks[6].facts[0].text, "a thread from outside");
}

TEST(timeline, leaves_out_what_not_all_workers_still_have) {
  traced_run run = run_of({{begins(1, 5, task_origin::pool), ends(2, 5), begins(8, 6, task_origin::pool)},
                           {ends(6, 7), begins(7, 8, task_origin::pool), ends(9, 8)}});
  run.workers[1].lost = 10;
  const timeline line = timeline_of(run);
  EXPECT_EQ(shown(line), (lines{"7 w1 [task from a pool", "8 w0 [task from a pool", "9 w1 ]", "9 w0 ]"}));
  EXPECT_EQ(line.lost, 12U);
}

TEST(timeline, has_the_counters_of_other_threads_among_the_events_of_workers) {
  traced_run run = run_of({{{.at = 10, .kind = event_kind::parks}, {.at = 30, .kind = event_kind::woken}}});
  run.others = {{.at = 20, .value = std::bit_cast<std::uint64_t>(2.5), .name = 1, .kind = event_kind::counts}};
  const timeline line = timeline_of(run);
  const auto counter = std::ranges::find(line.marks, mark_kind::counter, &mark::kind);
  ASSERT_NE(counter, line.marks.end());
  EXPECT_EQ(counter->name, "one");
  EXPECT_EQ(counter->value, 2.5);
  EXPECT_EQ(counter->at_ns, 20U);
  EXPECT_EQ(counter - line.marks.begin(), 1) << "by time";
  EXPECT_EQ(line.lost, 0U);
}

}  // namespace
}  // namespace nearfork::traces
