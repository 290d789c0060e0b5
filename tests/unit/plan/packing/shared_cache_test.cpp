#include "plan/packing/shared_cache.hpp"

#include <gtest/gtest.h>

#include "unit/plan/crew/machines_for_tests.hpp"

namespace nearfork {
namespace {

constexpr std::uint64_t KiB = 1 << 10;
constexpr std::uint64_t MiB = 1 << 20;

std::uint64_t of(std::uint32_t cores, std::vector<cache_level> caches) {
  domain one{.package = {}, .cores = {}, .caches = std::move(caches), .nodes = {}};
  for (std::uint32_t i = 0; i < cores; ++i) one.cores.push_back(core_id{i});
  return shared_cache_bytes(one);
}

TEST(shared_cache_bytes, is_the_last_level_as_far_as_the_domains_cores_have_it) {
  EXPECT_EQ(of(4, {{1, 64 * KiB, 1}, {2, 512 * KiB, 1}, {3, 6 * MiB, 4}}), 6 * MiB) << "Opteron 8380";
  EXPECT_EQ(of(16, {{1, 32 * KiB, 1}, {2, 1 * MiB, 2}}), 8 * MiB) << "Knights Landing: eight tiles to a quarter";
  EXPECT_EQ(of(14, {{2, 2 * MiB, 1}, {3, 112 * MiB, 56}}), 28 * MiB) << "sub-NUMA clusters: a quarter each";
  EXPECT_EQ(of(8, {{2, 2 * MiB, 1}, {2, 4 * MiB, 4}}), 8 * MiB) << "two sorts of one level: the smaller per core";
  EXPECT_EQ(of(2, {}), 0U);
  EXPECT_EQ(of(2, {{2, 3 * MiB, 0}}), 6 * MiB) << "nobody said who shares it";
}

TEST(subtree_cache_bytes, is_all_of_a_common_cache_and_else_one_cores_part) {
  const auto of_domain = [](const machine& where) { return subtree_cache_bytes(where.domains()[0]); };
  EXPECT_EQ(of_domain(opteron_8380()), 6 * MiB);
  EXPECT_EQ(of_domain(machine_of(4, 16, MiB, 2)), 512 * KiB) << "Knights Landing: two cores to a tile";
  EXPECT_EQ(of_domain(machine_of(4, 14, 112 * MiB, 56)), 28 * MiB) << "sub-NUMA clusters: their part, which they share";
  EXPECT_EQ(of_domain(machine_of(2, 2)), 0U);
}

TEST(share_caches, unless_a_domain_has_cores_without_a_cache_in_common) {
  EXPECT_TRUE(share_caches(opteron_8380()));
  EXPECT_FALSE(share_caches(machine_of(4, 16, MiB, 2)));
  EXPECT_TRUE(share_caches(machine_of(4, 16))) << "no cache is known";
}

TEST(least_shared_cache_bytes, is_that_of_the_poorest_domain) {
  EXPECT_EQ(least_shared_cache_bytes(opteron_8380()), 6 * MiB);
  EXPECT_EQ(least_shared_cache_bytes(machine_of(2, 2)), 0U);
  machine_parts parts;
  parts.cores.push_back({});
  for (const std::uint64_t size : {8 * MiB, 2 * MiB, 4 * MiB})
    parts.domains.push_back({.package = {}, .cores = {core_id{0}}, .caches = {{3, size, 1}}, .nodes = {}});
  EXPECT_EQ(least_shared_cache_bytes(machine(std::move(parts))), 2 * MiB);
}

TEST(data_of_a_domain, leave_room_in_a_cache_that_is_larger) {
  constexpr double cache = 24.0 * (1 << 20);
  EXPECT_TRUE(leave_room(cache - 1, cache));
  EXPECT_FALSE(leave_room(cache, cache));
  EXPECT_FALSE(leave_room(0, 0)) << "no cache is known";
}

}  // namespace
}  // namespace nearfork
