#include "memory/system/node_choice.hpp"

#include <gtest/gtest.h>

#include <string>

#include "machines_with_memory.hpp"

namespace nearfork {
namespace {

free_memory free_of(std::vector<std::uint64_t> bytes) {
  return [bytes = std::move(bytes)](node_id node) { return std::optional(bytes[index_of_id(node)]); };
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

TEST(choose_node, takes_the_one_that_is_meant_if_it_has_room) {
  const auto where = machine_with({10, 10, 10});
  const node_choice chosen = choose_node(*where, node_id{1}, 100, free_of({0, 100, 0}));
  EXPECT_EQ(chosen.node, node_id{1});
  EXPECT_EQ(chosen.why_not, "");
}

TEST(choose_node, takes_the_nearest_with_room_instead_of_a_full_one) {
  const auto where = machine_with({10, 10, 10, 10});
  const node_choice chosen = choose_node(*where, node_id{3}, 100, free_of({500, 100, 99, 99}));
  EXPECT_EQ(chosen.node, node_id{1});
  EXPECT_TRUE(holds(chosen.why_not, "node 3 has too little free memory; node 1")) << chosen.why_not;
}

TEST(choose_node, stays_where_no_node_has_room) {
  const auto where = machine_with({10, 10});
  const node_choice chosen = choose_node(*where, node_id{1}, 100, free_of({0, 0}));
  EXPECT_EQ(chosen.node, node_id{1});
  EXPECT_TRUE(holds(chosen.why_not, "no other node")) << chosen.why_not;
}

TEST(choose_node, passes_over_nodes_without_memory) {
  const auto where = machine_with({10, 0, 0});
  EXPECT_EQ(choose_node(*where, node_id{2}, 1, free_of({1, 1, 1})).node, node_id{0});
  EXPECT_TRUE(holds(choose_node(*where, node_id{2}, 1, free_of({1, 1, 1})).why_not, "node 2 has no memory"));
  EXPECT_EQ(choose_node(*machine_with({0, 0}), node_id{0}, 1, free_of({1, 1})).node, std::nullopt);
}

TEST(choose_node, takes_a_system_that_says_nothing_at_its_word) {
  const auto where = machine_with({10, 10});
  EXPECT_EQ(choose_node(*where, node_id{1}, 100, [](node_id) { return std::nullopt; }).why_not, "");
}

TEST(choose_node, replaces_a_number_that_no_node_has) {
  const auto where = machine_with({10, 10, 10});
  const node_choice chosen = choose_node(*where, os_index{7}, 1, free_of({9, 9, 9}));
  EXPECT_EQ(chosen.node, node_id{2});
  EXPECT_TRUE(holds(chosen.why_not, "there is no node 7; node 2")) << chosen.why_not;
  EXPECT_EQ(choose_node(*where, os_index{1}, 1, free_of({9, 9, 9})).why_not, "");
}

TEST(nodes_of_domains, are_local_or_else_the_nearest) {
  EXPECT_EQ(nodes_of_domains(*machine_with({10, 10})), (std::vector<node_id>{node_id{0}, node_id{1}}));
  EXPECT_EQ(nodes_of_domains(*machine_with({10, 0, 0, 10})),
            (std::vector<node_id>{node_id{0}, node_id{0}, node_id{3}, node_id{3}}));
  EXPECT_TRUE(nodes_of_domains(*machine_with({0, 0})).empty());
}

TEST(nodes_of_domains, are_what_the_system_calls_nearest_where_hwloc_knows_no_node_of_the_cores) {
  machine_parts parts = machine_with({10, 10, 10})->parts();
  parts.domains[1].nodes.clear();
  parts.domains[1].home.reset();
  EXPECT_EQ(nodes_of_domains(machine(parts))[1], node_id{0}) << "nobody says which is near";
  parts.domains[1].nearest = node_id{2};
  EXPECT_EQ(nodes_of_domains(machine(parts))[1], node_id{2});
}

}  // namespace
}  // namespace nearfork
