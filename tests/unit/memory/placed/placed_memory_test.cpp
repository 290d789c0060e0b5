#include "memory/placed/placed_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <map>

#include <nearfork/error.hpp>

#include "unit/memory/placed/memory_of.hpp"

namespace nearfork {
namespace {

using test::fake_nodes;
using test::memory_of;
using test::page;
using testing::HasSubstr;

TEST(placed_memory, gives_blocks_that_are_found_until_they_are_freed) {
  memory_of run({1000});
  std::byte* const block = run.allocate(10);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % block_registry::chunk_bytes, 0U);
  EXPECT_TRUE(run.memory.find(block + 10 * page - 1));
  EXPECT_FALSE(run.memory.find(block + 10 * page));
  EXPECT_FALSE(run.memory.free(block + page)) << "no block begins there";
  EXPECT_EQ(run.memory.totals().bytes, 10 * page);
  EXPECT_TRUE(run.memory.free(block));
  EXPECT_FALSE(run.memory.find(block));
  EXPECT_FALSE(run.memory.free(block));
  run.memory.give_back_kept();
  EXPECT_TRUE(run.nodes.mapped.empty());
}

TEST(placed_memory, asks_for_nothing_where_there_is_one_node) {
  memory_of run({1000});
  for (const placing& where : {placing::follow_plan(), placing::interleaved(), placing::by_capacity(),
                               placing::by_bandwidth(), placing::bound_to(0), placing::preferring(0)})
    (void)run.allocate(10, {.where = where});
  EXPECT_EQ(run.nodes.policy_calls, 0U);
  EXPECT_TRUE(run.memory.shortfalls().empty()) << run.shortfall();
}

TEST(placed_memory, puts_pages_where_the_options_say) {
  memory_of run({300, 100, 100});
  struct row {
    placing where;
    const char* picture;
  };
  const row rows[] = {{placing::bound_to(1), "1111111111"},
                      {placing::preferring(2), "2222222222"},
                      {placing::by_capacity(), "0000001122"},
                      {placing::by_weights({{2, 1}, {0, 4}}), "2200000000"},
                      {placing::follow_plan(), "1111111111"}};
  for (const row& r : rows) {
    std::byte* const block = run.allocate(10, {.where = r.where});
    run.touch(block, 10, 1);
    EXPECT_EQ(run.picture(block, 10), r.picture);
    run.memory.free(block);
  }
  run.memory.give_back_kept();
  EXPECT_EQ(run.nodes.lies.size(), 0U);
}

TEST(placed_memory, interleaves_by_the_kernels_weights_where_it_has_some) {
  memory_of run({100, 100});
  EXPECT_EQ(
      run.nodes.policy_of(reinterpret_cast<std::uintptr_t>(run.allocate(4, {.where = placing::interleaved()}))).how,
      page_policy::interleave);
  run.nodes.weighted = true;
  EXPECT_EQ(
      run.nodes.policy_of(reinterpret_cast<std::uintptr_t>(run.allocate(4, {.where = placing::interleaved()}))).how,
      page_policy::weighted_interleave);
  run.nodes.unknown_policies = {page_policy::weighted_interleave};
  EXPECT_EQ(
      run.nodes.policy_of(reinterpret_cast<std::uintptr_t>(run.allocate(4, {.where = placing::interleaved()}))).how,
      page_policy::interleave);
  EXPECT_TRUE(run.memory.shortfalls().empty());
}

TEST(placed_memory, takes_another_node_where_one_is_full_and_says_so) {
  memory_of run({100, 4});
  std::byte* const block = run.allocate(10, {.where = placing::bound_to(1)});
  run.touch(block, 10, 1);
  EXPECT_EQ(run.picture(block, 10), "0000000000");
  EXPECT_FALSE(run.nodes.out_of_memory);
  EXPECT_THAT(run.shortfall(), HasSubstr("node 1 has too little free memory; node 0"));
}

TEST(placed_memory, takes_another_node_where_there_is_none_and_says_so) {
  memory_of run({100, 100, 0});
  run.touch(run.allocate(5, {.where = placing::bound_to(9)}), 5, 0);
  EXPECT_EQ(run.nodes.used(1), 5U) << "the nearest number is that of a node without memory, the nearest to it is 1";
  EXPECT_THAT(run.shortfall(), HasSubstr("there is no node 9"));
}

TEST(placed_memory, says_where_bandwidths_are_not_known) {
  memory_of run({100, 100});
  std::byte* const block = run.allocate(10, {.where = placing::by_bandwidth()});
  run.touch(block, 10, 0);
  EXPECT_EQ(run.picture(block, 10), "0000011111");
  EXPECT_THAT(run.shortfall(), HasSubstr("not spread by bandwidth"));
}

TEST(placed_memory, leaves_pages_to_first_touch_where_binding_is_refused) {
  for (const int refused : {EPERM, ENOSYS}) {
    memory_of run({100, 100});
    run.nodes.refuse_policy = refused;
    std::byte* const block = run.allocate(4, {.where = placing::bound_to(1)});
    run.touch(block, 4, 0);
    EXPECT_EQ(run.picture(block, 4), "0000");
    EXPECT_THAT(run.shortfall(), HasSubstr("errno " + std::to_string(refused)));
    const auto calls = run.nodes.policy_calls;
    (void)run.allocate(4, {.where = placing::bound_to(1)});
    EXPECT_EQ(run.nodes.policy_calls, calls) << "asked once";
    EXPECT_EQ(run.memory.shortfalls().size(), 1U) << "told once";
  }
}

TEST(placed_memory, is_strict_while_a_strict_runtime_lives) {
  memory_of run({100, 100});
  {
    const strict_memory strict(true);
    EXPECT_THROW((void)run.allocate(4, {.where = placing::bound_to(9)}), error);
    EXPECT_TRUE(run.nodes.mapped.empty()) << "nothing is lost by it";
  }
  EXPECT_NO_THROW((void)run.allocate(4, {.where = placing::bound_to(9)}));
}

TEST(placed_memory, says_what_is_wrong_with_a_request) {
  memory_of run({100, 100});
  EXPECT_THROW((void)run.memory.allocate(page, 3, {}), error);
  EXPECT_THROW((void)run.memory.allocate(page, most_alignment * 2, {}), error);
  EXPECT_THROW((void)run.allocate(1, {.where = placing::by_weights({})}), error);
  EXPECT_THROW((void)run.allocate(1, {.where = placing::by_weights({{0, -1}})}), error);
  EXPECT_THROW((void)run.allocate(1, {.where = placing::follow_plan(node_spread::by_weights)}), error);
  EXPECT_THROW((void)run.allocate(1, {.where = {.how = static_cast<placing::rule>(99)}}), error);
  EXPECT_THROW((void)run.allocate(1, {.where = placing::follow_plan(static_cast<node_spread>(99))}), error);
  EXPECT_THROW((void)run.memory.allocate(~std::size_t{0}, 8, {}), error);
  for (const auto& [refused, words] : std::map<int, const char*>{{ENOMEM, "overcommit"}, {EAGAIN, "ulimit -l"}}) {
    run.nodes.refuse_map = refused;
    try {
      (void)run.allocate(1);
      ADD_FAILURE() << "no error";
    } catch (const error& wrong) {
      EXPECT_THAT(wrong.what(), HasSubstr(words));
    }
  }
  EXPECT_TRUE(run.nodes.mapped.empty());
}

TEST(placed_memory, says_where_huge_pages_cannot_be_had) {
  memory_of run({2000, 100});
  std::byte* const block = run.allocate(1, {.huge = huge_pages::wanted});
  EXPECT_EQ(run.nodes.mapped[reinterpret_cast<std::uintptr_t>(block)].bytes, fake_nodes::huge) << "a whole one";
  EXPECT_TRUE(run.memory.shortfalls().empty());
  run.nodes.huge_granted = {"huge pages", "", grant_state::denied, "[never]", "switch them on"};
  (void)run.allocate(1, {.huge = huge_pages::wanted});
  EXPECT_THAT(run.shortfall(), HasSubstr("no huge pages: [never]"));
}

TEST(placed_memory, knows_whose_machine_it_is) {
  memory_of run({100, 100});
  EXPECT_FALSE(run.memory.is_of(*run.where)) << "a described machine is no reason to read the one that runs us";
  (void)run.allocate(1, {.where = placing::interleaved()});
  EXPECT_TRUE(run.memory.is_of(*run.where));
  EXPECT_FALSE(run.memory.is_of(*machine_with({100, 100})));
}

TEST(binding, that_is_refused_comes_with_the_remedy_for_its_cause) {
  for (const auto& [refused, words] :
       std::map<int, const char*>{{EPERM, "SYS_NICE"}, {EINVAL, "cpuset.mems"}, {ENOMEM, "max_map_count"}}) {
    memory_of run({100, 100});
    run.nodes.refuse_policy = refused;
    (void)run.allocate(4, {.where = placing::bound_to(1)});
    ASSERT_EQ(run.memory.shortfalls().size(), 1U);
    EXPECT_THAT(run.memory.shortfalls().front().remedy, HasSubstr(words));
  }
}

TEST(placed_memory, tells_only_so_many_shortfalls_one_by_one) {
  memory_of run({100, 100});
  for (unsigned i = 0; i < 1000; ++i) run.memory.free(run.allocate(1, {.where = placing::bound_to(2 + i)}));
  const auto told = run.memory.shortfalls();
  ASSERT_EQ(told.size(), 101U);
  EXPECT_THAT(told.front().why, HasSubstr("there is no node 2"));
  EXPECT_THAT(told.back().what, HasSubstr("900 more times"));
}

TEST(placed_memory, looks_for_room_on_full_nodes_by_asking_each_once) {
  memory_of run(std::vector<std::uint64_t>(64, 1));
  run.nodes.free_calls = 0;
  (void)run.allocate(1000, {.where = placing::by_capacity()});
  EXPECT_LE(run.nodes.free_calls, 64U);
}

}  // namespace
}  // namespace nearfork
