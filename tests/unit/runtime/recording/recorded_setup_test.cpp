// What a recording says of the time before a region: which regions ran, and which arrays were allocated.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <span>

#include <nearfork/nearfork.hpp>

#include "recording_runtime.hpp"
#include "sim/engine/region_run.hpp"
#include "sim/programs/recorded_program.hpp"

namespace {

using namespace nearfork;
using recordings::array_placing;
using test::recording_runtime;
using test::recording_settings;
using test::region_called;
using testing::ElementsAre;

constexpr std::size_t cells = 1 << 17;  // 1 MiB: a placed block

void halves_of(array<double>& of, bool writes_them) {
  const auto half = [&](std::size_t i) {
    const std::span part(of.data() + i * cells / 2, cells / 2);
    if (writes_them) writes(part);
    else reads(part);
  };
  fork_join([&] { half(0); }, [&] { half(1); });
}

/// Initialises one array in a region of its own, then works twice on both, then has a region afterwards.
recordings::recording initialised_program() {
  recording_runtime on(recording_settings(2));
  on->run([] {
    array<double> first(cells);
    array<double> second(cells, {.where = placing::interleaved()});
    const data_name one("first", first);
    const data_name other("second", second);
    region("init", [&] { halves_of(first, true); });
    for (int i = 0; i < 2; ++i)
      region("work", [&] {
        halves_of(first, false);
        halves_of(second, true);
      });
    region("afterwards", [&] { halves_of(second, false); });
  });
  return on.made();
}

TEST(recorded_setup, has_the_order_of_regions) {
  const recordings::recording made = initialised_program();
  const auto& init = region_called(made, "init");
  const auto& work = region_called(made, "work");
  const auto& afterwards = region_called(made, "afterwards");
  EXPECT_EQ((std::vector{init.began, init.ended, work.began, work.ended, afterwards.began, afterwards.ended}),
            (std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6}));
}

TEST(recorded_setup, has_the_order_of_allocations_and_how_they_are_placed) {
  const recordings::recording made = initialised_program();
  ASSERT_EQ(made.allocations.size(), 2U);
  EXPECT_EQ(made.blocks[made.allocations[0].block].name, "first");
  EXPECT_EQ(made.allocations[0].how, array_placing::follows_plan);
  EXPECT_EQ(made.blocks[made.allocations[1].block].name, "second");
  EXPECT_EQ(made.allocations[1].how, array_placing::interleaved);
}

TEST(recorded_setup, a_region_inside_another_is_not_over_before_it) {
  recording_runtime on(recording_settings(1));
  on->run([] {
    fork_join([] { region("inner", [] { fork_join([] {}, [] {}); }); }, [] {});
    region("later", [] { fork_join([] {}, [] {}); });
  });
  const recordings::recording made = on.made();
  const auto& inner = region_called(made, "inner");
  const auto& later = region_called(made, "later");
  EXPECT_LT(inner.ended, later.began);
  for (const recordings::region& one : made.regions)
    if (one.name.starts_with("run at")) {
      EXPECT_LT(one.began, inner.began);
      EXPECT_GT(one.ended, later.ended);
    }
}

TEST(recorded_setup, runs_before_the_region_in_the_simulator) {
  const recordings::recording made = initialised_program();
  const sim::program work = sim::program_from(made, "work");
  EXPECT_THAT(work.setup_regions, ElementsAre("init"));
  ASSERT_EQ(work.arrays.size(), 2U);
  EXPECT_EQ(work.arrays[0].how, sim::placing_rule::follow_plan);
  EXPECT_EQ(work.arrays[1].how, sim::placing_rule::interleaved);
  EXPECT_THAT(sim::program_from(made, "init").setup_regions, ElementsAre());
  EXPECT_THAT(sim::program_from(made, "afterwards").setup_regions, ElementsAre("init", "work"));

  const auto where = load_machine("package:2 [numa(memory=1GiB)] l3:1 l2:1 core:1 pu:1");
  const sim::region_run seen = sim::run_region(work, *where, *make_policy("random"), {.iterations = 1});
  const sim::page_counts& pages = seen.iterations.front().pages;
  ASSERT_EQ(pages.of_node.size(), 2U);
  EXPECT_EQ(pages.of_node[0] + pages.of_node[1], 512U);
  EXPECT_GE(pages.of_node[0], 128U) << "half of the second array";
  EXPECT_GE(pages.of_node[1], 128U);
}

// An old recording, which does not say what came before.
TEST(recorded_setup, may_be_missing) {
  recordings::recording made = initialised_program();
  made.allocations.clear();
  for (recordings::region& one : made.regions) one.began = one.ended = 0;
  const std::string bytes = recordings::to_bytes(made);
  EXPECT_EQ(bytes[8], 1) << "the first version can say all of it";
  const sim::program work = sim::program_from(recordings::from_bytes(bytes, "old.nfg"), "work");
  EXPECT_THAT(work.setup_regions, ElementsAre());
  EXPECT_EQ(work.arrays[0].how, sim::placing_rule::first_write);
}

}  // namespace
