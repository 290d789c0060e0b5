// Regions and their placed data, on nodes of given size. The pages are not real, so tasks touch none.
#include "runtime/regions/data_placing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include <nearfork/error.hpp>
#include <nearfork/nearfork.hpp>

#include "machines_with_memory.hpp"
#include "memory/placed/placed_memory.hpp"
#include "plan/policies/laws_policy.hpp"
#include "plan/policies/random_policy.hpp"
#include "runtime/lifetime/scheduler.hpp"
#include "runtime_settings.hpp"
#include "scripted_misses.hpp"

namespace {

using namespace nearfork;
using test::fake_memory;
using test::fake_nodes;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t page = fake_nodes::page;

class placed_data : public testing::Test {
 protected:
  explicit placed_data(std::vector<std::uint64_t> pages = {100, 100})
      : nodes(pages), where(machine_with(pages)), memory(std::make_unique<fake_memory>(nodes), where) {
    settings = test::with_workers(static_cast<unsigned>(pages.size()));
  }

  std::byte* allocate(std::uint64_t pages, memory_options options = {}) {
    return static_cast<std::byte*>(memory.allocate(pages * page, 8, options));
  }
  void touch(std::byte* block, std::uint64_t pages, int local) {
    for (std::uint64_t i = 0; i < pages; ++i) nodes.touch(block + i * page, local);
  }
  std::string picture(std::byte* block, std::uint64_t pages) {
    return picture_of(memory.where_lies(block, pages * page), static_cast<unsigned>(pages)).substr(1, pages);
  }
  std::unique_ptr<runtime> start(std::shared_ptr<const machine> on, std::unique_ptr<policy> how) {
    return std::make_unique<runtime>(settings,
                                     std::make_unique<scheduler>(settings, std::move(on), std::move(how),
                                                                 std::make_shared<test::scripted_misses>(), &memory));
  }
  std::unique_ptr<runtime> start() {
    return start(where, std::make_unique<laws_policy>(laws_policy::subtrees::packed));
  }
  static void iterate(runtime& on, int times = 1, region_options options = {.name = "heat"}) {
    for (int i = 0; i < times; ++i)
      on.run([&] {
        region(options,
               [] { (void)fork_join([] { return 1; }, [] { return 2; }, [] { return 3; }, [] { return 4; }); });
      });
  }

