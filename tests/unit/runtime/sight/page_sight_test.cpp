// Where the pages of a run lie, on nodes of given size, and which domains' tasks say that they touch them. The pages
// are not real: hints name them, and no task touches them.
#include "runtime/sight/page_sight.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include <nearfork/nearfork.hpp>

#include "machines_with_memory.hpp"
#include "memory/placed/placed_memory.hpp"
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
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::size_t page = fake_nodes::page;

/// Two domains with a worker and a node each.
class sighted_run : public testing::Test {
 protected:
  std::byte* allocate(std::uint64_t pages) { return static_cast<std::byte*>(memory.allocate(pages * page, 8, {})); }
  void touch(std::byte* block, std::uint64_t pages, int local) {
    for (std::uint64_t i = 0; i < pages; ++i) nodes.touch(block + i * page, local);
  }
  void start(bool reports = true, bool records = true) {
    config settings = test::with_workers(2);
    if (reports) settings.report = "unused.json";
    if (records) settings.record = "unused.nfg";
    auto made =
        std::make_unique<scheduler>(settings, where, std::make_unique<random_policy>(random_policy::workers::pinned),
                                    std::make_shared<test::scripted_misses>(), &memory);
    settings.report.clear();  // nothing is written
    settings.record.clear();
    run = std::make_unique<runtime>(settings, std::move(made));
  }
  template <class Body>
  void iterate(const Body& body) {
    run->run([&] { region({.name = "heat"}, body); });
  }
  void iterate() {
    iterate([] {});
  }
  places_report places() { return run->report().places; }

  fake_nodes nodes{{100000, 100000}};
  std::shared_ptr<const machine> where = machine_with({100000, 100000});
  placed_memory memory{std::make_unique<fake_memory>(nodes), where};
  std::unique_ptr<runtime> run;
};

TEST_F(sighted_run, tells_of_pages_before_and_after) {
  std::byte* const block = allocate(8);
  touch(block, 6, 0);
  start();
  iterate();
  for (std::uint64_t i = 0; i < 2; ++i) nodes.lies[reinterpret_cast<std::uintptr_t>(block) + i * page] = 1;
  touch(block + 6 * page, 1, 1);
  iterate();
  const places_report made = places();
  ASSERT_THAT(made.blocks, SizeIs(1));
  EXPECT_EQ(made.blocks[0].name, "block 1");
  EXPECT_EQ(made.blocks[0].bytes, 8 * page);
  EXPECT_EQ(made.blocks[0].pages, 8U);
  EXPECT_EQ(made.blocks[0].asked, 8U);
  EXPECT_THAT(made.nodes, ElementsAre(0, 1));
  EXPECT_THAT(made.blocks[0].first, ElementsAre(6, 0));
  EXPECT_THAT(made.blocks[0].last, ElementsAre(4, 3));
  EXPECT_THAT(made.node_of_domain, ElementsAre(0U, 1U));
  EXPECT_EQ(made.note, "");
}

TEST_F(sighted_run, keeps_what_it_saw_of_freed_blocks) {
  std::byte* const block = allocate(4);
  touch(block, 4, 1);
  start();
  iterate();
  memory.free(block);
  iterate();
  const places_report made = places();
  ASSERT_THAT(made.blocks, SizeIs(1));
  EXPECT_THAT(made.blocks[0].last, ElementsAre(0, 4));
}

TEST_F(sighted_run, asks_for_a_bounded_number_of_pages) {
  std::byte* const block = allocate(50000);
  touch(block, 1, 0);
  start();
  const std::uint64_t before = nodes.located_pages;
  iterate();
  const places_report made = places();
  EXPECT_EQ(made.blocks[0].pages, 50000U);
  EXPECT_EQ(made.blocks[0].asked, 4096U);
  EXPECT_EQ(nodes.located_pages - before, made.asked_pages);
  EXPECT_EQ(made.asked_pages, 4096U * made.looks);
}

TEST_F(sighted_run, tells_what_domains_touch_and_where_it_lies) {
  std::byte* const block = allocate(4);
  touch(block, 2, 0);
  touch(block + 2 * page, 2, 1);
  start();
  std::uint32_t domain = 0;
  iterate([&] {
    const data_name named("grid", std::span(block, 4 * page));
    domain = this_worker::domain();
    reads(std::span(block + page, 2 * page));
    writes(std::span(block, 10));
  });
  const places_report made = places();
  ASSERT_THAT(made.blocks, SizeIs(1));
  EXPECT_EQ(made.blocks[0].name, "grid");
  ASSERT_THAT(made.traffic, SizeIs(2));
  EXPECT_THAT(made.traffic[domain], ElementsAre(page + 10, page));
  EXPECT_THAT(made.traffic[1 - domain], ElementsAre(0, 0));
  EXPECT_EQ(made.blocks[0].hinted_bytes[domain], 2 * page + 10);
  EXPECT_EQ(made.blocks[0].hinted_bytes[1 - domain], 0U);
  EXPECT_EQ(made.hinted_regions, 1U);
  EXPECT_EQ(made.unplaced_bytes, 0U);
}

