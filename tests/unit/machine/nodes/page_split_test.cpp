#include "machine/nodes/page_split.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <nearfork/error.hpp>

#include "base/rng.hpp"

namespace nearfork {
namespace {

constexpr node_id a{0};
constexpr node_id b{1};
constexpr node_id c{2};
constexpr std::uint64_t page = 4096;

std::vector<double> random_borders(rng& random, std::size_t parts) {
  std::vector<double> weights;
  for (std::size_t i = 0; i < parts; ++i) weights.push_back(random.below(10));
  weights.front() += 1;
  return borders_by_weight(weights);
}

std::vector<node_id> random_nodes(rng& random, std::size_t parts) {
  std::vector<node_id> nodes;
  for (std::size_t i = 0; i < parts; ++i) nodes.push_back(node_id{static_cast<std::uint32_t>(random.below(4))});
  return nodes;
}

TEST(split_at, puts_borders_at_the_nearest_page) {
  const std::vector<double> borders{0, 0.26, 1};
  const std::vector<node_id> nodes{a, b};
  EXPECT_EQ(split_at({10 * page, page}, borders, nodes), (page_split{{0, 3, a}, {3, 10, b}}));
  EXPECT_EQ(split_at({10 * page - 1, page}, borders, nodes), (page_split{{0, 3, a}, {3, 10, b}}))
      << "a page that is not full";
}

TEST(split_at, keeps_huge_pages_whole) {
  const std::vector<node_id> nodes{a, b};
  EXPECT_EQ(split_at({1000 * page, page, 512}, std::vector<double>{0, 0.5, 1}, nodes),
            (page_split{{0, 512, a}, {512, 1000, b}}));
  EXPECT_EQ(split_at({500 * page, page, 512}, std::vector<double>{0, 0.4, 1}, nodes), (page_split{{0, 500, b}}));
}

TEST(split_at, joins_neighbours_on_one_node) {
  EXPECT_EQ(split_at({9 * page, page}, std::vector<double>{0, 1.0 / 3, 2.0 / 3, 1}, std::vector<node_id>{a, a, b}),
            (page_split{{0, 6, a}, {6, 9, b}}));
}

// Every page lies on one node, and no border is further than half a unit from where it should be.
RC_GTEST_PROP(split_at, covers_each_page_once, (std::uint64_t seed)) {
  rng random(seed);
  const std::size_t parts = 1 + random.below(8);
  const block_extent block{1 + random.below(1 << 30), page, random.below(2) == 0 ? 1ULL : 512ULL};
  const std::vector<double> borders = random_borders(random, parts);
  const std::vector<node_id> nodes = random_nodes(random, parts);
  const page_split made = split_at(block, borders, nodes);
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < made.size(); ++i) {
    RC_ASSERT(made[i].begin == at);
    RC_ASSERT(made[i].end > at);
    if (i > 0) RC_ASSERT(made[i].node != made[i - 1].node);
    at = made[i].end;
  }
  RC_ASSERT(at == block.pages());
  const double off = 0.5 * static_cast<double>(block.pages_of_unit) + 1;
  for (std::size_t i = 0; i < parts; ++i) {
    const double middle = (borders[i] + borders[i + 1]) / 2 * static_cast<double>(block.bytes) / page;
    if ((borders[i + 1] - borders[i]) * static_cast<double>(block.bytes) / page < 2 * off) continue;
    RC_ASSERT(node_of(made, static_cast<std::uint64_t>(middle)) == nodes[i]);
  }
}

// In two arrays of a stencil with elements of different sizes, an element has the same node in both arrays, except
// within a page of a border.
RC_GTEST_PROP(split_at, puts_an_element_of_two_arrays_on_one_node, (std::uint64_t seed)) {
  rng random(seed);
  const std::size_t parts = 1 + random.below(8);
  const std::uint64_t pages = 1 + random.below(1 << 10);
  const std::vector<double> borders = random_borders(random, parts);
  const std::vector<node_id> nodes = random_nodes(random, parts);
  const page_split small = split_at({pages * page, page}, borders, nodes);
  const page_split large = split_at({3 * pages * page, page}, borders, nodes);
  for (std::uint64_t i = 0; i < pages; ++i) {
    const auto is_near = [&](double border) {
      return std::abs(border * static_cast<double>(pages) - (static_cast<double>(i) + 0.5)) < 1.5;
    };
    if (std::ranges::any_of(borders, is_near)) continue;
    RC_ASSERT(node_of(small, i) == node_of(large, 3 * i + 1));
  }
}

TEST(borders_by_weight, are_as_far_apart_as_the_weights) {
  EXPECT_EQ(borders_by_weight(std::vector<double>{3, 0, 1}), (std::vector<double>{0, 0.75, 0.75, 1}));
}

TEST(borders_by_weight, refuses_what_are_no_weights) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& wrong : {std::vector<double>{}, {0, 0}, {1, -1}, {1, nan}, {infinite}})
    EXPECT_THROW((void)borders_by_weight(wrong), error);
}

