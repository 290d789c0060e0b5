// From notes to the code of a graph, whatever the order, worker and width of the notes.
#include "runtime/recording/graph_assembly.hpp"

#include "runtime/recording/graph_recorder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "recording/byte_reader.hpp"
#include "recording/graph_code.hpp"

namespace {

using namespace nearfork;
using detail::iteration_log;
using detail::recorded_root;
using detail::recorded_root_kind;

iteration_log log_of(std::uint32_t workers, std::uint32_t most_tasks = 1'000'000) {
  return {workers, most_tasks, recorded_root{.kind = recorded_root_kind::region, .number = 1}, {}};
}

recordings::task_graph graph_of(iteration_log& log) {
  detail::noted_tasks noted(log);
  const assembled_graph made = assemble(noted, 1.0, [](const recordings::data_access&) {});
  const recordings::data_block addresses[] = {{"addresses", ~std::uint64_t{0}}};
  recordings::byte_reader from(made.code, "test");
  recordings::recording_sums sums;
  recordings::task_graph graph = recordings::read_graph(from, addresses, sums);
  EXPECT_EQ(sums.work_ns, made.work_ns);
  EXPECT_EQ(sums.touched_bytes, made.touched_bytes);
  EXPECT_EQ(graph.tasks(), made.tasks);
  EXPECT_EQ(graph.access_count(), made.accesses);
  return graph;
}

TEST(graph_assembly, puts_pieces_of_a_task_that_went_from_worker_to_worker_into_its_stretches) {
  iteration_log log = log_of(2);
  const std::uint32_t first = log.take_numbers(0, 2);
  const std::uint32_t second = log.take_numbers(1, 1);
  (void)log.note(1, {.task = 0, .stretch = 2, .ticks = 30});
  (void)log.note(1, {.task = 0, .stretch = 1, .first_child = second, .branching = 1, .ticks = 20});
  (void)log.note(0, {.task = 0, .stretch = 0, .ticks = 4});
  (void)log.note(0, {.task = 0, .stretch = 0, .first_child = first, .branching = 2, .ticks = 6});
  (void)log.note(1, {.task = second, .ticks = 7});
  (void)log.note(0, {.task = first, .ticks = 8});
  (void)log.note(1, {.task = first + 1, .ticks = 9});
  const recordings::task_graph graph = graph_of(log);
  ASSERT_EQ(graph.tasks(), 4U);
  ASSERT_EQ(graph.forks(0).size(), 2U);
  EXPECT_EQ(graph.forks(0)[0].branching, 2U);
  EXPECT_EQ(graph.forks(0)[1].branching, 1U);
  EXPECT_EQ(graph.work(0, 0).time_ns, 10U);
  EXPECT_EQ(graph.work(0, 1).time_ns, 20U);
  EXPECT_EQ(graph.work(0, 2).time_ns, 30U);
  EXPECT_EQ(graph.work(1, 0).time_ns, 8U);
  EXPECT_EQ(graph.work(2, 0).time_ns, 9U);
  EXPECT_EQ(graph.work(3, 0).time_ns, 7U);
}

TEST(graph_assembly, keeps_what_does_not_fit_a_narrow_note) {
  iteration_log log = log_of(1);
  const std::uint32_t children = 70'000;
  const std::uint32_t first = log.take_numbers(0, children);
  const std::int64_t long_ticks = std::int64_t{1} << 40;
  (void)log.note(0, {.task = 0, .stretch = 0, .first_child = first, .branching = children, .ticks = 1});
  (void)log.note(0, {.task = 0, .stretch = 1, .ticks = long_ticks});
  const recordings::task_graph graph = graph_of(log);
  EXPECT_EQ(graph.tasks(), children + 1);
  EXPECT_EQ(graph.work(0, 1).time_ns, static_cast<std::uint64_t>(long_ticks));

  iteration_log many = log_of(1);
  const std::uint32_t forks = 70'000;
  for (std::uint32_t i = 0; i < forks; ++i) {
    const std::uint32_t child = many.take_numbers(0, 1);
    (void)many.note(0, {.task = 0, .stretch = i, .first_child = child, .branching = 1, .ticks = 2});
    (void)many.note(0, {.task = child, .ticks = i % 100});
  }
  (void)many.note(0, {.task = 0, .stretch = forks, .ticks = 3});
  const recordings::task_graph of_many = graph_of(many);
  ASSERT_EQ(of_many.tasks(), forks + 1);
  ASSERT_EQ(of_many.forks(0).size(), forks);
  EXPECT_EQ(of_many.work(0, forks).time_ns, 3U);
  EXPECT_EQ(of_many.work(forks, 0).time_ns, (forks - 1) % 100) << "the last child is the last task";
}

TEST(graph_assembly, lets_the_next_stretch_take_over_what_one_is_below_zero) {
  iteration_log log = log_of(1);
  const std::uint32_t first = log.take_numbers(0, 2);
  (void)log.note(0, {.task = 0, .stretch = 0, .first_child = first, .branching = 2, .ticks = -5});
  (void)log.note(0, {.task = first, .ticks = 3});
  (void)log.note(0, {.task = first + 1, .ticks = 10});
  (void)log.note(0, {.task = 0, .stretch = 1, .ticks = 0});
  const recordings::task_graph graph = graph_of(log);
  EXPECT_EQ(graph.work_ns(), 8U);
  EXPECT_EQ(graph.work(0, 0).time_ns, 0U);
}

TEST(graph_assembly, has_the_same_tree_with_and_without_accesses) {
  // One assembly walks by level, the other breadth first: an unbalanced tree tells the two apart.
  const auto fill = [](iteration_log& log) {
    const auto add = [&](const auto& self, std::uint32_t task, unsigned depth) -> void {
      if (depth == 0) {
        (void)log.note(0, {.task = task, .ticks = task});
        return;
      }
      const std::uint32_t first = log.take_numbers(0, depth);
      (void)log.note(0, {.task = task, .stretch = 0, .first_child = first, .branching = depth, .ticks = task});
      for (unsigned i = 0; i < depth; ++i) self(self, first + i, i);
      (void)log.note(0, {.task = task, .stretch = 1, .ticks = 1});
    };
    add(add, 0, 6);
  };
  iteration_log plain = log_of(1);
  fill(plain);
  iteration_log touching = log_of(1);
  fill(touching);
  touching.note_access(0, {.task = 0, .stretch = 1, .access = {.begin_byte = 4096, .size_bytes = 8}});
  const recordings::task_graph a = graph_of(plain);
  const recordings::task_graph b = graph_of(touching);
  ASSERT_EQ(a.tasks(), 64U);
  ASSERT_EQ(b.tasks(), 64U);
  for (std::uint32_t task = 0; task < a.tasks(); ++task) {
    ASSERT_TRUE(std::ranges::equal(a.forks(task), b.forks(task))) << task;
    for (std::uint32_t i = 0; i <= a.forks(task).size(); ++i)
      EXPECT_EQ(a.work(task, i).time_ns, b.work(task, i).time_ns) << task;
  }
  ASSERT_EQ(b.work(0, 1).accesses.size(), 1U);
  EXPECT_EQ(b.work(0, 1).accesses[0].begin_byte, 4096U);
}

TEST(iteration_log, hands_out_no_number_twice_and_none_beyond_the_room) {
  iteration_log log = log_of(3, 1000);
  std::vector<bool> taken(1000);
  taken[0] = true;  // the root
  std::uint32_t worker = 0;
  for (std::uint32_t count = 1;; count = count % 7 + 1, worker = (worker + 1) % 3) {
    const std::uint32_t first = log.take_numbers(worker, count);
    if (first == 0) break;
    for (std::uint32_t i = first; i < first + count; ++i) {
      ASSERT_LT(i, 1000U);
      ASSERT_FALSE(taken[i]) << i;
      taken[i] = true;
    }
  }
  EXPECT_FALSE(log.whole());
  EXPECT_EQ(log.tasks(), static_cast<std::uint32_t>(std::ranges::count(taken, true)));
  EXPECT_GT(log.tasks(), 950U) << "what workers have drawn and not used is little";
}

TEST(call_site, is_the_files_name_and_the_line) {
  EXPECT_EQ(text_of({"/some/where/main.cpp", 12}), "main.cpp:12");
}

}  // namespace
