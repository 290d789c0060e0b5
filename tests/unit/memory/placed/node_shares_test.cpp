// Blocks shared out among nodes by weight: whole blocks, and the parts of domains with nodes of several kinds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <set>

#include <nearfork/error.hpp>

#include "machines_with_memory.hpp"
#include "memory/placed/placed_memory.hpp"
#include "memory_of.hpp"

namespace nearfork {
namespace {

using test::all_at_once;
using test::fake_memory;
using test::fake_nodes;
using test::page;
using testing::HasSubstr;

class spread_memory : public testing::Test {
 protected:
  /// Two domains: DRAM on nodes 0 and 1; HBM, three times as fast, on nodes 2 and 3.
  spread_memory() { describe({{100, 100}, {100, 100}, {100, 300}, {100, 300}}); }

  void describe(const std::vector<tiered_node>& tiered) {
    memory.reset();
    std::vector<std::uint64_t> pages;
    for (const tiered_node& one : tiered) pages.push_back(one.pages);
    nodes = std::make_unique<fake_nodes>(pages);
    where = machine_with_tiers(2, tiered);
    memory = std::make_unique<placed_memory>(std::make_unique<fake_memory>(*nodes), where);
  }
  std::byte* allocate(std::uint64_t pages, const placing& how) {
    return static_cast<std::byte*>(memory->allocate(pages * page, 8, {.where = how}));
  }
  void touch(std::byte* block, std::uint64_t pages, int local = 1) {
    for (std::uint64_t i = 0; i < pages; ++i) nodes->touch(block + i * page, local);
  }
  move_outcome follow(std::vector<double> borders) {
    memory->count_iteration("heat");
    const std::vector<node_id> all = nodes_of_domains(*where);
    return memory->follow({.region = "heat", .borders = borders, .nodes = all, .most_moved_bytes = all_at_once});
  }
  std::string picture(std::byte* block, std::uint64_t pages) {
    return picture_of(memory->where_lies(block, pages * page), static_cast<unsigned>(pages)).substr(1, pages);
  }
  std::string shortfall() {
    const auto facts = memory->shortfalls();
    return facts.empty() ? "" : facts.back().what + ": " + facts.back().why;
  }
  [[nodiscard]] page_policy policy_of(std::byte* block) const {
    return nodes->policy_of(reinterpret_cast<std::uintptr_t>(block)).how;
  }

