#include "sensors/hotness/hotness.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fake_hotness.hpp"
#include "sensors/hotness/window_pace.hpp"

namespace {

using namespace nearfork;
using test::fake_source;

struct two_sources {
  fake_source::script damon{.name = "damon"};
  fake_source::script marks{.name = "clear_refs"};
  std::unique_ptr<hotness> by(hotness_source choice) {
    std::vector<std::unique_ptr<heat_source>> all;
    all.push_back(std::make_unique<fake_source>(damon));
    all.push_back(std::make_unique<fake_source>(marks));
    return std::make_unique<hotness>(choice, 0.015, std::move(all), std::make_shared<test::fake_hotness_system>());
  }
};

std::string name_of_begun(hotness& of) {
  hotness::turn mine(of);
  heat_source* const one = mine.begin({});
  return one == nullptr ? "" : std::string(one->name());
}

TEST(hotness, takes_the_best_source_and_keeps_why_others_were_refused) {
  two_sources sources;
  sources.damon.refused_at_once = heat_refusal{"no root", "be root"};
  const auto made = sources.by(hotness_source::automatic);
  made->try_out();
  EXPECT_TRUE(made->can_watch());
  EXPECT_EQ(name_of_begun(*made), "clear_refs");
  ASSERT_EQ(made->refused().size(), 1U);
  EXPECT_EQ(made->refused()[0].source, "damon");
  EXPECT_EQ(made->refused()[0].why.why, "no root");
}

TEST(hotness, goes_on_to_the_next_source_at_begin) {
  two_sources sources;
  sources.damon.refused_at_begin = heat_refusal{"in use", ""};
  const auto made = sources.by(hotness_source::automatic);
  made->try_out();
  EXPECT_EQ(name_of_begun(*made), "clear_refs");
  made->give_up("clear_refs", {"too dear", ""}, true);
  EXPECT_FALSE(made->can_watch());
  EXPECT_EQ(name_of_begun(*made), "");
  EXPECT_TRUE(made->refused().back().is_too_dear);
}

TEST(hotness, asks_only_the_named_source) {
  for (const auto& [choice, name] :
       {std::pair{hotness_source::damon, "damon"}, std::pair{hotness_source::clear_refs, "clear_refs"},
        std::pair{hotness_source::page_idle, ""}, std::pair{hotness_source::samples, ""},
        std::pair{hotness_source::hints, ""}, std::pair{hotness_source::none, ""}}) {
    two_sources sources;
    const auto made = sources.by(choice);
    made->try_out();
    EXPECT_EQ(name_of_begun(*made), name);
    EXPECT_EQ(made->asks_hints(), choice == hotness_source::hints);
    EXPECT_EQ(made->is_wanted(), choice != hotness_source::none);
  }
}

TEST(hotness, tries_each_source_for_a_user_who_asks) {
  two_sources sources;
  sources.marks.refused_at_once = heat_refusal{"no file", "mount it", true};
  const std::vector<tried_source> tried = sources.by(hotness_source::automatic)->try_each();
  ASSERT_EQ(tried.size(), 2U);
  EXPECT_EQ(tried[0].name, "damon");
  EXPECT_FALSE(tried[0].refused);
  ASSERT_TRUE(tried[1].refused);
  EXPECT_EQ(tried[1].refused->remedy, "mount it");
  EXPECT_TRUE(tried[1].refused->is_missing);
}

TEST(hotness, lets_one_watch_at_a_time) {
  two_sources sources;
  const auto one = sources.by(hotness_source::automatic);
  const auto other = sources.by(hotness_source::automatic);
  bool is_free = true;
  const hotness::turn mine(*one);
  std::thread([&] { is_free = hotness::turn(*other).is_mine(); }).join();
  EXPECT_TRUE(mine.is_mine());
  EXPECT_FALSE(is_free);
}

TEST(spread_heat, gives_each_chunk_its_bytes) {
  const std::vector<address_range> chunks{{0, 10}, {10, 20}, {40, 50}};
  std::vector<double> heat(3, 0);
  spread_heat(chunks, {5, 45}, 40, heat);
  EXPECT_EQ(heat, (std::vector<double>{5, 10, 5}));
  spread_heat(chunks, {20, 40}, 40, heat);
  spread_heat(chunks, {7, 7}, 40, heat);
  EXPECT_EQ(heat, (std::vector<double>{5, 10, 5}));
}

TEST(window_pace, begins_short_and_grows) {
  window_pace pace(1'000'000, 0.015);
  std::vector<std::uint64_t> ms;
  std::uint64_t elapsed = 0;
  for (int i = 0; i < 7; ++i) {
    ms.push_back(pace.next_ns(elapsed, 0) / 1'000'000);
    elapsed += ms.back() * 1'000'000;
  }
  EXPECT_EQ(ms, (std::vector<std::uint64_t>{1, 2, 4, 8, 16, 16, 16}));
}

/// Each look costs `cost`. After the first four, what was spent is never more than the part, in all that was elapsed.
RC_GTEST_PROP(window_pace, keeps_to_what_it_may_cost, (std::uint32_t cost)) {
  constexpr double part = 0.015;
  const std::uint64_t of_each = cost % 100'000'000;
  window_pace pace(1'000'000, part);
  std::uint64_t elapsed = 0;
  std::uint64_t spent = 0;
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t window = pace.next_ns(elapsed, spent);
    RC_ASSERT(window >= 1'000'000U);
    elapsed += window;
    if (i >= 4) RC_ASSERT(static_cast<double>(spent) <= part * static_cast<double>(elapsed) * 1.0001);
    spent += of_each;
  }
}

TEST(window_pace, bounds_the_number_of_windows) {
  window_pace pace(1'000'000, 0.015);
  std::uint64_t elapsed = 0;
  int windows = 0;
  for (; elapsed < std::uint64_t{3600} * 1'000'000'000; ++windows) elapsed += pace.next_ns(elapsed, 0);
  EXPECT_LE(windows, 90) << "in an hour";
}

}  // namespace
