// Where the pages of a program come to lie when it runs: rules, room, plans and moves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nearfork/config.hpp>

#include <numeric>

#include <nearfork/error.hpp>

#include "message_of.hpp"
#include "sim/engine/region_run.hpp"
#include "sim/programs/setup.hpp"
#include "unit/sim/machine/hand_models.hpp"

namespace nearfork::sim {
namespace {

using test::message_of;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t buffer_bytes = 256 * 8192;
constexpr std::uint64_t buffer_pages = buffer_bytes / 4096;

program two_buffers(setup_kind how, std::string_view rule) {
  program made = regular_grid({.rows = 256, .row_bytes = 8192, .leaf_rows = 8});
  made.arrays = {{0, buffer_bytes}, {buffer_bytes, buffer_bytes}};
  set_up(made, how);
  made.placing = placing_called(rule);
  return made;
}

/// Four domains of two cores. `node_pages`: 0 for nodes without bound.
region_settings settings_for(const machine& where, std::uint64_t node_pages, std::size_t iterations) {
  machine_model model = round_model(where);
  if (node_pages > 0) model.node_bytes.assign(4, node_pages * 4096);
  return {.engine = {.model = model}, .iterations = iterations};
}

region_run run_placed(std::string_view rule, std::uint64_t node_pages = 0, std::string_view policy = "random",
                      setup_kind how = setup_kind::serial) {
  static const machine where = machine_of(4, 2);
  return run_region(two_buffers(how, rule), where, *make_policy(policy), settings_for(where, node_pages, 4));
}

page_counts pages_after(const region_run& seen) {
  return seen.iterations.back().pages;
}

TEST(page_placing_run, first_write_is_beside_the_writer) {
  EXPECT_THAT(pages_after(run_placed("first-write")).of_node, ElementsAre(2 * buffer_pages));
}

TEST(page_placing_run, a_full_node_gives_its_pages_to_the_next) {
  const page_counts seen = pages_after(run_placed("first-write", 300));
  EXPECT_THAT(seen.of_node, ElementsAre(300, 300, 300, 2 * buffer_pages - 900));
  EXPECT_EQ(seen.fell_back, 2 * buffer_pages - 300);
}

TEST(page_placing_run, ends_when_no_node_has_room) {
  EXPECT_THAT(message_of([] { (void)run_placed("first-write", 200); }),
              testing::AllOf(HasSubstr("800 pages fill all memory nodes"), HasSubstr("smaller problem")));
  EXPECT_THAT(message_of([] { (void)run_placed("bound:1,2", 300); }),
              HasSubstr("600 pages fill the memory nodes that pages are bound to"));
}

TEST(page_placing_run, rules_name_the_nodes) {
  EXPECT_THAT(pages_after(run_placed("bound:2")).of_node, ElementsAre(0, 0, 2 * buffer_pages));
  EXPECT_THAT(pages_after(run_placed("preferred:3", 800)).of_node, ElementsAre(2 * buffer_pages - 800, 0, 0, 800));
  EXPECT_THAT(pages_after(run_placed("interleaved")).of_node,
              ElementsAre(buffer_pages / 2, buffer_pages / 2, buffer_pages / 2, buffer_pages / 2));
  EXPECT_THAT(pages_after(run_placed("by-weights:1=1,3=3")).of_node,
              ElementsAre(0, buffer_pages / 2, 0, buffer_pages * 3 / 2));
}

TEST(page_placing_run, pages_follow_the_plans_of_laws) {
  const region_run stays = run_placed("first-write", 0, "laws");
  const region_run follows = run_placed("follow-plan", 0, "laws");
  EXPECT_EQ(stays.iterations.back().memory.local < stays.iterations.back().memory.remote, true);
  EXPECT_GT(follows.iterations.back().memory.local, 5 * follows.iterations.back().memory.remote);
  EXPECT_THAT(pages_after(follows).of_node, testing::Each(buffer_pages / 2));
}

// They lie elsewhere before the plan is made, so they are moved, and that takes time.
TEST(page_placing_run, pages_that_lie_elsewhere_are_moved) {
  const region_run seen = run_placed("follow-plan", 0, "laws", setup_kind::interleaved);
  const page_counts pages = pages_after(seen);
  EXPECT_EQ(pages.moved, 2 * buffer_pages * 3 / 4);
  EXPECT_THAT(pages.of_node, testing::Each(buffer_pages / 2));
  EXPECT_GE(seen.iterations.front().moving_ps, pages.moved * 2'500'000);
  std::uint64_t sum = 0;
  for (const iteration_report& one : seen.iterations) sum += one.duration_ps + one.moving_ps;
  EXPECT_EQ(seen.total_ps(), sum);
  EXPECT_EQ(pages_after(run_placed("first-write", 0, "laws", setup_kind::interleaved)).moved, 0U);
}

TEST(page_placing_run, moves_are_bounded_before_each_iteration) {
  const machine where = machine_of(4, 2);
  region_settings settings = settings_for(where, 0, 3);
  settings.move_bytes = 100 * 4096;
  const region_run seen =
      run_region(two_buffers(setup_kind::interleaved, "follow-plan"), where, *make_policy("laws"), settings);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(seen.iterations[i].pages.moved, 100 * (i + 1));
  settings.move_bytes = 0;
  EXPECT_EQ(pages_after(
                run_region(two_buffers(setup_kind::interleaved, "follow-plan"), where, *make_policy("laws"), settings))
                .moved,
            0U);
}

TEST(page_placing_run, under_random_nothing_follows) {
  EXPECT_EQ(run_placed("follow-plan").iterations, run_placed("first-write").iterations);
}

TEST(page_placing_run, an_array_may_have_a_rule_of_its_own) {
  const machine where = machine_of(4, 2);
  program what = two_buffers(setup_kind::serial, "first-write");
  what.arrays[1].how = placing_rule::interleaved;
  const page_counts seen = pages_after(run_region(what, where, *make_policy("random"), settings_for(where, 0, 1)));
  EXPECT_THAT(seen.of_node, ElementsAre(buffer_pages * 5 / 4, buffer_pages / 4, buffer_pages / 4, buffer_pages / 4));
}

RC_GTEST_PROP(page_placing_run, the_same_run_twice_is_the_same_and_keeps_every_page, ()) {
  const auto rule = *rc::gen::element<std::string>("first-write", "follow-plan", "interleaved", "by-bandwidth",
                                                   "by-weights:0=1,2=3", "preferred:1");
  const auto policy = *rc::gen::element<std::string>("random", "laws", "saws", "acab");
  const auto how = *rc::gen::element(setup_kind::serial, setup_kind::none, setup_kind::quarters);
  const auto node_pages = *rc::gen::element<std::uint64_t>(0, 256, 257, 400);
  const region_run once = run_placed(rule, node_pages, policy, how);
  const region_run again = run_placed(rule, node_pages, policy, how);
  RC_ASSERT(once.iterations == again.iterations);
  for (const iteration_report& one : once.iterations) {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : one.pages.of_node) {
      RC_ASSERT(node_pages == 0 || count <= node_pages);
      sum += count;
    }
    RC_ASSERT(sum <= 2 * buffer_pages);
    if (how != setup_kind::none) RC_ASSERT(sum == 2 * buffer_pages);
  }
}

}  // namespace
}  // namespace nearfork::sim