  std::unique_ptr<fake_nodes> nodes;
  std::shared_ptr<const machine> where;
  std::unique_ptr<placed_memory> memory;
};

TEST_F(spread_memory, goes_in_turn_by_given_weights) {
  std::byte* const block = allocate(8, placing::interleaved_by_weights({{2, 3}, {0, 1}}));
  touch(block, 8);
  EXPECT_EQ(picture(block, 8), "22022202");
  EXPECT_EQ(shortfall(), "");
  EXPECT_THROW((void)allocate(8, placing::interleaved_by_weights({})), error);
}

TEST_F(spread_memory, is_interleaved_by_the_kernel_where_its_weights_say_something) {
  nodes->weighted = true;
  nodes->kernel_weights = {1, 1, 3, 3};
  EXPECT_EQ(policy_of(allocate(8, placing::interleaved_by_bandwidth())), page_policy::weighted_interleave);
  EXPECT_EQ(shortfall(), "");
}

TEST_F(spread_memory, is_interleaved_in_stripes_where_the_kernel_cannot_and_says_so) {
  struct row {
    bool weighted;
    std::vector<unsigned> kernel_weights;
    std::set<page_policy> unknown;
    const char* why;
  };
  const row rows[] = {{false, {}, {}, "no weighted interleave"},
                      {true, {}, {}, "are the same"},
                      {true, {1, 1, 3, 3}, {page_policy::weighted_interleave}, "refused"}};
  for (const row& r : rows) {
    describe({{100, 100}, {100, 100}, {100, 300}, {100, 300}});
    nodes->weighted = r.weighted;
    nodes->kernel_weights = r.kernel_weights;
    nodes->unknown_policies = r.unknown;
    std::byte* const block = allocate(8, placing::interleaved_by_bandwidth());
    touch(block, 8);
    EXPECT_EQ(picture(block, 8), "23012323");
    EXPECT_THAT(shortfall(), HasSubstr("stripes of 4 KiB"));
    EXPECT_THAT(shortfall(), HasSubstr(r.why));
    const strict_memory strict(true);
    EXPECT_THROW((void)allocate(8, placing::interleaved_by_bandwidth()), error);
  }
}

TEST_F(spread_memory, follows_the_plan_and_is_spread_inside_each_domain) {
  struct row {
    placing how;
    const char* picture;
  };
  const row rows[] = {
      {placing::follow_plan(node_spread::by_bandwidth), "2022202231333133"},
      {placing::follow_plan(node_spread::by_capacity), "0202020213131313"},
      {placing::follow_plan(node_spread::by_weights, {{0, 1}, {2, 1}, {3, 1}}), "0202020233333333"},
      {placing::follow_plan(), "0000000011111111"},
  };
  for (const row& r : rows) {
    std::byte* const block = allocate(16, r.how);
    (void)follow({0, 0.5, 1});
    touch(block, 16);
    EXPECT_EQ(picture(block, 16), r.picture);
    memory->free(block);
  }
  EXPECT_EQ(shortfall(), "");
}

TEST_F(spread_memory, moves_only_what_changes_domains_when_borders_move) {
  std::byte* const block = allocate(16, placing::follow_plan(node_spread::by_bandwidth));
  (void)follow({0, 0.5, 1});
  touch(block, 16);
  EXPECT_EQ(follow({0, 0.75, 1}).moved_bytes, 4 * page);
  EXPECT_EQ(picture(block, 16), "2022202220223133");
  EXPECT_TRUE(memory->take_back("heat", all_at_once).in_place);
  EXPECT_EQ(picture(block, 16), "2022202231333133");
}

TEST_F(spread_memory, of_one_domain_that_is_given_no_weight_is_not_spread_and_says_so) {
  std::byte* const block = allocate(8, placing::follow_plan(node_spread::by_weights, {{0, 1}, {2, 1}}));
  (void)follow({0, 0.5, 1});
  touch(block, 8);
  EXPECT_EQ(picture(block, 8), "02021111");
  EXPECT_THAT(shortfall(), HasSubstr("beside node 1"));
}

TEST_F(spread_memory, says_where_bandwidths_beside_a_domain_are_not_known) {
  describe({{100, 100}, {100, 100}, {100, std::nullopt}, {100, 300}});
  std::byte* const block = allocate(8, placing::follow_plan(node_spread::by_bandwidth));
  (void)follow({0, 0.5, 1});
  touch(block, 8);
  EXPECT_EQ(picture(block, 8), "02023133");
  EXPECT_THAT(shortfall(), HasSubstr("does not tell the bandwidth"));
}

// The stripes of a full HBM node go to the nearest memory.
TEST_F(spread_memory, gives_the_stripes_of_a_full_node_to_the_nearest) {
  describe({{100, 100}, {100, 100}, {2, 300}, {100, 300}});
  std::byte* const block = allocate(16, placing::follow_plan(node_spread::by_bandwidth));
  (void)follow({0, 0.5, 1});
  touch(block, 16);
  EXPECT_EQ(picture(block, 16), "0000000031333133");
  EXPECT_THAT(shortfall(), HasSubstr("node 2 has too little free memory; node 0"));
}

// A single domain shares nothing out among domains. With two kinds of memory it still spreads a block over nodes.
TEST_F(spread_memory, of_a_single_domain_is_spread_too) {
  where = machine_with_tiers(1, {{100, 100}, {100, 300}});
  memory.reset();
  nodes = std::make_unique<fake_nodes>(std::vector<std::uint64_t>{100, 100});
  memory = std::make_unique<placed_memory>(std::make_unique<fake_memory>(*nodes), where);
  std::byte* const spread = allocate(8, placing::follow_plan(node_spread::by_bandwidth));
  std::byte* const plain = allocate(8, placing::follow_plan());
  (void)follow({0, 1});
  touch(spread, 8, 0);
  touch(plain, 8, 0);
  EXPECT_EQ(picture(spread, 8), "10111011");
  EXPECT_EQ(picture(plain, 8), "00000000");
  EXPECT_EQ(policy_of(plain), page_policy::first_touch) << "nothing was asked for it";
}

// --- machines that lack something ---

TEST(hbm_only, memory_follows_plans_like_any_other) {
  const std::vector<std::uint64_t> pages{0, 0, 50, 50};
  fake_nodes nodes(pages);
  const auto where = machine_with_tiers(2, {{0, {}}, {0, {}}, {50, {}}, {50, {}}});
  placed_memory memory(std::make_unique<fake_memory>(nodes), where);
  EXPECT_EQ(nodes_of_domains(*where), (std::vector<node_id>{node_id{2}, node_id{3}}));
  auto* const block = static_cast<std::byte*>(memory.allocate(8 * page, 8, {}));
  memory.count_iteration("heat");
  const std::vector<node_id> all = nodes_of_domains(*where);
  (void)memory.follow(
      {.region = "heat", .borders = std::vector<double>{0, 0.5, 1}, .nodes = all, .most_moved_bytes = all_at_once});
  for (int i = 0; i < 8; ++i) nodes.touch(block + static_cast<std::size_t>(i) * page, 2);
  EXPECT_EQ(nodes.used(2), 4U);
  EXPECT_EQ(nodes.used(3), 4U);
  EXPECT_TRUE(memory.shortfalls().empty());
}

TEST_F(spread_memory, of_a_node_that_has_gone_offline_goes_to_the_nearest_and_says_so) {
  nodes->capacity[1] = 0;
  std::byte* const bound = allocate(4, placing::bound_to(1));
  touch(bound, 4, 0);
  EXPECT_EQ(picture(bound, 4), "3333");
  EXPECT_THAT(shortfall(), HasSubstr("node 1 has no free memory (full, or gone offline); node 3"));
  std::byte* const block = allocate(8, placing::follow_plan());
  (void)follow({0, 0.5, 1});
  touch(block, 8, 0);
  EXPECT_EQ(picture(block, 8), "00003333");
  const strict_memory strict(true);
  EXPECT_THROW((void)allocate(4, placing::bound_to(1)), error);
}

/// The system reports free memory in files, and reading them takes a tenth of a millisecond each time.
TEST_F(spread_memory, by_many_weights_asks_the_system_no_more_than_by_few) {
  std::vector<node_weight> many;
  for (unsigned i = 0; i < 40'000; ++i) many.push_back({i % 4, 1});
  for (const placing& how : {placing::by_weights(many), placing::interleaved_by_weights(many)}) {
    nodes->free_calls = 0;
    std::byte* const block = allocate(8, how);
    touch(block, 8);
    EXPECT_LE(nodes->free_calls, 4U) << "once for each node";
    EXPECT_EQ(shortfall(), "");
    memory->free(block);
  }
}

/// Each part is a run of its own, in a block that is too small to be split by huge pages. In quadratic time this test
/// would take minutes.
TEST_F(spread_memory, by_many_weights_has_as_many_parts) {
  describe({{20'000, 100}, {20'000, 100}, {20'000, 300}, {20'000, 300}});
  std::vector<node_weight> many;
  for (unsigned i = 0; i < 30'000; ++i) many.push_back({i % 4, 1});
  (void)allocate(30'000, placing::by_weights(many));
  EXPECT_EQ(nodes->policy_calls, 30'000U);
  EXPECT_EQ(shortfall(), "");
}

TEST_F(spread_memory, says_once_that_many_nodes_are_not_there) {
  std::vector<node_weight> many;
  for (unsigned i = 0; i < 40'000; ++i) many.push_back({i, 1});
  (void)allocate(8, placing::by_weights(many));
  ASSERT_EQ(memory->shortfalls().size(), 1U);
  EXPECT_THAT(shortfall(), HasSubstr("there is no node 4; node 3"));
  EXPECT_THAT(shortfall(), HasSubstr("the same goes for 39995 more"));
}

TEST_F(spread_memory, adds_up_many_weights_of_one_node_inside_domains) {
  std::vector<node_weight> many;
  for (unsigned i = 0; i < 40'000; ++i) many.push_back({i % 4, i % 4 < 2 ? 1.0 : 3.0});
  std::byte* const block = allocate(16, placing::follow_plan(node_spread::by_weights, many));
  (void)follow({0, 0.5, 1});
  touch(block, 16);
  EXPECT_EQ(picture(block, 16), "2022202231333133");
}

TEST_F(spread_memory, in_hbm_alone_takes_the_nearest_with_room) {
  std::byte* const block = allocate(15, placing::hbm_only());
  EXPECT_EQ(policy_of(block), page_policy::bind);
  touch(block, 15);
  EXPECT_EQ(picture(block, 15), "222222222222222");
  describe({{100, 100}, {100, 100}, {10, 300}, {10, 300}});
  std::byte* const over_both = allocate(15, placing::hbm_only());
  touch(over_both, 15);
  EXPECT_EQ(picture(over_both, 15), "222222222233333");
  EXPECT_TRUE(memory->shortfalls().empty()) << shortfall();
}

TEST_F(spread_memory, in_hbm_alone_is_left_to_first_touch_where_it_does_not_fit) {
  std::byte* const block = allocate(201, placing::hbm_only());
  EXPECT_EQ(policy_of(block), page_policy::first_touch);
  EXPECT_THAT(shortfall(), HasSubstr("memory is not in HBM alone: 0 MiB of it are free"));
}

TEST_F(spread_memory, in_hbm_alone_says_where_there_is_none) {
  describe({{100, 100}, {100, 100}});
  EXPECT_EQ(policy_of(allocate(10, placing::hbm_only())), page_policy::first_touch);
  EXPECT_THAT(shortfall(), HasSubstr("the machine has no HBM"));
}

TEST_F(spread_memory, in_hbm_alone_says_what_the_system_refuses) {
  nodes->refuse_policy = EPERM;
  (void)allocate(10, placing::hbm_only());
  EXPECT_THAT(shortfall(), HasSubstr("Operation not permitted"));
}

}  // namespace
}  // namespace nearfork
