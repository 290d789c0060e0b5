#include "memory/allocation/small_block_shortfalls.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "machines_with_memory.hpp"

namespace {

using namespace nearfork;
using testing::HasSubstr;

/// The second node has OS index 4, like an HBM node on a machine where each package has HBM.
machine with_other_numbers() {
  machine_parts parts = machine_with({10, 10})->parts();
  parts.nodes[1].os = os_index{4};
  return machine(std::move(parts));
}

TEST(small_block_shortfalls, calls_nodes_by_the_numbers_of_the_system) {
  const std::vector<node_pool_facts> pools{
      {.node = node_id{0}, .first_touch = 1, .binding_errno = EPERM},
      {.node = node_id{1}, .refused = 1, .refusal_errno = ENOMEM, .blocks_elsewhere = 7}};
  const std::vector<memory_shortfall> said = shortfalls_of(pools, with_other_numbers());
  ASSERT_EQ(said.size(), 2U);
  EXPECT_THAT(said[0].what, HasSubstr("left to first touch"));
  EXPECT_EQ(said[0].where, "node 0");
  EXPECT_EQ(said[0].why, "Operation not permitted (errno 1)");
  EXPECT_EQ(said[1].what, "7 small blocks lie on another node");
  EXPECT_EQ(said[1].where, "node 4");
}

TEST(small_block_shortfalls, says_nothing_where_nothing_was_missing) {
  const std::vector<node_pool_facts> pools{{.node = node_id{0}, .taken = 3},
                                           {.node = node_id{1}, .taken = 5, .refused = 1}};
  EXPECT_TRUE(shortfalls_of(pools, with_other_numbers()).empty());
}

}  // namespace
