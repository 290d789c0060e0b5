#include "memory/blocks/page_queue.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using namespace nearfork;

TEST(page_queue, is_worked_off_from_the_front) {
  page_queue queue;
  EXPECT_TRUE(queue.empty());
  queue.add({0, 4, node_id{1}});
  queue.add({6, 8, node_id{2}});
  EXPECT_EQ(queue.front(), (page_run{0, 4, node_id{1}}));
  queue.take(3);
  EXPECT_EQ(queue.front(), (page_run{3, 4, node_id{1}}));
  queue.take(1);
  EXPECT_EQ(queue.front(), (page_run{6, 8, node_id{2}}));
  queue.take(2);
  EXPECT_TRUE(queue.empty());
}

TEST(page_queue, takes_pages_that_were_worked_off_once_more) {
  page_queue queue(page_split{{0, 2, node_id{0}}, {4, 6, node_id{0}}});
  queue.take(2);
  queue.add({0, 1, node_id{1}});
  queue.add({5, 6, node_id{1}});
  EXPECT_EQ(queue.front(), (page_run{0, 1, node_id{1}}));
  queue.take(1);
  EXPECT_EQ(queue.front(), (page_run{4, 5, node_id{0}}));
  queue.take(1);
  EXPECT_EQ(queue.front(), (page_run{5, 6, node_id{1}}));
  queue.clear();
  EXPECT_TRUE(queue.empty());
}

/// In quadratic time this test would take minutes.
TEST(page_queue, of_a_run_for_each_page_is_worked_off) {
  constexpr std::uint64_t pages = 1'000'000;
  page_split scattered;
  for (std::uint64_t i = 0; i < pages; ++i) scattered.push_back({2 * i, 2 * i + 1, node_id{0}});
  page_queue queue(std::move(scattered));
  std::uint64_t taken = 0;
  for (; !queue.empty(); ++taken) queue.take(1);
  EXPECT_EQ(taken, pages);
}

}  // namespace
