#include "memory/placed/placed_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cerrno>
#include <map>
#include <set>

#include <nearfork/error.hpp>

#include "base/rng.hpp"
#include "machines_with_memory.hpp"

namespace nearfork {
namespace {

using test::fake_memory;
using test::fake_nodes;
using testing::HasSubstr;

constexpr std::size_t page = fake_nodes::page;
constexpr std::uint64_t all_at_once = std::uint64_t{1} << 40;

struct memory_of {
  explicit memory_of(const std::vector<std::uint64_t>& pages_of_node)
      : nodes(pages_of_node),
        where(machine_with(pages_of_node)),
        memory(std::make_unique<fake_memory>(nodes), [this] { return where; }) {}

  std::byte* allocate(std::uint64_t pages, memory_options options = {}) {
    return static_cast<std::byte*>(memory.allocate(pages * page, 8, options));
  }
  void touch(std::byte* block, std::uint64_t pages, int local) {
    for (std::uint64_t i = 0; i < pages; ++i) nodes.touch(block + i * page, local);
  }
  move_outcome follow(std::vector<double> borders, std::uint64_t most = all_at_once, const char* region = "heat") {
    memory.count_iteration(region);
    const std::vector<node_id> all = nodes_of_domains(*where);
    return memory.follow({.region = region, .borders = borders, .nodes = all, .most_moved_bytes = most});
  }
  std::string picture(std::byte* block, std::uint64_t pages) {
    std::string text = picture_of(memory.where_lies(block, pages * page), static_cast<unsigned>(pages));
    return text.substr(1, text.find(']') - 1);
  }
  std::string shortfall() {
    const auto facts = memory.shortfalls();
    return facts.empty() ? "" : facts.back().what + ": " + facts.back().why;
  }

