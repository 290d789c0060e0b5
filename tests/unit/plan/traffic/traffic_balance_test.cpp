#include "plan/traffic/traffic_balance.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

#include "base/rng.hpp"

namespace nearfork {
namespace {

/// Chunks of `pages` pages with these heats, one after the other.
void add_chunks(std::vector<data_chunk>& to, std::uint32_t node, const std::vector<double>& heats,
                std::uint64_t pages = 1) {
  for (const double heat : heats) {
    const std::uint64_t begin = to.empty() ? 0 : to.back().end;
    to.push_back({.block = 0, .begin = begin, .end = begin + pages, .node = node_id{node}, .heat = heat});
  }
}

double off_balance(const std::vector<double>& heat, const std::vector<double>& wanted) {
  double sum = 0;
  for (std::size_t i = 0; i < heat.size(); ++i) sum += std::abs(heat[i] - wanted[i]);
  return sum;
}

// Acceptance case 2. As printed the algorithm moves 30, 20 and 10; with its strict comparison only 30.
TEST(traffic_balance, moves_the_hottest_chunks_that_fit) {
  std::vector<data_chunk> chunks;
  add_chunks(chunks, 0, {30, 20, 10});
  add_chunks(chunks, 1, {20, 20});
  const traffic_balance made = balance_traffic(chunks, std::vector<node_room_left>{{1}, {4}});
  EXPECT_EQ(made.moves, (std::vector<balanced_move>{{0, 1}, {2, 1}}));
  EXPECT_EQ(made.before, (std::vector<double>{60, 40}));
  EXPECT_EQ(made.wanted, (std::vector<double>{20, 80}));
  EXPECT_EQ(made.after, (std::vector<double>{20, 80}));
}

TEST(traffic_balance, moves_nothing_that_is_balanced) {
  std::vector<data_chunk> chunks;
  add_chunks(chunks, 0, {10, 10});
  add_chunks(chunks, 1, {40, 40});
  EXPECT_TRUE(balance_traffic(chunks, std::vector<node_room_left>{{1}, {4}}).moves.empty());
  EXPECT_TRUE(balance_traffic({}, std::vector<node_room_left>{{1}, {4}}).moves.empty());
  EXPECT_TRUE(balance_traffic({}, {}).moves.empty());
}

// Acceptance case 4.
TEST(traffic_balance, goes_on_with_the_next_node_where_one_is_full) {
  std::vector<data_chunk> chunks;
  add_chunks(chunks, 0, {30, 30, 30}, 10);
  const std::vector<node_room_left> nodes{{1}, {1, 100}, {1, 9}};
  const traffic_balance made = balance_traffic(chunks, nodes);
  EXPECT_EQ(made.moves, (std::vector<balanced_move>{{0, 1}}));
  EXPECT_GE(made.without_room, 1U);
  EXPECT_EQ(made.after[2], 0);
}

// Acceptance case 3.
RC_GTEST_PROP(traffic_balance, never_makes_it_worse, (std::uint64_t seed)) {
  rng random(seed);
  const std::uint32_t nodes = 1 + random.below(6);
  std::vector<node_room_left> rooms;
  for (std::uint32_t i = 0; i < nodes; ++i)
    rooms.push_back({.bandwidth = 1.0 + random.below(8), .free_pages = random.below(60)});
  std::vector<data_chunk> chunks;
  for (std::uint32_t i = random.below(80); i > 0; --i)
    add_chunks(chunks, random.below(nodes), {random.below(4) == 0 ? 0.0 : random.below(1000)}, 1 + random.below(9));
  const traffic_balance made = balance_traffic(chunks, rooms);

  std::vector<int> moved(chunks.size(), 0);
  std::vector<double> heat = made.before;
  double worst = off_balance(heat, made.wanted) + 1e-6;
  std::vector<std::int64_t> free;
  for (const node_room_left& one : rooms) free.push_back(static_cast<std::int64_t>(one.free_pages));
  for (const balanced_move& one : made.moves) {
    const data_chunk& chunk = chunks[one.chunk];
    RC_ASSERT(++moved[one.chunk] == 1);
    RC_ASSERT(index_of_id(chunk.node) != one.to);
    heat[index_of_id(chunk.node)] -= chunk.heat;
    heat[one.to] += chunk.heat;
    free[index_of_id(chunk.node)] += static_cast<std::int64_t>(chunk.end - chunk.begin);
    free[one.to] -= static_cast<std::int64_t>(chunk.end - chunk.begin);
    RC_ASSERT(free[one.to] >= 0);
    RC_ASSERT(off_balance(heat, made.wanted) <= worst);
    worst = off_balance(heat, made.wanted) + 1e-6;
  }
  for (std::uint32_t i = 0; i < nodes; ++i) RC_ASSERT(std::abs(heat[i] - made.after[i]) < 1e-6);
}

}  // namespace
}  // namespace nearfork