TEST(difference, is_what_lies_elsewhere) {
  const page_split before{{0, 4, a}, {4, 8, b}};
  EXPECT_EQ(difference(before, before), page_split{});
  EXPECT_EQ(difference(before, {{0, 6, a}, {6, 8, b}}), (page_split{{4, 6, a}}));
  EXPECT_EQ(difference(before, {{0, 2, b}, {2, 8, c}}), (page_split{{0, 2, b}, {2, 8, c}}));
  EXPECT_EQ(difference({}, before), before) << "nobody had said anything";
}

RC_GTEST_PROP(difference, names_each_page_that_changes_and_no_other, (std::uint64_t seed)) {
  rng random(seed);
  const block_extent block{(1 + random.below(100)) * page, page};
  const std::size_t parts = 1 + random.below(5);
  const page_split before = split_at(block, random_borders(random, parts), random_nodes(random, parts));
  const page_split after = split_at(block, random_borders(random, parts), random_nodes(random, parts));
  page_split changed = difference(before, after);
  std::uint64_t named = 0;
  for (std::uint64_t i = 0; i < block.pages(); ++i) named += node_of(before, i) != node_of(after, i) ? 1 : 0;
  RC_ASSERT(pages_in(changed) == named);
  page_split patched = before;
  for (const page_run& run : changed) add_run(patched, run);
  RC_ASSERT(patched == after);
}

TEST(part_of, has_the_pages_of_one_and_the_nodes_of_the_other) {
  const page_split split{{0, 4, a}, {4, 8, b}, {8, 12, c}};
  EXPECT_EQ(part_of(split, {{1, 3, c}, {5, 10, a}}), (page_split{{1, 3, a}, {5, 8, b}, {8, 10, c}}));
  EXPECT_EQ(part_of(split, {{0, 1, b}, {2, 3, b}, {3, 5, b}}), (page_split{{0, 1, a}, {2, 4, a}, {4, 5, b}}));
  EXPECT_EQ(part_of(split, {}), page_split{});
  EXPECT_EQ(part_of({}, {{0, 4, a}}), page_split{}) << "nobody has said anything of them";
}

TEST(add_run, joins_and_replaces) {
  page_split runs;
  add_run(runs, {5, 6, a});
  add_run(runs, {1, 3, a});
  add_run(runs, {3, 5, a});
  EXPECT_EQ(runs, (page_split{{1, 6, a}}));
  add_run(runs, {2, 4, b});
  EXPECT_EQ(runs, (page_split{{1, 2, a}, {2, 4, b}, {4, 6, a}}));
  add_run(runs, {0, 9, c});
  EXPECT_EQ(runs, (page_split{{0, 9, c}}));
  add_run(runs, {4, 4, a});
  EXPECT_EQ(pages_in(runs), 9U);
}

}  // namespace
}  // namespace nearfork