  fake_nodes nodes;
  std::shared_ptr<const machine> where;
  placed_memory memory;
  config settings;
};

TEST_F(placed_data, lies_by_the_plan_before_anybody_touches_it) {
  std::byte* const one = allocate(8);
  std::byte* const other = allocate(8);
  const auto run = start();
  iterate(*run);
  for (std::byte* const block : {one, other}) touch(block, 8, 0);
  EXPECT_EQ(picture(one, 8), "00001111");
  EXPECT_EQ(picture(other, 8), "00001111");
}

TEST_F(placed_data, follows_in_steps_and_the_report_counts_them) {
  settings.move_bytes = 3 * page;
  std::byte* const block = allocate(16);
  touch(block, 16, 0);
  const auto run = start();
  iterate(*run);
  EXPECT_EQ(picture(block, 16), "0000000011100000");
  iterate(*run, 3);
  EXPECT_EQ(picture(block, 16), "0000000011111111");
  const run_report report = run->report();
  EXPECT_EQ(report.regions.at(0).moved_bytes, 8 * page);
  EXPECT_EQ(report.memory.moved_bytes, 8 * page);
  EXPECT_EQ(report.memory.blocks, 1U);
  EXPECT_TRUE(report.degradations.empty()) << report.degradations.front().what;
}

TEST_F(placed_data, tells_a_region_how_large_its_input_is) {
  (void)allocate(8);
  (void)allocate(4, {.region = "other"});
  const auto run = start();
  iterate(*run);
  iterate(*run, 1, {.name = "said", .input_bytes = 77});
  const auto regions = run->report().regions;
  ASSERT_EQ(regions.size(), 2U);
  EXPECT_EQ(regions[0].input_bytes, 8 * page);
  EXPECT_EQ(regions[0].placed_blocks, 1U);
  EXPECT_EQ(regions[0].cost_source, "placed bytes");
  EXPECT_EQ(regions[1].input_bytes, 77U);
  EXPECT_EQ(regions[1].placed_blocks, 0U);
}

TEST_F(placed_data, of_an_array_made_in_the_first_iteration_counts) {
  const auto run = start();
  run->run([&] {
    region("heat", [&] {
      (void)allocate(8);
      (void)fork_join([] { return 1; }, [] { return 2; });
    });
  });
  EXPECT_EQ(run->report().regions.at(0).input_bytes, 8 * page);
}

TEST_F(placed_data, stays_where_it_is_under_a_policy_that_places_nothing) {
  std::byte* const block = allocate(8);
  touch(block, 8, 0);
  const auto run = start(where, std::make_unique<random_policy>(random_policy::workers::pinned));
  iterate(*run, 3);
  EXPECT_EQ(picture(block, 8), "00000000");
  EXPECT_EQ(nodes.policy_calls, 0U);
}

TEST_F(placed_data, is_left_alone_on_a_machine_that_is_only_described) {
  std::byte* const block = allocate(8);
  touch(block, 8, 0);
  const auto run = start(machine_with({100, 100}), std::make_unique<laws_policy>(laws_policy::subtrees::packed));
  iterate(*run, 3);
  EXPECT_EQ(nodes.policy_calls, 0U);
  EXPECT_THAT(run->report().memory.note, HasSubstr("described"));
  EXPECT_EQ(run->report().regions.at(0).input_bytes, 8 * page) << "bytes are bytes, wherever they lie";
  EXPECT_TRUE(run->report().degradations.empty());
}

TEST_F(placed_data, that_cannot_be_bound_is_a_degradation) {
  nodes.refuse_policy = EPERM;
  nodes.balances = {"NUMA balancing", "", grant_state::denied, "on: the kernel moves pages, too", "switch it off"};
  (void)allocate(8);
  const auto run = start();
  iterate(*run, 2);
  std::vector<std::string> what;
  for (const degradation& one : run->report().degradations) what.push_back(one.what);
  EXPECT_THAT(what, ElementsAre(HasSubstr("the kernel moves pages"), HasSubstr("not bound to nodes")));
}

TEST_F(placed_data, that_cannot_be_bound_is_an_error_in_strict_mode) {
  settings.strict = true;
  (void)allocate(8);
  const auto run = start();
  nodes.refuse_policy = EPERM;
  EXPECT_THROW(iterate(*run), error);
  EXPECT_THROW(iterate(*run), error);
  nodes.refuse_policy = 0;
  EXPECT_NO_THROW(iterate(*run)) << "the region is as usable as before";
  EXPECT_EQ(run->report().regions.at(0).iterations, 3U);
}

TEST_F(placed_data, that_only_the_default_policy_wants_bound_is_a_degradation_in_strict_mode) {
  settings.strict = true;
  (void)allocate(8);
  const auto run = start(where, make_policy(settings.policy));
  nodes.refuse_policy = EPERM;
  EXPECT_NO_THROW(iterate(*run, 2));
  std::vector<std::string> what;
  for (const degradation& one : run->report().degradations) what.push_back(one.what);
  EXPECT_THAT(what, Contains(HasSubstr("not bound to nodes")));
}

TEST_F(placed_data, survives_an_iteration_that_throws) {
  std::byte* const block = allocate(8);
  const auto run = start();
  EXPECT_THROW(run->run([] { region("heat", [] { throw 1; }); }), int);
  iterate(*run, 2);
  touch(block, 8, 1);
  EXPECT_EQ(picture(block, 8), "00001111");
}

TEST_F(placed_data, is_brought_where_a_step_says_and_taken_back) {
  std::byte* const block = allocate(8);
  touch(block, 8, 0);
  const data_placing placing(&memory, *where, true, std::uint64_t{1} << 30);
  placing.count_iteration("heat");
  EXPECT_EQ(placing.bring("heat", {data_act::leave, {}}).moved_bytes, 0U);
  EXPECT_EQ(placing.bring("heat", {data_act::follow, {.borders = {0, 0.5, 1}}}).moved_bytes, 4 * page);
  EXPECT_EQ(picture(block, 8), "00001111");
  EXPECT_EQ(placing.bring("heat", {data_act::take_back, {}}).moved_bytes, 4 * page);
  EXPECT_EQ(picture(block, 8), "00000000");
  EXPECT_EQ(placing.bring("heat", {data_act::follow, {.borders = {0, 1}}}).moved_bytes, 0U)
      << "borders of other domains";
}

TEST_F(placed_data, may_name_nodes_and_move_single_chunks) {
  std::byte* const block = allocate(8);
  touch(block, 8, 0);
  const data_placing placing(&memory, *where, true, std::uint64_t{1} << 30);
  placing.count_iteration("heat");
  const std::vector<node_id> swapped{node_id{1}, node_id{0}};
  data_parts parts{.borders = {0, 0.25, 1}, .nodes = swapped};
  EXPECT_EQ(placing.bring("heat", {data_act::follow, parts}).moved_bytes, 2 * page);
  EXPECT_EQ(picture(block, 8), "11000000");
  const std::uint64_t number = memory.living().back().number;
  parts.moves = {{.block = number, .begin = 4, .end = 6, .to = node_id{1}},
                 {.block = number + 1, .begin = 0, .end = 8, .to = node_id{1}}};
  EXPECT_EQ(placing.bring("heat", {data_act::follow, parts}).moved_bytes, 2 * page);
  EXPECT_EQ(picture(block, 8), "11001100") << "the other block's chunk is none of this one";
}

TEST(data_placing, has_something_to_do_where_one_domain_has_memory_of_two_kinds) {
  fake_nodes nodes({100, 100});
  const auto places = [&](std::uint32_t domains, const std::vector<tiered_node>& tiered) {
    const auto described = machine_with_tiers(domains, tiered);
    placed_memory memory(std::make_unique<fake_memory>(nodes), described);
    return data_placing(&memory, *described, true, 0).places();
  };
  EXPECT_TRUE(places(2, {{100, {}}, {100, {}}}));
  EXPECT_TRUE(places(1, {{100, {}}, {100, {}}}));
  EXPECT_FALSE(places(1, {{100, {}}, {0, {}}}));
}

class data_on_one_node : public placed_data {
 protected:
  data_on_one_node() : placed_data({100, 0}) {}
};

TEST_F(data_on_one_node, costs_nothing_and_alarms_nobody) {
  (void)allocate(8);
  const auto run = start();
  iterate(*run, 3);
  EXPECT_EQ(nodes.policy_calls, 0U);
  EXPECT_EQ(nodes.located_pages, 0U);
  EXPECT_TRUE(run->report().degradations.empty());
  EXPECT_EQ(run->report().memory.note, "");
}

}  // namespace
