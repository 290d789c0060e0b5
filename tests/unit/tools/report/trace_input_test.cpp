// Traces as views: made by the writer of traces, read by the reader of reports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>

#include <nearfork/error.hpp>

#include "message_of.hpp"
#include "tools/report/inputs/inputs.hpp"
#include "trace/perfetto_trace.hpp"
#include "unit/tools/report/sample_files.hpp"

namespace nearfork::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using traces::event;
using traces::event_kind;

traces::traced_run small_run() {
  return sample_files::stolen_task();
}

TEST(trace_input, each_process_is_a_view) {
  traces::traced_run other = small_run();
  other.title = "simulated laws on somewhere";
  other.process = 8;
  const auto views =
      views_of_trace(traces::perfetto_trace(small_run()) + traces::perfetto_trace(other, 1), "t.pftrace");
  ASSERT_THAT(views, SizeIs(2));
  EXPECT_FALSE(views[0].simulated);
  EXPECT_TRUE(views[1].simulated);
  EXPECT_EQ(views[1].file, "t.pftrace: simulated laws on somewhere");
  for (const report_view& one : views) {
    EXPECT_EQ(one.workers, 2U);
    EXPECT_THAT(one.timeline->slices, SizeIs(3));
    EXPECT_THAT(one.courses, SizeIs(1));
  }
}

event counted(std::uint64_t at, std::uint16_t name, double value) {
  return {
      .at = at, .value = std::bit_cast<std::uint64_t>(value), .name = name, .kind = event_kind::counts, .detail = 0};
}

TEST(trace_input, counted_stalls_are_a_part_of_the_work_of_their_worker) {
  traces::traced_run run = small_run();
  run.names.emplace_back("ns of stalls on memory of worker 1");
  run.names.emplace_back("ns of stalls on memory of worker 0");
  run.names.emplace_back("ns of stalls on memory of worker 9");
  run.workers[1].events.push_back(counted(3000, 3, 100));
  run.workers[1].events.push_back(counted(3100, 3, 700));
  run.workers[0].events.push_back(counted(3100, 4, 1e12));
  run.workers[0].events.push_back(counted(3200, 5, 5));
  const report_view view = views_of_trace(traces::perfetto_trace(run), "t.pftrace").at(0);
  ASSERT_THAT(view.worker_times, SizeIs(2));
  EXPECT_EQ(view.worker_times[1].stall_ns, 700.0) << "the last value";
  EXPECT_EQ(view.worker_times[0].stall_ns, view.worker_times[0].work_ns) << "no more than its work";
  EXPECT_THAT(view.counters, SizeIs(0)) << "they are not shown twice";
  EXPECT_FALSE(views_of_trace(traces::perfetto_trace(small_run()), "t.pftrace").at(0).worker_times[1].stall_ns);
}

