#include "machine/nodes/page_stripes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <nearfork/error.hpp>

#include "base/rng.hpp"

namespace nearfork {
namespace {

using testing::ElementsAre;

std::vector<node_id> nodes(std::uint32_t count) {
  std::vector<node_id> all;
  for (std::uint32_t i = 0; i < count; ++i) all.push_back(node_id{i});
  return all;
}

std::string text_of(const std::vector<node_id>& order) {
  std::string text;
  for (const node_id one : order) text += std::to_string(index_of_id(one));
  return text;
}

std::string picture(const page_split& split) {
  std::string text;
  for (const page_run& run : split) text.append(run.end - run.begin, static_cast<char>('0' + index_of_id(run.node)));
  return text;
}

TEST(turns_by_weight, are_as_many_as_the_weights_and_evenly_mixed) {
  const auto turns = [](const std::vector<double>& weights) {
    return text_of(turns_by_weight(nodes(static_cast<std::uint32_t>(weights.size())), weights));
  };
  EXPECT_EQ(turns({1, 1}), "01");
  EXPECT_EQ(turns({3, 1}), "0010");
  EXPECT_EQ(turns({400, 0, 400}), "02");
  EXPECT_EQ(turns({5}), "0");
  EXPECT_EQ(turns({1, 1, 2}), "2012");
  EXPECT_EQ(turns({1, 1, 1}), "012");
  const std::string exact = turns({380, 90});
  EXPECT_EQ(exact.size(), 47U);
  EXPECT_EQ(std::ranges::count(exact, '0'), 38);
  const std::string uneven = turns({382.1, 90});
  EXPECT_EQ(uneven.size(), 128U);
  EXPECT_EQ(std::ranges::count(uneven, '0'), 104);
}

TEST(turns_by_weight, leave_no_node_of_many_out) {
  constexpr std::uint32_t count = 200;
  std::vector<double> weights(count, 1.0);
  EXPECT_EQ(turns_by_weight(nodes(count), weights), nodes(count));
  weights[0] = 1.1;
  const std::vector<node_id> order = turns_by_weight(nodes(count), weights);
  for (std::uint32_t i = 0; i < count; ++i) EXPECT_GE(std::ranges::count(order, node_id{i}), 3);
}

TEST(turns_by_weight, refuses_what_are_no_weights) {
  EXPECT_THROW((void)turns_by_weight({}, {}), error);
  EXPECT_THROW((void)turns_by_weight(nodes(2), std::vector<double>{0, 0}), error);
  EXPECT_THROW((void)turns_by_weight(nodes(2), std::vector<double>{1, -1}), error);
}

RC_GTEST_PROP(turns_by_weight, gives_no_node_a_whole_turn_more_or_less_than_its_share, (std::uint64_t seed)) {
  rng random(seed);
  std::vector<double> weights;
  for (std::uint32_t i = 1 + random.below(8); i > 0; --i) weights.push_back(random.below(1000));
  weights.push_back(1);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  const auto count = static_cast<std::uint32_t>(weights.size());
  const std::vector<node_id> order = turns_by_weight(nodes(count), weights);
  RC_ASSERT(order.size() <= 128U);
  const auto turns = static_cast<double>(order.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto got = static_cast<double>(std::ranges::count(order, node_id{i}));
    RC_ASSERT(std::abs(got - weights[i] / sum * turns) < 1);
  }
}

TEST(deal_out, gives_each_stripe_to_the_next_node) {
  const block_extent block{.bytes = 10, .page_bytes = 1};
  page_split made;
  deal_out(made, block, {0, 10, {}}, turns_by_weight(nodes(2), std::vector<double>{3, 1}));
  EXPECT_EQ(picture(made), "0010001000");
}

TEST(deal_out, leaves_pages_on_their_nodes_when_borders_move) {
  const block_extent block{.bytes = 12, .page_bytes = 1};
  const std::vector<node_id> left{node_id{0}, node_id{2}};
  const std::vector<node_id> right{node_id{1}, node_id{3}};
  const auto with_border_at = [&](std::uint64_t border) {
    page_split made;
    deal_out(made, block, {0, border, {}}, left);
    deal_out(made, block, {border, 12, {}}, right);
    return picture(made);
  };
  EXPECT_EQ(with_border_at(6), "020202131313");
  EXPECT_EQ(with_border_at(9), "020202020313");
}

TEST(deal_out, makes_stripes_of_whole_units_and_not_too_many) {
  EXPECT_EQ(pages_of_stripe({.bytes = 64, .page_bytes = 1}), 1U);
  EXPECT_EQ(pages_of_stripe({.bytes = 2560, .page_bytes = 1}), 10U);
  EXPECT_EQ(pages_of_stripe({.bytes = 257, .page_bytes = 1}), 2U);
  EXPECT_EQ(pages_of_stripe({.bytes = 5 * 512, .page_bytes = 1, .pages_of_unit = 512}), 512U);
}

RC_GTEST_PROP(deal_out, covers_the_part_once_in_few_runs, (std::uint64_t seed)) {
  rng random(seed);
  const block_extent block{.bytes = 1 + random.below(100'000),
                           .page_bytes = 1 + random.below(3),
                           .pages_of_unit = random.below(2) == 0 ? 1U : 1U + random.below(600)};
  const std::uint64_t border = random.below(static_cast<std::uint32_t>(block.pages() + 1));
  page_split made;
  deal_out(made, block, {0, border, {}}, turns_by_weight(nodes(3), std::vector<double>{1.0 + random.below(9), 2, 3}));
  deal_out(made, block, {border, block.pages(), {}}, nodes(2));
  std::uint64_t at = 0;
  for (const page_run& run : made) {
    RC_ASSERT(run.begin == at);
    RC_ASSERT(run.end > run.begin);
    at = run.end;
  }
  RC_ASSERT(at == block.pages());
  RC_ASSERT(made.size() <= most_stripes + 1);
}

}  // namespace
}  // namespace nearfork
