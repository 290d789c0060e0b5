// Regions whose data are gauged in their first iteration, on nodes of given size. The pages are not real.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <nearfork/error.hpp>
#include <nearfork/nearfork.hpp>

#include "fake_hotness.hpp"
#include "machines_with_memory.hpp"
#include "memory/placed/placed_memory.hpp"
#include "plan/policies/bats_policy.hpp"
#include "runtime/lifetime/scheduler.hpp"
#include "runtime/regions/watched_chunks.hpp"
#include "runtime_settings.hpp"
#include "scripted_misses.hpp"

namespace {

using namespace nearfork;
using test::fake_nodes;
using test::fake_source;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr std::size_t bytes_of_page = fake_nodes::page;
constexpr std::uint64_t gauged_pages = 100;
constexpr std::uint64_t hot_pages = 10;  // the first ones: those of the first slow node

/// Two slow nodes, 0 and 1, and two that are four times as fast: of a hundred pages a block has 10, 10, 40 and 40
/// there.
class gauged_region : public testing::Test {
 protected:
  gauged_region()
      : nodes({200, 200, 200, 200}),
        where(machine_with_tiers(2, {{200, 1000}, {200, 1000}, {200, 4000}, {200, 4000}})),
        memory(std::make_unique<test::fake_memory>(nodes), where) {
    settings = test::with_workers(2);
    settings.policy = "bats";
    block = static_cast<std::byte*>(memory.allocate(gauged_pages * bytes_of_page, 8, {}));
    marks.sees = [this](std::size_t, address_range at) {
      return at.begin < reinterpret_cast<std::uintptr_t>(block) + hot_pages * bytes_of_page ? 50.0 : 1.0;
    };
  }

  std::unique_ptr<runtime> start(hotness_source by = hotness_source::automatic) {
    std::vector<std::unique_ptr<heat_source>> all;
    all.push_back(std::make_unique<fake_source>(damon));
    all.push_back(std::make_unique<fake_source>(marks));
    auto heat = std::make_shared<hotness>(by, 0.015, std::move(all), std::make_shared<test::fake_hotness_system>());
    auto bats = std::make_unique<bats_policy>(
        "bats", bats_policy::parts_used{.by_bandwidth = true, .balanced = true, .located = false});
    auto home = std::make_unique<scheduler>(settings, where, std::move(bats), std::make_shared<test::scripted_misses>(),
                                            &memory, live_power_system(), std::move(heat));
    return std::make_unique<runtime>(settings, std::move(home));
  }
  template <class Leaf>
  void iterate(runtime& on, const Leaf& leaf) {
    int sum = 0;
    on.run([&] {
      region({.name = "hot"}, [&] {
        auto [one, other] = fork_join([&] { return leaf(), 1; }, [&] { return leaf(), 2; });
        sum = one + other;
      });
    });
    EXPECT_EQ(sum, 3);
    for (std::uint64_t i = 0; i < gauged_pages; ++i) nodes.touch(block + i * bytes_of_page, 0);
  }
  /// Until the chunks have moved; a changed plan must stay for some iterations before data follow it.
  template <class Leaf>
  run_report run_until_moved(runtime& on, const Leaf& leaf) {
    for (int i = 0; i < 20 && on.report().memory.moved_bytes == 0; ++i) iterate(on, leaf);
    return on.report();
  }
  run_report run_until_moved(runtime& on) {
    return run_until_moved(on, [] {});
  }
  [[nodiscard]] std::uint64_t hot_on_fast_nodes() const {
    std::uint64_t count = 0;
    for (std::uint64_t i = 0; i < hot_pages; ++i) count += nodes.node_at(block + i * bytes_of_page) >= 2 ? 1 : 0;
    return count;
  }
  static std::vector<std::string> whats(const run_report& report) {
    std::vector<std::string> all;
    for (const degradation& one : report.degradations) all.push_back(one.what + ", " + one.where + ": " + one.why);
    return all;
  }