TEST(trace_input, counters_have_their_values_and_long_ones_fewer) {
  traces::traced_run run = small_run();
  run.names.emplace_back("depth");
  run.names.emplace_back("long");
  run.workers[0].events.push_back(counted(4000, 3, 2.5));
  run.workers[0].events.push_back(counted(5000, 3, -1));
  for (std::uint64_t i = 0; i < 10'000; ++i)
    run.workers[0].events.push_back(counted(6000 + i, 4, static_cast<double>(i)));
  const report_view view = views_of_trace(traces::perfetto_trace(run), "t.pftrace").at(0);
  ASSERT_THAT(view.counters, SizeIs(2));
  EXPECT_EQ(view.counters[0].name, "depth");
  ASSERT_THAT(view.counters[0].points, SizeIs(2));
  EXPECT_EQ(view.counters[0].points[0].at_ns, 3000U) << "from the trace's beginning";
  EXPECT_EQ(view.counters[0].points[1].value, -1);
  EXPECT_LE(view.counters[1].points.size(), 2000U);
  EXPECT_GE(view.counters[1].points.size(), 1000U);
  for (const counter_view::point& one : view.counters[1].points)
    EXPECT_EQ(one.at_ns, 5000 + static_cast<std::uint64_t>(one.value));
}

TEST(trace_input, iterations_are_told_apart_also_in_parts) {
  traces::traced_run run = small_run();
  run.workers.resize(1);
  const auto region = [](std::uint64_t at, std::uint64_t number) {
    return event{.at = at, .value = number, .name = 1, .kind = event_kind::region_begins};
  };
  const auto switches = [](std::uint64_t at, std::uint64_t to, std::uint64_t from, traces::switch_cause why) {
    return event{
        .at = at, .subject = to, .value = from, .kind = event_kind::switches, .detail = static_cast<std::uint8_t>(why)};
  };
  run.workers[0].events = {
      switches(0, 10, 0, traces::switch_cause::begins),           region(100, 1),
      switches(200, 20, 10, traces::switch_cause::waits),         region(300, 2),  // of another caller
      {.at = 500, .kind = event_kind::region_ends, .detail = 0},  switches(600, 10, 20, traces::switch_cause::resumes),
      {.at = 900, .kind = event_kind::region_ends, .detail = 1},  region(1000, 3),
      {.at = 1400, .kind = event_kind::region_ends, .detail = 1},
  };
  const report_view view = views_of_trace(traces::perfetto_trace(run), "t.pftrace").at(0);
  ASSERT_THAT(view.courses, SizeIs(1));
  const auto& all = view.courses[0].iterations;
  ASSERT_THAT(all, SizeIs(3));
  EXPECT_EQ(all[0].number, 1U);
  EXPECT_EQ(all[0].time_ns, 800);
  EXPECT_EQ(all[1].number, 2U);
  EXPECT_EQ(all[1].time_ns, 200);
  EXPECT_EQ(all[1].why, "it ended by an exception");
  EXPECT_EQ(all[2].number, 3U);
  EXPECT_EQ(all[2].time_ns, 400);
  EXPECT_EQ(view.courses[0].ran, 3U);
}

TEST(trace_input, each_slice_knows_its_worker_its_times_and_why_it_ran_there) {
  const report_view view = views_of_trace(traces::perfetto_trace(small_run()), "t.pftrace").at(0);
  ASSERT_TRUE(view.timeline);
  const timeline_view& line = *view.timeline;
  ASSERT_THAT(line.tracks, SizeIs(2));
  EXPECT_EQ(line.tracks[1].domain, 1U);
  EXPECT_EQ(line.length_ns, 2000U);
  ASSERT_THAT(line.slices, SizeIs(3));
  EXPECT_EQ(line.names[line.slices[0].name], "region heat");
  EXPECT_EQ(line.slices[1].begin_ns, 200U);
  EXPECT_EQ(line.slices[1].length_ns, 1000U);
  EXPECT_EQ(line.slices[1].track, 1U);
  EXPECT_EQ(line.names[line.slices[1].name], "stolen task");
  EXPECT_EQ(line.notes[line.slices[1].note], "stolen from worker 0 (distance machine)");
}

TEST(trace_input, iterations_have_their_kind_and_what_changed_before) {
  const report_view view = views_of_trace(traces::perfetto_trace(small_run()), "t.pftrace").at(0);
  ASSERT_THAT(view.courses, SizeIs(1));
  EXPECT_EQ(view.courses[0].name, "heat");
  ASSERT_THAT(view.courses[0].iterations, SizeIs(1));
  EXPECT_EQ(view.courses[0].iterations[0].number, 3U);
  EXPECT_EQ(view.courses[0].iterations[0].time_ns, 2000);
  EXPECT_EQ(view.courses[0].iterations[0].kind, "steady");
  EXPECT_EQ(view.courses[0].iterations[0].why, "the shares changed");
}

TEST(trace_input, a_worker_works_searches_or_is_parked_all_the_time) {
  const report_view view = views_of_trace(traces::perfetto_trace(small_run()), "t.pftrace").at(0);
  ASSERT_THAT(view.worker_times, SizeIs(2));
  EXPECT_EQ(view.worker_times[1].work_ns, 1000);
  EXPECT_EQ(view.worker_times[1].parked_ns, 400);
  EXPECT_EQ(view.worker_times[1].search_ns, 600);
}

TEST(trace_input, work_while_regions_run_is_counted_apart) {
  traces::traced_run run = small_run();
  const auto call = static_cast<std::uint8_t>(traces::task_origin::injector);
  run.workers[1].events.push_back({.at = 2950, .subject = 10, .kind = event_kind::task_begins, .detail = call});
  run.workers[1].events.push_back({.at = 5000, .subject = 10, .kind = event_kind::task_ends, .detail = 0});
  const report_view view = views_of_trace(traces::perfetto_trace(run), "t.pftrace").at(0);
  ASSERT_THAT(view.worker_times, SizeIs(2));
  EXPECT_EQ(view.worker_times[1].work_ns, 3050);
  EXPECT_EQ(view.worker_times[1].region_work_ns, 1050) << "the region ends at 3000";
  EXPECT_EQ(view.worker_times[0].region_work_ns, 2000);
  EXPECT_EQ(view.worker_times[0].region_ns, 2000);
}

TEST(trace_input, steals_are_counted_by_thief_and_victim) {
  const report_view view = views_of_trace(traces::perfetto_trace(small_run()), "t.pftrace").at(0);
  ASSERT_THAT(view.matrices, SizeIs(2));
  EXPECT_EQ(view.matrices[0].title, "Steals between workers");
  EXPECT_EQ(view.matrices[1].title, "Steals between domains");
  for (const matrix_view& one : view.matrices)
    EXPECT_THAT(one.cells, ElementsAre(ElementsAre(0, 0), ElementsAre(1, 0)));
}

TEST(trace_input, a_trace_that_is_cut_off_is_refused_with_its_packet) {
  const std::string whole = traces::perfetto_trace(small_run());
  std::size_t refused = 0;
  for (std::size_t bytes = 1; bytes < whole.size(); ++bytes) {
    const std::string told = test::message_of([&] { (void)views_of_trace(whole.substr(0, bytes), "t.pftrace"); });
    if (told == "no error") continue;
    EXPECT_THAT(told, HasSubstr("nearfork: trace t.pftrace"));
    ++refused;
  }
  EXPECT_GT(refused, whole.size() / 2);
}

TEST(trace_input, a_trace_of_another_program_is_refused) {
  EXPECT_THAT(test::message_of([] { (void)views_of_trace("", "t.pftrace"); }), HasSubstr("has no worker of nearfork"));
}

}  // namespace
}  // namespace nearfork::tools