  fake_nodes nodes;
  std::shared_ptr<const machine> where;
  placed_memory memory;
};

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

// --- regions ---

TEST(data_of_a_region, are_the_blocks_that_follow_plans_and_name_no_other) {
  memory_of run({100, 100});
  (void)run.allocate(3);
  (void)run.allocate(5, {.region = "heat"});
  (void)run.allocate(7, {.region = "other"});
  (void)run.allocate(9, {.where = placing::interleaved()});
  EXPECT_EQ(run.memory.data_of("heat").blocks, 2U);
  EXPECT_EQ(run.memory.data_of("heat").bytes, 8 * page);
  EXPECT_EQ(run.memory.data_of("third").bytes, 3 * page);
}

TEST(follow, binds_pages_before_they_are_touched) {
  memory_of run({100, 100});
  std::byte* const block = run.allocate(8);
  EXPECT_TRUE(run.follow({0, 0.5, 1}).in_place);
  run.touch(block, 8, 0);
  EXPECT_EQ(run.picture(block, 8), "00001111");
  EXPECT_EQ(run.nodes.moved_pages, 0U);
}

TEST(follow, moves_what_was_touched_elsewhere) {
  memory_of run({100, 100});
  std::byte* const block = run.allocate(8);
  run.touch(block, 6, 0);
  const move_outcome moved = run.follow({0, 0.5, 1});
  EXPECT_EQ(moved.moved_bytes, 2 * page);
  EXPECT_TRUE(moved.in_place);
  EXPECT_EQ(run.picture(block, 8), "000011..");
  EXPECT_EQ(run.memory.totals().moved_bytes, 2 * page);
}

TEST(follow, moves_the_difference_alone) {
  memory_of run({100, 100});
  std::byte* const block = run.allocate(8);
  (void)run.follow({0, 0.5, 1});
  run.touch(block, 8, 0);
  const auto asked = run.nodes.located_pages;
  EXPECT_EQ(run.follow({0, 0.75, 1}).moved_bytes, 2 * page);
  EXPECT_EQ(run.nodes.located_pages - asked, 2U + 2U) << "the difference, and once more whether it arrived";
  EXPECT_EQ(run.picture(block, 8), "00000011");
  const auto calls = run.nodes.policy_calls;
  EXPECT_EQ(run.follow({0, 0.75, 1}).moved_bytes, 0U);
  EXPECT_EQ(run.nodes.policy_calls, calls) << "nothing has changed";
}

TEST(follow, moves_so_many_bytes_at_once) {
  memory_of run({100, 100});
  std::byte* const block = run.allocate(10);
  run.touch(block, 10, 0);
  std::vector<std::uint64_t> moved;
  for (move_outcome one = run.follow({0, 0, 1}, 4 * page);; one = run.follow({0, 0, 1}, 4 * page)) {
    moved.push_back(one.moved_bytes / page);
    if (one.in_place) break;
  }
  EXPECT_EQ(moved, (std::vector<std::uint64_t>{4, 4, 2}));
  EXPECT_EQ(run.picture(block, 10), "1111111111");
}

TEST(follow, moves_nothing_where_no_bytes_may_be_moved) {
  memory_of run({100, 100});
  std::byte* const block = run.allocate(10);
  run.touch(block, 5, 0);
  EXPECT_TRUE(run.follow({0, 0, 1}, 0).in_place);
  run.touch(block, 10, 0);
  EXPECT_EQ(run.picture(block, 10), "0000011111");
}

TEST(follow, splits_all_blocks_of_the_region_alike) {
  memory_of run({100, 100});
  std::byte* const one = run.allocate(8);
  std::byte* const other = run.allocate(8);
  std::byte* const half = run.allocate(4);
  std::byte* const strange = run.allocate(4, {.region = "other"});
  (void)run.follow({0, 0.25, 1});
  for (std::byte* const block : {one, other}) run.touch(block, 8, 0);
  for (std::byte* const block : {half, strange}) run.touch(block, 4, 0);
  EXPECT_EQ(run.picture(one, 8), "00111111");
  EXPECT_EQ(run.picture(other, 8), "00111111");
  EXPECT_EQ(run.picture(half, 4), "0111");
  EXPECT_EQ(run.picture(strange, 4), "0000");
}

TEST(follow, does_not_drag_pages_between_regions_that_take_turns) {
  memory_of run({100, 100});
  std::byte* const block = run.allocate(8);
  run.touch(block, 8, 0);
  for (int i = 0; i < 3; ++i) {
    (void)run.follow({0, 0.5, 1}, all_at_once, "heat");
    (void)run.follow({0, 0.25, 1}, all_at_once, "check");
  }
  EXPECT_EQ(run.picture(block, 8), "00001111");
  EXPECT_EQ(run.nodes.moved_pages, 4U);
  for (int i = 0; i < 2; ++i) (void)run.follow({0, 0.25, 1}, all_at_once, "check");
  EXPECT_EQ(run.picture(block, 8), "00111111") << "who uses it most, leads";
}

TEST(follow, goes_on_without_moving_where_that_is_refused) {
  for (const int refused : {EPERM, ENOSYS}) {
    memory_of run({100, 100});
    run.nodes.refuse_move = refused;
    std::byte* const block = run.allocate(4);
    run.touch(block, 2, 0);
    EXPECT_TRUE(run.follow({0, 0, 1}).in_place);
    run.touch(block, 4, 0);
    EXPECT_EQ(run.picture(block, 4), "0011");
    EXPECT_THAT(run.shortfall(), HasSubstr("not moved to its tasks"));
  }
}

// A node that went away is no reason not to move pages to others.
TEST(follow, asks_again_after_a_node_was_withdrawn) {
  for (const int withdrawn : {ENODEV, EACCES}) {
    memory_of run({100, 100});
    std::byte* const block = run.allocate(4);
    run.touch(block, 4, 0);
    run.nodes.refuse_move = withdrawn;
    EXPECT_TRUE(run.follow({0, 0.5, 1}).in_place);
    EXPECT_EQ(run.picture(block, 4), "0000");
    EXPECT_EQ(run.memory.totals().stuck_bytes, 2 * page);
    EXPECT_THAT(run.shortfall(), HasSubstr("errno " + std::to_string(withdrawn)));
    run.nodes.refuse_move = 0;
    (void)run.follow({0, 0.25, 1});
    EXPECT_EQ(run.picture(block, 4), "0100");
  }
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

TEST(follow, says_that_a_node_is_full_and_leaves_what_has_no_room) {
  memory_of run({100, 3});
  std::byte* const block = run.allocate(8);
  run.touch(block, 8, 0);
  run.nodes.knows_free = false;
  EXPECT_TRUE(run.follow({0, 0.5, 1}).in_place);
  EXPECT_EQ(run.picture(block, 8), "00001110");
  EXPECT_EQ(run.memory.totals().stuck_bytes, page);
  EXPECT_THAT(run.shortfall(), HasSubstr("the node is full"));
}

TEST(follow, gives_the_part_of_a_full_node_to_the_next) {
  memory_of run({100, 2, 100});
  std::byte* const block = run.allocate(9);
  (void)run.follow({0, 1.0 / 3, 2.0 / 3, 1});
  run.touch(block, 9, 0);
  EXPECT_EQ(run.picture(block, 9), "000000222");
  EXPECT_THAT(run.shortfall(), HasSubstr("node 1 has too little free memory; node 0"));
}

// Each has room as long as nobody has touched the others.
TEST(follow, finds_in_the_next_iteration_what_lies_elsewhere_since_blocks_together_had_no_room) {
  memory_of run({100, 6});
  std::byte* const one = run.allocate(8);
  std::byte* const other = run.allocate(8);
  EXPECT_TRUE(run.follow({0, 0.5, 1}).in_place);
  run.touch(one, 8, 0);
  run.touch(other, 8, 0);
  EXPECT_EQ(run.picture(other, 8), "00001100");
  EXPECT_EQ(run.shortfall(), "") << "nobody has looked";
  (void)run.follow({0, 0.5, 1});
  EXPECT_THAT(run.shortfall(), HasSubstr("the node is full"));
  EXPECT_EQ(run.memory.totals().stuck_bytes, 2 * page);
}

TEST(follow, brings_home_what_was_touched_elsewhere_as_soon_as_there_is_room) {
  memory_of run({100, 4});
  std::byte* const passing = run.allocate(2, {.where = placing::bound_to(1)});
  run.touch(passing, 2, 0);
  run.nodes.knows_free = false;
  std::byte* const block = run.allocate(8);
  (void)run.follow({0, 0.5, 1});
  run.touch(block, 8, 0);
  EXPECT_EQ(run.picture(block, 8), "00001100");
  run.memory.free(passing);
  EXPECT_EQ(run.follow({0, 0.5, 1}).moved_bytes, 2 * page);
  EXPECT_EQ(run.picture(block, 8), "00001111");
  EXPECT_EQ(run.follow({0, 0.5, 1}).moved_bytes, 0U);
}

TEST(follow, looks_once_more_at_pages_that_nobody_had_touched_and_no_oftener) {
  memory_of run({100, 100});
  std::byte* const block = run.allocate(8);
  run.touch(block, 2, 0);
  (void)run.follow({0, 0.5, 1});
  EXPECT_EQ(run.nodes.located_pages, 8U);
  (void)run.follow({0, 0.5, 1});
  EXPECT_EQ(run.nodes.located_pages, 8U + 6U);
  (void)run.follow({0, 0.5, 1});
  EXPECT_EQ(run.nodes.located_pages, 8U + 6U);
}

// What lies on a node already needs no room there.
TEST(follow, does_not_take_a_node_for_full_that_holds_the_block) {
  memory_of run({8, 100});
  std::byte* const block = run.allocate(8);
  run.touch(block, 8, 0);
  (void)run.follow({0, 0.5, 1});
  EXPECT_EQ(run.picture(block, 8), "00001111");
  EXPECT_EQ(run.shortfall(), "");
}

TEST(take_back, restores_where_the_pages_lay) {
  memory_of run({100, 100, 100});
  std::byte* const block = run.allocate(9);
  run.touch(block, 2, 2);
  run.touch(block, 8, 0);
  (void)run.follow({0, 1.0 / 3, 2.0 / 3, 1});
  EXPECT_EQ(run.picture(block, 9), "00011122.");
  EXPECT_TRUE(run.memory.take_back("heat", all_at_once).in_place);
  run.touch(block, 9, 1);
  EXPECT_EQ(run.picture(block, 9), "220000001") << "and what is touched next goes by first touch again";
}

TEST(take_back, undoes_the_last_change_alone) {
  memory_of run({100, 100});
  std::byte* const block = run.allocate(8);
  run.touch(block, 8, 0);
  (void)run.follow({0, 0.5, 1});
  (void)run.follow({0, 0.25, 1});
  EXPECT_FALSE(run.memory.take_back("heat", page).in_place) << "bounded, too";
  EXPECT_TRUE(run.memory.take_back("heat", all_at_once).in_place);
  EXPECT_EQ(run.picture(block, 8), "00001111");
  EXPECT_EQ(run.follow({0, 0.5, 1}).moved_bytes, 0U);
}

TEST(where_lies, says_why_it_is_not_known) {
  memory_of run({100, 100});
  std::byte* const block = run.allocate(1);
  run.nodes.refuse_locate = EPERM;
  EXPECT_EQ(picture_of(run.memory.where_lies(block, page)),
            "not known: move_pages: Operation not permitted (errno 1); see nearfork doctor\n");
}

TEST(where_lies, counts_bytes_and_not_pages) {
  memory_of run({100, 100});
  std::byte* const block = run.allocate(4);
  run.touch(block, 1, 0);
  run.touch(block, 2, 1);
  const memory_map shown = run.memory.where_lies(block + 100, 3 * page - 200);
  ASSERT_EQ(shown.parts.size(), 3U);
  EXPECT_EQ(shown.parts[0], (memory_part{block + 100, page - 100, 0U}));
  EXPECT_EQ(shown.parts[1], (memory_part{block + page, page, 1U}));
  EXPECT_EQ(shown.parts[2], (memory_part{block + 2 * page, page - 100, std::nullopt}));
  EXPECT_EQ(shown.bytes_on(1), page);
  EXPECT_EQ(shown.untouched_bytes(), page - 100);
  EXPECT_EQ(picture_of(run.memory.where_lies(block, 4 * page), 8),
            "[0011....]\nnode 0: 0.0 MiB (25%)\nnode 1: 0.0 MiB (25%)\nuntouched: 0.0 MiB (50%)\n");
  EXPECT_EQ(picture_of({}), "nothing\n");
}

// --- anything, in any order ---

// No page is lost, none is on two nodes, no node holds more than it has, and what was freed is gone.
RC_GTEST_PROP(placed_memory, keeps_every_page_on_one_node, (std::uint64_t seed)) {
  rng random(seed);
  std::vector<std::uint64_t> sizes;
  for (std::uint32_t i = 1 + random.below(4); i > 0; --i) sizes.push_back(random.below(60));
  sizes.push_back(20 + random.below(60));
  memory_of run(sizes);
  const auto domains = static_cast<std::uint32_t>(sizes.size());
  run.nodes.knows_free = random.below(2) == 0;
  if (random.below(8) == 0) run.nodes.refuse_policy = EPERM;
  if (random.below(8) == 0) run.nodes.refuse_move = ENOSYS;
  std::map<std::byte*, std::set<std::uint64_t>> touched;  // the model: pages that somebody wrote to
  std::map<std::byte*, std::uint64_t> pages;
  const char* const regions[] = {"heat", "check"};
  for (int step = 0; step < 60; ++step) {
    switch (random.below(6)) {
      case 0: {
        const placing all[] = {placing::follow_plan(),
                               placing::follow_plan(node_spread::by_capacity),
                               placing::interleaved(),
                               placing::by_capacity(),
                               placing::preferring(random.below(domains + 2)),
                               placing::interleaved_by_weights({{0, 1}, {random.below(domains), 2}})};
        const memory_options options{.where = all[random.below(6)]};
        const std::uint64_t count = 1 + random.below(12);
        void* const again = random.below(4) == 0 ? nullptr : run.memory.reuse(count * page, 8, options);
        std::byte* const made = again != nullptr ? static_cast<std::byte*>(again) : run.allocate(count, options);
        RC_ASSERT(!pages.contains(made));
        pages[made] = count;
        break;
      }
      case 1: {
        if (pages.empty()) break;
        auto gone = pages.begin();
        std::advance(gone, random.below(static_cast<std::uint32_t>(pages.size())));
        RC_ASSERT(run.memory.free(gone->first));
        touched.erase(gone->first);
        pages.erase(gone);
        break;
      }
      case 2: {
        std::vector<double> weights;
        for (std::uint32_t i = 0; i < domains; ++i) weights.push_back(1.0 + random.below(5));
        (void)run.follow(borders_by_weight(weights), random.below(3) == 0 ? all_at_once : page * random.below(10),
                         regions[random.below(2)]);
        break;
      }
      case 3: (void)run.memory.take_back(regions[random.below(2)], page * random.below(20)); break;
      case 4:
        if (random.below(8) == 0) run.memory.give_back_kept();
        break;
      default:
        for (const auto& [block, count] : pages)
          for (std::uint64_t i = 0; i < count; ++i) {
            if (random.below(3) != 0) continue;
            run.nodes.touch(block + i * page, static_cast<int>(random.below(domains)));
            if (run.nodes.node_at(block + i * page) >= 0) touched[block].insert(i);
          }
    }
    std::size_t held = 0;
    for (const auto& [block, numbers] : touched) {
      held += numbers.size();
      for (const std::uint64_t i : numbers) RC_ASSERT(run.nodes.node_at(block + i * page) >= 0);
    }
    RC_ASSERT(run.nodes.lies.size() == held + run.nodes.aside.size());
    for (std::size_t node = 0; node < sizes.size(); ++node)
      RC_ASSERT(run.nodes.used(static_cast<int>(node)) <= sizes[node]);
    std::uint64_t kept_bytes = 0;
    for (const auto& [at, one] : run.nodes.mapped)
      if (!pages.contains(reinterpret_cast<std::byte*>(at))) kept_bytes += one.bytes;
    RC_ASSERT(kept_bytes == run.memory.totals().kept_bytes);
    RC_ASSERT(kept_bytes <= kept_blocks::most_bytes);
    RC_ASSERT(run.memory.totals().blocks == pages.size());
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
