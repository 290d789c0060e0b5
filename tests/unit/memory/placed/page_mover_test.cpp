#include "memory/placed/page_mover.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <span>
#include <vector>

#include "unit/memory/placed/memory_of.hpp"

namespace nearfork {
namespace {

using test::all_at_once;
using test::memory_of;
using test::page;
using testing::HasSubstr;

// --- regions ---

TEST(data_of_a_region, are_the_blocks_that_follow_plans_and_name_no_other) {
  memory_of run({100, 100});
  (void)run.allocate(3);
  (void)run.allocate(5, {.region = "heat"});
  (void)run.allocate(7, {.region = "other"});
  (void)run.allocate(9, {.where = placing::interleaved()});
  EXPECT_EQ(run.memory.data_of("heat").blocks, 2U);
  EXPECT_EQ(run.memory.data_of("heat").bytes, 8 * page);
  EXPECT_EQ(run.memory.data_of("third").bytes, 3 * page);
}

TEST(follow, binds_pages_before_they_are_touched) {
  memory_of run({100, 100});
  std::byte* const block = run.allocate(8);
  EXPECT_TRUE(run.follow({0, 0.5, 1}).in_place);
  run.touch(block, 8, 0);
  EXPECT_EQ(run.picture(block, 8), "00001111");
  EXPECT_EQ(run.nodes.moved_pages, 0U);
}

TEST(follow, moves_what_was_touched_elsewhere) {
  memory_of run({100, 100});
  std::byte* const block = run.allocate(8);
  run.touch(block, 6, 0);
  const move_outcome moved = run.follow({0, 0.5, 1});
  EXPECT_EQ(moved.moved_bytes, 2 * page);
  EXPECT_TRUE(moved.in_place);
  EXPECT_EQ(run.picture(block, 8), "000011..");
  EXPECT_EQ(run.memory.totals().moved_bytes, 2 * page);
}

TEST(follow, moves_the_difference_alone) {
  memory_of run({100, 100});
  std::byte* const block = run.allocate(8);
  (void)run.follow({0, 0.5, 1});
  run.touch(block, 8, 0);
  const auto asked = run.nodes.located_pages;
  EXPECT_EQ(run.follow({0, 0.75, 1}).moved_bytes, 2 * page);
  EXPECT_EQ(run.nodes.located_pages - asked, 2U + 2U) << "the difference, and once more whether it arrived";
  EXPECT_EQ(run.picture(block, 8), "00000011");
  const auto calls = run.nodes.policy_calls;
  EXPECT_EQ(run.follow({0, 0.75, 1}).moved_bytes, 0U);
  EXPECT_EQ(run.nodes.policy_calls, calls) << "nothing has changed";
}

TEST(follow, moves_so_many_bytes_at_once) {
  memory_of run({100, 100});
  std::byte* const block = run.allocate(10);
  run.touch(block, 10, 0);
  std::vector<std::uint64_t> moved;
  for (move_outcome one = run.follow({0, 0, 1}, 4 * page);; one = run.follow({0, 0, 1}, 4 * page)) {
    moved.push_back(one.moved_bytes / page);
    if (one.in_place) break;
  }
  EXPECT_EQ(moved, (std::vector<std::uint64_t>{4, 4, 2}));
  EXPECT_EQ(run.picture(block, 10), "1111111111");
}

TEST(follow, moves_nothing_where_no_bytes_may_be_moved) {
  memory_of run({100, 100});
  std::byte* const block = run.allocate(10);
  run.touch(block, 5, 0);
  EXPECT_TRUE(run.follow({0, 0, 1}, 0).in_place);
  run.touch(block, 10, 0);
  EXPECT_EQ(run.picture(block, 10), "0000011111");
}

TEST(follow, splits_all_blocks_of_the_region_alike) {
  memory_of run({100, 100});
  std::byte* const one = run.allocate(8);
  std::byte* const other = run.allocate(8);
  std::byte* const half = run.allocate(4);
  std::byte* const strange = run.allocate(4, {.region = "other"});
  (void)run.follow({0, 0.25, 1});
  for (std::byte* const block : {one, other}) run.touch(block, 8, 0);
  for (std::byte* const block : {half, strange}) run.touch(block, 4, 0);
  EXPECT_EQ(run.picture(one, 8), "00111111");
  EXPECT_EQ(run.picture(other, 8), "00111111");
  EXPECT_EQ(run.picture(half, 4), "0111");
  EXPECT_EQ(run.picture(strange, 4), "0000");
}

TEST(follow, does_not_drag_pages_between_regions_that_take_turns) {
  memory_of run({100, 100});
  std::byte* const block = run.allocate(8);
  run.touch(block, 8, 0);
  for (int i = 0; i < 3; ++i) {
    (void)run.follow({0, 0.5, 1}, all_at_once, "heat");
    (void)run.follow({0, 0.25, 1}, all_at_once, "check");
  }
  EXPECT_EQ(run.picture(block, 8), "00001111");
  EXPECT_EQ(run.nodes.moved_pages, 4U);
  for (int i = 0; i < 2; ++i) (void)run.follow({0, 0.25, 1}, all_at_once, "check");
  EXPECT_EQ(run.picture(block, 8), "00111111") << "who uses it most, leads";
}

TEST(follow, goes_on_without_moving_where_that_is_refused) {
  for (const int refused : {EPERM, ENOSYS}) {
    memory_of run({100, 100});
    run.nodes.refuse_move = refused;
    std::byte* const block = run.allocate(4);
    run.touch(block, 2, 0);
    EXPECT_TRUE(run.follow({0, 0, 1}).in_place);
    run.touch(block, 4, 0);
    EXPECT_EQ(run.picture(block, 4), "0011");
    EXPECT_THAT(run.shortfall(), HasSubstr("not moved to its tasks"));
  }
}

// A withdrawn node must not stop the move of pages to other nodes.
TEST(follow, asks_again_after_a_node_was_withdrawn) {
  for (const int withdrawn : {ENODEV, EACCES}) {
    memory_of run({100, 100});
    std::byte* const block = run.allocate(4);
    run.touch(block, 4, 0);
    run.nodes.refuse_move = withdrawn;
    EXPECT_TRUE(run.follow({0, 0.5, 1}).in_place);
    EXPECT_EQ(run.picture(block, 4), "0000");
    EXPECT_EQ(run.memory.totals().stuck_bytes, 2 * page);
    EXPECT_THAT(run.shortfall(), HasSubstr("errno " + std::to_string(withdrawn)));
    run.nodes.refuse_move = 0;
    (void)run.follow({0, 0.25, 1});
    EXPECT_EQ(run.picture(block, 4), "0100");
  }
}

TEST(follow, says_that_a_node_is_full_and_leaves_what_has_no_room) {
  memory_of run({100, 3});
  std::byte* const block = run.allocate(8);
  run.touch(block, 8, 0);
  run.nodes.knows_free = false;
  EXPECT_TRUE(run.follow({0, 0.5, 1}).in_place);
  EXPECT_EQ(run.picture(block, 8), "00001110");
  EXPECT_EQ(run.memory.totals().stuck_bytes, page);
  EXPECT_THAT(run.shortfall(), HasSubstr("the node is full"));
}

TEST(follow, gives_the_part_of_a_full_node_to_the_next) {
  memory_of run({100, 2, 100});
  std::byte* const block = run.allocate(9);
  (void)run.follow({0, 1.0 / 3, 2.0 / 3, 1});
  run.touch(block, 9, 0);
  EXPECT_EQ(run.picture(block, 9), "000000222");
  EXPECT_THAT(run.shortfall(), HasSubstr("node 1 has too little free memory; node 0"));
}

split_wish keeping_a_quarter(std::span<const chunk_move> moves = {}) {
  return {.region = "heat", .moves = moves, .kept_free = 0.25, .most_moved_bytes = all_at_once};
}

TEST(follow, leaves_room_that_is_kept_free_to_chunks_that_move) {
  memory_of run({100, 8});
  std::byte* const block = run.allocate(16);
  (void)run.follow({0, 0.5, 1}, keeping_a_quarter());
  run.touch(block, 16, 0);
  EXPECT_EQ(run.picture(block, 16), "0000000000000000");
  EXPECT_THAT(run.shortfall(), HasSubstr("node 1 has too little free memory; node 0"));
  const std::vector<chunk_move> moves{{.block = 1, .begin = 1, .end = 3, .to = node_id{1}}};  // the first block made
  EXPECT_EQ(run.follow({0, 0.5, 1}, keeping_a_quarter(moves)).moved_bytes, 2 * page);
  EXPECT_EQ(run.picture(block, 16), "0110000000000000");
}

TEST(follow, takes_what_is_kept_free_where_no_other_node_has_room) {
  memory_of run({8, 8});
  std::byte* const block = run.allocate(16);
  (void)run.follow({0, 0.5, 1}, keeping_a_quarter());
  run.touch(block, 16, 0);
  EXPECT_EQ(run.picture(block, 16), "0000000011111111");
}

// Each block has room as long as no thread has touched the other.
TEST(follow, finds_in_the_next_iteration_what_lies_elsewhere_since_blocks_together_had_no_room) {
  memory_of run({100, 6});
  std::byte* const one = run.allocate(8);
  std::byte* const other = run.allocate(8);
  EXPECT_TRUE(run.follow({0, 0.5, 1}).in_place);
  run.touch(one, 8, 0);
  run.touch(other, 8, 0);
  EXPECT_EQ(run.picture(other, 8), "00001100");
  EXPECT_EQ(run.shortfall(), "") << "nobody has looked";
  (void)run.follow({0, 0.5, 1});
  EXPECT_THAT(run.shortfall(), HasSubstr("the node is full"));
  EXPECT_EQ(run.memory.totals().stuck_bytes, 2 * page);
}

TEST(follow, brings_home_what_was_touched_elsewhere_as_soon_as_there_is_room) {
  memory_of run({100, 4});
  std::byte* const passing = run.allocate(2, {.where = placing::bound_to(1)});
  run.touch(passing, 2, 0);
  run.nodes.knows_free = false;
  std::byte* const block = run.allocate(8);
  (void)run.follow({0, 0.5, 1});
  run.touch(block, 8, 0);
  EXPECT_EQ(run.picture(block, 8), "00001100");
  run.memory.free(passing);
  EXPECT_EQ(run.follow({0, 0.5, 1}).moved_bytes, 2 * page);
  EXPECT_EQ(run.picture(block, 8), "00001111");
  EXPECT_EQ(run.follow({0, 0.5, 1}).moved_bytes, 0U);
}

TEST(follow, looks_once_more_at_pages_that_nobody_had_touched_and_no_oftener) {
  memory_of run({100, 100});
  std::byte* const block = run.allocate(8);
  run.touch(block, 2, 0);
  (void)run.follow({0, 0.5, 1});
  EXPECT_EQ(run.nodes.located_pages, 8U);
  (void)run.follow({0, 0.5, 1});
  EXPECT_EQ(run.nodes.located_pages, 8U + 6U);
  (void)run.follow({0, 0.5, 1});
  EXPECT_EQ(run.nodes.located_pages, 8U + 6U);
}

// Pages that already lie on a node need no further room there.
TEST(follow, does_not_take_a_node_for_full_that_holds_the_block) {
  memory_of run({8, 100});
  std::byte* const block = run.allocate(8);
  run.touch(block, 8, 0);
  (void)run.follow({0, 0.5, 1});
  EXPECT_EQ(run.picture(block, 8), "00001111");
  EXPECT_EQ(run.shortfall(), "");
}

TEST(take_back, restores_where_the_pages_lay) {
  memory_of run({100, 100, 100});
  std::byte* const block = run.allocate(9);
  run.touch(block, 2, 2);
  run.touch(block, 8, 0);
  (void)run.follow({0, 1.0 / 3, 2.0 / 3, 1});
  EXPECT_EQ(run.picture(block, 9), "00011122.");
  EXPECT_TRUE(run.memory.take_back("heat", all_at_once).in_place);
  run.touch(block, 9, 1);
  EXPECT_EQ(run.picture(block, 9), "220000001") << "and what is touched next goes by first touch again";
}

TEST(take_back, undoes_the_last_change_alone) {
  memory_of run({100, 100});
  std::byte* const block = run.allocate(8);
  run.touch(block, 8, 0);
  (void)run.follow({0, 0.5, 1});
  (void)run.follow({0, 0.25, 1});
  EXPECT_FALSE(run.memory.take_back("heat", page).in_place) << "bounded, too";
  EXPECT_TRUE(run.memory.take_back("heat", all_at_once).in_place);
  EXPECT_EQ(run.picture(block, 8), "00001111");
  EXPECT_EQ(run.follow({0, 0.5, 1}).moved_bytes, 0U);
}

}  // namespace
}  // namespace nearfork