  fake_nodes nodes;
  std::shared_ptr<const machine> where;
  placed_memory memory;
  config settings;
  std::byte* block = nullptr;
  fake_source::script damon{.name = "damon", .refused_at_once = heat_refusal{"no root", "be root"}};
  fake_source::script marks{.name = "clear_refs"};
};

TEST_F(gauged_region, moves_its_hot_chunks_to_the_fast_nodes) {
  const auto run = start();
  const run_report report = run_until_moved(*run);
  EXPECT_GE(hot_on_fast_nodes(), 6U) << "they have 500 of 590 accesses, and the slow nodes a fifth of the bandwidth";
  EXPECT_GT(report.regions.at(0).moved_bytes, 0U);
  EXPECT_THAT(report.regions.at(0).why, Contains(StartsWith("hotness: by clear_refs: ")));
  EXPECT_THAT(report.regions.at(0).why, Contains(HasSubstr("of the gauged iteration")));
  EXPECT_THAT(report.regions.at(0).why, Each(Not(HasSubstr("not known"))));
  EXPECT_EQ(marks.begun, 1U) << "one iteration is gauged";
  EXPECT_EQ(marks.ended, 1U);
}

TEST_F(gauged_region, says_nothing_of_sources_that_it_does_not_need) {
  const auto run = start();
  EXPECT_THAT(whats(run->report()), IsEmpty());
}

TEST_F(gauged_region, takes_hints_before_anything_else) {
  marks.sees = [](std::size_t, address_range) { return 1.0; };
  const auto run = start();
  const run_report report = run_until_moved(*run, [&] {
    for (int i = 0; i < 50; ++i) nearfork::reads(std::span<const std::byte>(block, hot_pages * bytes_of_page));
    nearfork::writes(std::span<std::byte>(block, gauged_pages * bytes_of_page));
  });
  EXPECT_GE(hot_on_fast_nodes(), 6U);
  EXPECT_THAT(report.regions.at(0).why, Contains(StartsWith("hotness: by hints; clear_refs: ")));
}

TEST_F(gauged_region, can_do_with_hints_alone) {
  const auto run = start(hotness_source::hints);
  iterate(*run, [&] { nearfork::reads(std::span<const std::byte>(block, hot_pages * bytes_of_page)); });
  EXPECT_THAT(run->report().regions.at(0).why, Contains("hotness: by hints"));
  EXPECT_EQ(marks.begun, 0U);
  EXPECT_FALSE(detail::anybody_records()) << "nobody listens any more";
}

TEST_F(gauged_region, without_hints_or_sources_moves_nothing) {
  const auto run = start(hotness_source::hints);
  for (int i = 0; i < 12; ++i) iterate(*run, [] {});
  const run_report report = run->report();
  EXPECT_EQ(report.memory.moved_bytes, 0U);
  EXPECT_THAT(report.regions.at(0).why, Contains("hotness: not known"));
  EXPECT_THAT(report.regions.at(0).why, Contains(HasSubstr("hot data are not known, so none move")));
}

TEST_F(gauged_region, where_all_is_refused_has_a_line_for_each_source) {
  marks.refused_at_once = heat_refusal{"/proc/self/clear_refs: no", "let it"};
  const auto run = start();
  for (int i = 0; i < 12; ++i) iterate(*run, [] {});
  const run_report report = run->report();
  EXPECT_EQ(report.memory.moved_bytes, 0U);
  EXPECT_THAT(whats(report), testing::ElementsAre(
                                 "hot data are not known, so none move, source damon: no root",
                                 "hot data are not known, so none move, source clear_refs: /proc/self/clear_refs: no"));
  try {
    throw_if_degraded(report);
    FAIL() << "strict mode is content";
  } catch (const error& strict) {
    EXPECT_THAT(strict.what(), HasSubstr("source damon"));
    EXPECT_THAT(strict.what(), HasSubstr("source clear_refs"));
  }
}

TEST_F(gauged_region, a_named_source_that_is_refused_is_a_line) {
  const auto run = start(hotness_source::damon);
  EXPECT_THAT(whats(run->report()), testing::ElementsAre(HasSubstr("source damon: no root")));
  EXPECT_EQ(marks.begun, 0U);
}

TEST_F(gauged_region, goes_on_with_the_next_source_when_one_fails) {
  damon.refused_at_once.reset();
  damon.refused_in_window = heat_refusal{"it broke", ""};
  const auto run = start();
  (void)run_until_moved(*run);
  EXPECT_GE(hot_on_fast_nodes(), 6U);
  EXPECT_EQ(damon.begun, damon.ended);
  EXPECT_EQ(marks.ended, 1U);
}

TEST_F(gauged_region, switches_a_dear_source_off_and_says_so) {
  marks.cost_ns = std::uint64_t{1} << 60;
  const auto run = start();
  const run_report report = run_until_moved(*run);
  EXPECT_GE(hot_on_fast_nodes(), 6U) << "what is paid for is used";
  EXPECT_THAT(report.regions.at(0).why, Contains(HasSubstr("switched off")));
  EXPECT_THAT(whats(report), Contains(StartsWith("hot data are not looked for any more, source clear_refs")));
  (void)memory.allocate(4 * bytes_of_page, 8, {.region = "other"});
  run->run([] { region({.name = "other"}, [] { (void)fork_join([] { return 1; }, [] { return 2; }); }); });
  EXPECT_EQ(marks.begun, 1U) << "not for another region";
}

TEST_F(gauged_region, is_not_watched_where_nobody_wants_it) {
  const auto run = start(hotness_source::none);
  for (int i = 0; i < 12; ++i) iterate(*run, [] {});
  EXPECT_EQ(marks.begun + damon.begun, 0U);
  EXPECT_EQ(run->report().memory.moved_bytes, 0U);
  EXPECT_THAT(whats(run->report()), IsEmpty());
}

TEST_F(gauged_region, ends_the_watch_when_the_iteration_throws) {
  const auto run = start();
  EXPECT_THROW(run->run([&] { region({.name = "hot"}, []() -> int { throw 7; }); }), int);
  EXPECT_EQ(marks.begun, marks.ended);
  EXPECT_FALSE(detail::anybody_records());
}

TEST(chunks_of, end_where_the_node_changes_and_keep_huge_pages_whole) {
  data_layout data;
  data.blocks.push_back({.number = 3,
                         .begin = 0x100000,
                         .extent = {.bytes = 10 * bytes_of_page, .page_bytes = bytes_of_page},
                         .split = {{0, 3, node_id{0}}, {3, 10, node_id{1}}}});
  data.blocks.push_back({.number = 1,
                         .begin = 0x40000000,
                         .extent = {.bytes = 1000 * bytes_of_page, .page_bytes = bytes_of_page, .pages_of_unit = 512},
                         .split = {{0, 1000, node_id{1}}}});
  const watched_chunks made = chunks_of(data);
  ASSERT_EQ(made.chunks.size(), 12U);
  ASSERT_EQ(made.addresses.size(), 12U);
  EXPECT_EQ(made.chunks[2], (data_chunk{.block = 3, .begin = 2, .end = 3, .node = node_id{0}}));
  EXPECT_EQ(made.chunks[3].node, node_id{1});
  EXPECT_EQ(made.addresses[3], (address_range{0x100000 + 3 * bytes_of_page, 0x100000 + 4 * bytes_of_page}));
  EXPECT_EQ(made.chunks[10], (data_chunk{.block = 1, .begin = 0, .end = 512, .node = node_id{1}}));
  EXPECT_EQ(made.chunks[11], (data_chunk{.block = 1, .begin = 512, .end = 1000, .node = node_id{1}}));
}

}  // namespace