TEST_F(sighted_run, spreads_hints_of_many_pieces) {
  std::byte* const block = allocate(200);
  touch(block, 100, 0);
  touch(block + 100 * page, 100, 1);
  start();
  std::uint32_t domain = 0;
  iterate([&] {
    domain = this_worker::domain();
    reads(block, 200, page);  // a byte of each page
  });
  const places_report made = places();
  const auto& row = made.traffic.at(domain);
  EXPECT_EQ(row[0] + row[1], 200U);
  EXPECT_NEAR(static_cast<double>(row[0]), 100, 4);
}

TEST_F(sighted_run, counts_hints_to_untouched_pages_apart) {
  std::byte* const block = allocate(4);
  start();
  iterate([&] { reads(std::span(block, 100)); });
  const places_report made = places();
  EXPECT_EQ(made.unplaced_bytes, 100U);
  EXPECT_THAT(made.blocks.at(0).first, ElementsAre(0, 0));
}

/// Of the system, not of the fake nodes: these hints name memory of the test itself.
TEST_F(sighted_run, looks_at_other_memory_that_hints_name) {
  const std::vector<char> mine(64 * page);
  start();
  iterate([&] { reads(mine); });
  const places_report made = places();
  ASSERT_THAT(made.blocks, SizeIs(1));
  EXPECT_EQ(made.blocks[0].name, "data 1");
  EXPECT_EQ(made.unplaced_bytes, mine.size()) << "the fake nodes do not know it";
}

TEST_F(sighted_run, says_that_the_system_refuses) {
  (void)allocate(4);
  nodes.refuse_locate = EPERM;
  start();
  iterate();
  iterate();
  const places_report made = places();
  EXPECT_THAT(made.note, HasSubstr("move_pages: Operation not permitted (errno 1)"));
  EXPECT_EQ(made.asked_pages, 0U);
  EXPECT_EQ(made.blocks.at(0).asked, 0U);
  EXPECT_THAT(to_text(run->report()), HasSubstr("where data lie is not known: move_pages: Operation not permitted"));
}

TEST_F(sighted_run, without_a_report_nothing_is_asked) {
  std::byte* const block = allocate(4);
  touch(block, 4, 0);
  start(false);
  const std::uint64_t before = nodes.located_pages;
  iterate();
  EXPECT_EQ(nodes.located_pages, before);
  EXPECT_EQ(places().looks, 0U);
}

TEST_F(sighted_run, is_in_the_json) {
  std::byte* const block = allocate(4);
  touch(block, 4, 0);
  start();
  iterate();
  const auto json = nlohmann::json::parse(to_json(run->report())).at("places");
  EXPECT_EQ(json.at("blocks").at(0).at("first"), (nlohmann::json{4, 0}));
  EXPECT_EQ(json.at("domains").at(1).at("node"), 1);
  EXPECT_EQ(json.at("nodes"), (nlohmann::json{0, 1}));
}

/// Time passes as the test says.
constinit std::uint64_t now = 0;
std::uint64_t scripted_clock() {
  return now;
}

TEST(page_sight, looks_seldom_once_four_looks_are_done) {
  std::uint64_t asked = 0;
  std::vector<char> mine(8 * page);
  page_sight sight(
      {.domain_of_worker = {0}, .domains = {{}}},
      [&](auto pages, auto nodes) {
        asked += pages.size();
        std::ranges::fill(nodes, 0);
        now += 1000;
        return 0;
      },
      &scripted_clock);
  fake_nodes one({100});
  placed_memory memory(std::make_unique<fake_memory>(one), machine_with({100}));
  (void)memory.allocate(8 * page, 8, {});
  for (int i = 0; i < 4; ++i) sight.after_iteration("heat", &memory, nullptr, false);
  EXPECT_EQ(asked, 4 * 8U);
  sight.after_iteration("heat", &memory, nullptr, false);
  EXPECT_EQ(asked, 4 * 8U);
  now += 99'999;
  sight.after_iteration("heat", &memory, nullptr, false);
  EXPECT_EQ(asked, 4 * 8U);
  now += 1;
  sight.after_iteration("heat", &memory, nullptr, false);
  EXPECT_EQ(asked, 5 * 8U);
  sight.after_iteration("heat", &memory, nullptr, true);
  EXPECT_EQ(asked, 6 * 8U) << "pages have moved";
}

}  // namespace
