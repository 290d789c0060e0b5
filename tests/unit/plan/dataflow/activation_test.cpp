#include "plan/dataflow/activation.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <stdexcept>
#include <vector>

namespace nearfork {
namespace {

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = 1024 * kib;

/// Opteron 6282: 4 packages of two nodes; 10 local, 16 at one hop (four nodes), 22 at two (three). The other node of
/// the package is at one hop, and so are the nodes of equal parity in the other packages.
access_costs opteron() {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t from = 0; from < 8; ++from)
    for (std::uint32_t to = 0; to < 8; ++to) {
      const bool near = from / 2 == to / 2 || from % 2 == to % 2;
      rows.push_back(from == to ? 10 : near ? 16 : 22);
    }
  return access_costs(rows);
}

std::optional<node_id> choose(std::uint32_t own, std::vector<placed_bytes> in, std::vector<placed_bytes> out,
                              activation_rules rules, const access_costs& costs, std::uint64_t seed = 1) {
  rng random(seed);
  return choose_activation(node_id{own}, in, out, rules, costs, random);
}

placed_bytes on(std::uint32_t node, std::uint64_t bytes) {
  return {node_id{node}, bytes};
}

constexpr activation_rules by_input{.push = push_heuristic::input};

TEST(activation, pushes_to_the_node_of_the_least_cost) {
  EXPECT_EQ(choose(3, {on(0, 512 * kib), on(3, 64 * kib)}, {}, by_input, opteron()), node_id{0});
}

TEST(activation, stays_where_no_node_costs_less) {
  const std::vector<placed_bytes> two{on(0, mib), on(3, mib)};
  for (std::uint32_t own = 0; own < 4; ++own) EXPECT_EQ(choose(own, two, {}, by_input, opteron()), std::nullopt);
}

TEST(activation, pushes_to_any_of_several_that_cost_the_least) {
  const std::vector<placed_bytes> two{on(0, mib), on(3, mib)};
  std::set<node_id> chosen;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto to = choose(4, two, {}, by_input, opteron(), seed);
    ASSERT_TRUE(to.has_value());
    chosen.insert(*to);
  }
  EXPECT_EQ(chosen, (std::set{node_id{0}, node_id{1}, node_id{2}, node_id{3}}));
}

TEST(activation, weights_tell_inputs_from_outputs) {
  const std::vector<placed_bytes> in{on(0, mib)};
  const std::vector<placed_bytes> out{on(1, 768 * kib)};
  const auto costs = opteron();
  const auto with = [&](push_heuristic push, double weight) {
    return choose(5, in, out, {.push = push, .output_weight = weight}, costs);
  };
  EXPECT_EQ(with(push_heuristic::input, 1.75), node_id{0});
  EXPECT_EQ(with(push_heuristic::output, 1.75), node_id{1});
  EXPECT_EQ(with(push_heuristic::weighted, 1.75), node_id{1});
  EXPECT_EQ(with(push_heuristic::weighted, 1), node_id{0});
  EXPECT_EQ(with(push_heuristic::none, 1), std::nullopt);
}

TEST(activation, few_bytes_stay_and_bytes_without_a_node_count) {
  const auto costs = opteron();
  EXPECT_EQ(choose(3, {on(0, 65'535)}, {}, by_input, costs), std::nullopt);
  EXPECT_EQ(choose(3, {on(0, 65'536)}, {}, by_input, costs), node_id{0});
  EXPECT_EQ(choose(3, {on(0, 1), {std::nullopt, 65'535}}, {}, by_input, costs), node_id{0});
  EXPECT_EQ(choose(3, {{std::nullopt, mib}}, {}, by_input, costs), std::nullopt);
}

TEST(activation, deferred_outputs_have_no_node_to_go_by) {
  using enum push_heuristic;
  for (const auto push : {none, input, output, weighted}) {
    EXPECT_TRUE(conflict(push, buffer_allocation::immediate).empty());
    EXPECT_EQ(conflict(push, buffer_allocation::deferred).empty(), push == none || push == input);
  }
}

TEST(activation, refuses_tables_that_are_not_square_or_have_a_zero) {
  EXPECT_THROW(access_costs({}), std::invalid_argument);
  EXPECT_THROW(access_costs({10, 20}), std::invalid_argument);
  EXPECT_THROW(access_costs({10, 0, 20, 10}), std::invalid_argument);
}

RC_GTEST_PROP(activation, no_node_costs_less_than_the_chosen_one, ()) {
  const auto nodes = *rc::gen::inRange<std::uint32_t>(1, 6);
  const auto rows = *rc::gen::container<std::vector<std::uint32_t>>(std::size_t{nodes} * nodes,
                                                                    rc::gen::inRange<std::uint32_t>(1, 40));
  const access_costs costs(rows);
  std::vector<placed_bytes> in;
  for (std::uint32_t node = 0; node < nodes; ++node) in.push_back(on(node, *rc::gen::inRange<std::uint64_t>(0, mib)));
  const auto own = *rc::gen::inRange<std::uint32_t>(0, nodes);
  const auto cost = [&](std::uint32_t from) {
    std::uint64_t sum = 0;
    for (std::uint32_t node = 0; node < nodes; ++node) sum += in[node].bytes * costs.cost(from, node);
    return sum;
  };
  const auto to = choose(own, in, {}, {.push = push_heuristic::input, .threshold_bytes = 1}, costs);
  const std::uint64_t chosen = cost(to ? static_cast<std::uint32_t>(index_of_id(*to)) : own);
  for (std::uint32_t node = 0; node < nodes; ++node) RC_ASSERT(chosen <= cost(node));
  if (to) RC_ASSERT(chosen < cost(own));
}

}  // namespace
}  // namespace nearfork
