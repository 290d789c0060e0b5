// From notes to a profile: the same tree and costs whichever worker noted them, and the reason if there is no profile.
#include "runtime/regions/profile_assembly.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include <nearfork/error.hpp>

#include "message_of.hpp"
#include "runtime/recording/graph_assembly.hpp"

namespace {

using namespace nearfork;
using detail::iteration_log;
using detail::noted_tasks;

struct profiled_log : iteration_log {
  explicit profiled_log(std::uint32_t workers, std::uint32_t most_tasks = 1'000'000,
                        std::optional<detail::recorded_root> recorded = {})
      : iteration_log(workers, most_tasks, recorded, {}) {
    profile();
  }
};

std::optional<assembled_profile> profile_of(iteration_log& log, std::uint64_t most_tasks = 1'000'000) {
  noted_tasks noted(log);
  return assemble_profile(noted, {.most_tasks = most_tasks, .input_bytes = 4096, .ns_per_tick = 2});
}

/// A root that forks two tasks; the second task forks one. The pieces of work lie in several logs.
std::uint32_t fill(iteration_log& log) {
  const std::uint32_t first = log.take_numbers(0, 2);
  const std::uint32_t last = log.take_numbers(1, 1);
  (void)log.note(1, {.task = 0, .stretch = 1, .ticks = 5});
  (void)log.note(0, {.task = 0, .stretch = 0, .first_child = first, .branching = 2, .ticks = 3});
  (void)log.note(0, {.task = first, .ticks = 100});
  (void)log.note(1, {.task = first + 1, .first_child = last, .branching = 1, .ticks = 7});
  (void)log.note(0, {.task = first + 1, .stretch = 1, .ticks = -9});
  (void)log.note(1, {.task = last, .ticks = std::int64_t{1} << 40});
  log.note_misses(0, {.task = 0, .bytes = 64});
  log.note_misses(1, {.task = 0, .bytes = 128});
  log.note_misses(1, {.task = last, .bytes = 640});
  return first;
}

TEST(profile_assembly, adds_up_the_pieces_and_misses_of_each_task) {
  profiled_log log(2);
  (void)fill(log);
  const std::optional<assembled_profile> assembled = profile_of(log);
  ASSERT_TRUE(assembled);
  const profile& made = assembled->made;
  EXPECT_EQ(assembled->misses_not_counted, "");
  EXPECT_EQ(made.source(), cost_source::cache_misses);
  EXPECT_EQ(made.input_bytes(), 4096U);
  ASSERT_EQ(made.tree().size(), 4U);
  EXPECT_EQ(made.tree().parent(tree_node{3}), tree_node{2});
  EXPECT_EQ(made.own(tree_root), (task_cost{.size_bytes = 192, .time_ns = 16}));
  EXPECT_EQ(made.own(tree_node{1}), (task_cost{.size_bytes = 0, .time_ns = 200}));
  EXPECT_EQ(made.own(tree_node{2}), (task_cost{})) << "less than nothing";
  EXPECT_EQ(made.own(tree_node{3}), (task_cost{.size_bytes = 640, .time_ns = std::uint64_t{1} << 41}));
  EXPECT_EQ(made.total(tree_root).size_bytes, 832U) << "complete";
}

TEST(profile_assembly, leaves_out_tasks_of_groups) {
  profiled_log log(1, 100, detail::recorded_root{.kind = detail::recorded_root_kind::region, .number = 1});
  const detail::noted_place root{.log = &log};
  const std::uint32_t spawned = log.note_spawn(0, root);
  (void)log.note(0, {.task = spawned, .ticks = 50});
  const std::uint32_t forked = log.note_fork(0, root, 1);
  (void)log.note(0, {.task = forked, .ticks = 4});
  const std::optional<assembled_profile> assembled = profile_of(log);
  ASSERT_TRUE(assembled);
  ASSERT_EQ(assembled->made.tree().size(), 2U);
  EXPECT_EQ(assembled->made.own(tree_node{1}).time_ns, 8U);
}

TEST(profile_assembly, and_a_graph_come_from_the_same_notes) {
  const detail::recorded_root root{.kind = detail::recorded_root_kind::region, .number = 1};
  profiled_log for_both(2, 1000, root);
  profiled_log for_one(2, 1000, root);
  (void)fill(for_both);
  (void)fill(for_one);
  noted_tasks both(for_both);
  noted_tasks one(for_one);
  const auto assembled = assemble_profile(both, {.most_tasks = 1000, .input_bytes = 0, .ns_per_tick = 1});
  ASSERT_TRUE(assembled);
  EXPECT_EQ(assembled->made.tree().size(), 4U);
  const auto ignore = [](const recordings::data_access&) {};
  EXPECT_EQ(assemble(both, 1, ignore).code, assemble(one, 1, ignore).code);
}

TEST(profile_assembly, has_nothing_where_there_are_too_many_tasks) {
  profiled_log log(2);
  (void)fill(log);
  EXPECT_TRUE(profile_of(log, 4));
  profiled_log again(2);
  (void)fill(again);
  EXPECT_FALSE(profile_of(again, 3));
  profiled_log small(1, 2);
  EXPECT_NE(small.take_numbers(0, 1), 0U);
  EXPECT_EQ(small.take_numbers(0, 1), 0U);
  EXPECT_FALSE(profile_of(small));
}

TEST(profile_assembly, says_why_it_had_to_do_without_misses) {
  profiled_log refused(2);
  (void)fill(refused);
  refused.note_uncounted(1, "");
  refused.note_uncounted(1, "perf_event_paranoid is 3");
  refused.note_uncounted(1, "something later");
  const std::optional<assembled_profile> timed = profile_of(refused);
  ASSERT_TRUE(timed);
  EXPECT_EQ(timed->misses_not_counted, "perf_event_paranoid is 3");
  EXPECT_NE(timed->made.source(), cost_source::cache_misses);
  EXPECT_EQ(timed->made.own(tree_root).time_ns, 16U);

  profiled_log still(1);
  (void)still.note(0, {.task = 0, .ticks = 1});
  EXPECT_NE(profile_of(still)->misses_not_counted.find("stayed at zero"), std::string::npos);
}

TEST(profile_assembly, refuses_logs_that_are_still_written) {
  profiled_log log(1);
  log.add_loose_task();
  EXPECT_NE(test::message_of([&] { (void)profile_of(log); }).find("outlived"), std::string::npos);
  log.end_loose_task();
  EXPECT_TRUE(profile_of(log));
}

}  // namespace
