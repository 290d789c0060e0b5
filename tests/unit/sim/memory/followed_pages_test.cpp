#include "sim/memory/pages/followed_pages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace nearfork::sim {
namespace {

using testing::ElementsAre;

constexpr std::uint64_t small_page = 64;
const std::uint16_t both[] = {0, 1};

std::vector<std::uint16_t> nodes_in(const page_map& pages) {
  std::vector<std::uint16_t> made;
  for (std::uint64_t i = 0; i < pages.size(); ++i) made.push_back(pages.node_of(i));
  return made;
}

/// Makes at most so many moves; returns how many it made.
std::uint64_t move_some(followed_pages& followed, page_map& pages, std::uint64_t most = 1000) {
  std::uint64_t moved = 0;
  while (const auto next = followed.next(pages)) {
    if (moved == most) {
      followed.put_off(*next);
      break;
    }
    const std::uint16_t from = pages.node_of(next->page);
    if (!pages.move(next->page, next->to, next->may_use)) continue;
    followed.moved(next->page, from);
    ++moved;
  }
  return moved;
}

void follow(followed_pages& followed, page_map& pages, double border) {
  const double borders[] = {0, border, 1};
  followed.follow({.borders = borders, .nodes = both}, pages);
}

TEST(followed_pages, what_is_not_written_yet_goes_where_the_plan_wants_it) {
  page_map pages(4);
  followed_pages followed;
  const data_array all[] = {{0, 4 * small_page}};
  followed.add(all, small_page);
  follow(followed, pages, 0.5);
  EXPECT_EQ(move_some(followed, pages), 0U);
  for (std::uint64_t i = 0; i < 4; ++i) pages.write(i, 0);
  EXPECT_THAT(nodes_in(pages), ElementsAre(0, 0, 1, 1));
}

TEST(followed_pages, what_lies_elsewhere_is_moved_in_bounded_steps_and_back) {
  page_map pages(6);
  followed_pages followed;
  const data_array all[] = {{0, 2 * small_page}, {2 * small_page, 4 * small_page}};
  followed.add(all, small_page);
  for (std::uint64_t i = 0; i < 6; ++i) pages.write(i, 0);
  follow(followed, pages, 0.5);
  EXPECT_EQ(move_some(followed, pages, 2), 2U);
  EXPECT_THAT(nodes_in(pages), ElementsAre(0, 1, 0, 0, 1, 0)) << "each array is split by itself";
  follow(followed, pages, 0.5);
  EXPECT_EQ(move_some(followed, pages), 1U);
  EXPECT_THAT(nodes_in(pages), ElementsAre(0, 1, 0, 0, 1, 1));
  follow(followed, pages, 0.25);
  EXPECT_EQ(move_some(followed, pages), 1U) << "of two pages a quarter is a half";
  EXPECT_THAT(nodes_in(pages), ElementsAre(0, 1, 0, 1, 1, 1));
  followed.take_back(pages);
  EXPECT_EQ(move_some(followed, pages), 1U);
  EXPECT_THAT(nodes_in(pages), ElementsAre(0, 1, 0, 0, 1, 1));
}

TEST(followed_pages, room_that_is_kept_free_is_for_chunks_that_move) {
  page_map pages(8, {.pages = {8, 4}, .nearest = {{0, 1}, {1, 0}}});
  followed_pages followed;
  const data_array all[] = {{0, 8 * small_page}};
  followed.add(all, small_page);
  const double borders[] = {0, 0.5, 1};
  followed_pages::wish wanted{.borders = borders, .nodes = both, .kept_free = 0.25};
  followed.follow(wanted, pages);
  for (std::uint64_t i = 0; i < 8; ++i) pages.write(i, 0);
  EXPECT_THAT(nodes_in(pages), ElementsAre(0, 0, 0, 0, 1, 1, 1, 0));
  const chunk_move moves[] = {{.block = 0, .begin = 1, .end = 2, .to = node_id{1}}};
  wanted.moves = moves;
  followed.follow(wanted, pages);
  EXPECT_EQ(move_some(followed, pages), 1U);
  EXPECT_THAT(nodes_in(pages), ElementsAre(0, 1, 0, 0, 1, 1, 1, 0));
  wanted = {.borders = borders, .nodes = both};
  followed.follow(wanted, pages);
  EXPECT_EQ(move_some(followed, pages), 2U) << "nothing is kept free any more";
  EXPECT_THAT(nodes_in(pages), ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
}

TEST(followed_pages, borders_for_other_nodes_change_nothing) {
  page_map pages(2);
  followed_pages followed;
  const data_array all[] = {{0, 2 * small_page}};
  followed.add(all, small_page);
  const double borders[] = {0, 0.2, 0.4, 1};
  followed.follow({.borders = borders, .nodes = both}, pages);
  EXPECT_EQ(pages.meant(1), page_map::nowhere);
}

RC_GTEST_PROP(followed_pages, end_where_the_last_plan_wants_them_and_none_is_lost, ()) {
  constexpr std::uint64_t size = 20;
  page_map pages(size);
  followed_pages followed;
  const data_array all[] = {{0, 13 * small_page}, {13 * small_page, 7 * small_page - 9}};
  followed.add(all, small_page);
  std::uint64_t moves = 0;
  for (const std::uint32_t choice : *rc::gen::arbitrary<std::vector<std::uint32_t>>()) {
    if (choice % 4 != 0) pages.write(choice / 8 % size, choice / 4 % 2);
    else follow(followed, pages, static_cast<double>(choice / 8 % 9) / 8);
    moves += move_some(followed, pages, choice % 3);
  }
  follow(followed, pages, 0.375);
  moves += move_some(followed, pages);
  for (std::uint64_t i = 0; i < size; ++i) {
    pages.write(i, 0);
    RC_ASSERT(pages.node_of(i) == pages.meant(i));
  }
  RC_ASSERT(pages.counts().of_node[0] + pages.counts().of_node[1] == size);
  RC_ASSERT(pages.counts().moved == moves);
}

}  // namespace
}  // namespace nearfork::sim
