#include "plan/course/clock_search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace nearfork {
namespace {

/// A region that computes for c and waits for memory for m, on cores that draw the cube of their clock, on a machine
/// that draws `rest` in any case. All in units of the normal clock.
struct modelled_region {
  double computing = 0;
  double waiting = 1;
  double rest = 1;

  [[nodiscard]] double time(double clock) const { return computing / clock + waiting; }
  [[nodiscard]] double energy(double clock) const { return time(clock) * (rest + clock * clock * clock); }
};

void run_one(clock_search& search, const modelled_region& of) {
  const double clock = search.step() / double{normal_step};
  search.add(static_cast<std::uint64_t>(std::lround(of.time(clock) * 1e6)),
             static_cast<std::uint64_t>(std::lround(of.energy(clock) * 1e9)));
}

/// Runs until the search has settled, and returns the number of iterations.
int settle(clock_search& search, const modelled_region& of) {
  for (int i = 0; i < 1000; ++i) {
    if (search.settled()) return i;
    run_one(search, of);
  }
  ADD_FAILURE() << "did not settle";
  return 0;
}

/// The best of all steps from `least` on, looked at one by one.
clock_step best_of_all(run_goal goal, const modelled_region& of, clock_step least) {
  clock_step best = normal_step;
  const auto badness = [&](clock_step step) {
    const double clock = step / double{normal_step};
    if (goal == run_goal::edp) return of.energy(clock) * of.time(clock);
    return of.time(clock) > of.time(1) * (1 + clock_search::most_slowdown) ? 1e300 : of.energy(clock);
  };
  for (clock_step step = normal_step; step >= least; --step)
    if (badness(step) < badness(best)) best = step;
  return best;
}

TEST(clock_search, does_nothing_for_time) {
  clock_search search;
  run_one(search, {});
  EXPECT_FALSE(search.is_on());
  EXPECT_TRUE(search.settled());
  EXPECT_EQ(search.step(), normal_step);
  EXPECT_EQ(search.line(), "");
}

TEST(clock_search, lowers_the_clocks_of_a_region_that_only_waits) {
  clock_search search({.goal = run_goal::energy, .least = 5});
  settle(search, {.computing = 0});
  EXPECT_EQ(search.step(), 5);
}

TEST(clock_search, keeps_the_clocks_of_a_region_that_only_computes) {
  clock_search search({.goal = run_goal::energy, .least = 5});
  settle(search, {.computing = 1, .waiting = 0});
  EXPECT_EQ(search.step(), normal_step);
  EXPECT_EQ(search.line(), "goal energy: 16/16 of normal clocks: 1.00 of their energy, 1.00 of their time");
}

TEST(clock_search, comes_within_one_step_of_the_best_of_all) {
  for (const run_goal goal : {run_goal::energy, run_goal::edp})
    for (const double computing : {0.0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8})
      for (const double rest : {0.1, 0.5, 1.0, 3.0})
        for (const clock_step least : {clock_step{4}, clock_step{9}, clock_step{15}}) {
          const modelled_region region{.computing = computing, .waiting = 1 - computing, .rest = rest};
          clock_search search({.goal = goal, .least = least});
          settle(search, region);
          EXPECT_NEAR(search.step(), best_of_all(goal, region, least), 1)
              << name_of(goal) << " computing " << computing << " rest " << rest << " least " << int{least};
          EXPECT_GE(search.step(), least);
        }
}

TEST(clock_search, never_takes_a_step_that_is_slower_than_allowed) {
  for (int tenths = 0; tenths <= 10; ++tenths) {
    const modelled_region region{.computing = tenths / 10.0, .waiting = 1 - tenths / 10.0, .rest = 0};
    clock_search search({.goal = run_goal::energy, .least = 2});
    settle(search, region);
    EXPECT_LE(region.time(search.step() / double{normal_step}), region.time(1) * (1 + clock_search::most_slowdown));
  }
}

TEST(clock_search, gives_up_where_energy_is_not_known) {
  clock_search search({.goal = run_goal::edp, .least = 5});
  search.add(100, std::nullopt);
  EXPECT_TRUE(search.settled());
  EXPECT_EQ(search.line(), "goal edp: normal clocks: the energy of its iterations is not known");
}

TEST(clock_search, gives_up_where_clocks_cannot_be_lower) {
  clock_search search({.goal = run_goal::energy});
  search.add(100, 100);
  EXPECT_EQ(search.line(), "goal energy: normal clocks: no core has a clock below its normal one");
}

TEST(clock_search, gives_up_for_iterations_that_are_too_short) {
  clock_search search({.goal = run_goal::energy, .least = 5, .least_iteration_ns = 2'000'000});
  settle(search, {});
  EXPECT_EQ(search.step(), normal_step);
  EXPECT_EQ(search.line(), "goal energy: normal clocks: its iterations are too short for a change of clocks");
}

// One disturbed iteration of five does not count, whatever it took.
TEST(clock_search, bears_one_disturbed_iteration_a_step) {
  const modelled_region region{.computing = 0.02, .waiting = 0.98};
  clock_search calm({.goal = run_goal::edp, .least = 5});
  clock_search disturbed({.goal = run_goal::edp, .least = 5});
  settle(calm, region);
  for (int i = 0; !disturbed.settled(); ++i) {
    ASSERT_LT(i, 1000);
    const double clock = disturbed.step() / double{normal_step};
    const double longer = i % 6 == 3 ? 4 : 1;
    disturbed.add(static_cast<std::uint64_t>(region.time(clock) * longer * 1e6),
                  static_cast<std::uint64_t>(region.energy(clock) * 1e9));
  }
  EXPECT_EQ(disturbed.step(), calm.step());
}

TEST(clock_search, passes_over_one_step_that_is_a_little_too_slow) {
  const auto found = [](std::uint64_t at_12, std::uint64_t at_10) {
    clock_search search({.goal = run_goal::energy, .least = 10});
    for (int i = 0; i < 100 && !search.settled(); ++i) {
      const clock_step step = search.step();
      search.add(step == 12 ? at_12 : step == 10 ? at_10 : 1000, step);
    }
    return search.step();
  };
  EXPECT_EQ(found(1035, 1000), 10);
  EXPECT_EQ(found(1035, 1035), 13);
  EXPECT_EQ(found(1100, 1000), 13) << "not if it is much too slow";
}

TEST(clock_search, measures_for_as_long_as_it_must) {
  clock_search search({.goal = run_goal::energy, .least = 14, .measured_ns = 20'000'000, .settling_ns = 5'000'000});
  // Of 1 ms: five until clocks have settled, twenty that count, for each of the steps 16 and 14.
  EXPECT_EQ(settle(search, {}), 2 * (5 + 20));
}

TEST(clock_search, searches_anew_when_the_region_has_changed) {
  clock_search search({.goal = run_goal::energy, .least = 5});
  settle(search, {});
  ASSERT_EQ(search.step(), 5);
  const modelled_region now_computing{.computing = 1, .waiting = 0};
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(search.settled());
    run_one(search, now_computing);
  }
  EXPECT_FALSE(search.settled());
  EXPECT_EQ(search.step(), normal_step);
  settle(search, now_computing);
  EXPECT_EQ(search.step(), normal_step);
}

// After the first search, 10 iterations in a row must be unlike, then 20, and so on.
TEST(clock_search, seldom_searches_in_a_region_that_changes_all_the_time) {
  clock_search search({.goal = run_goal::energy, .least = 5});
  int settled = 0;
  for (int i = 0; i < 100'000; ++i) {
    const bool was = search.settled();
    run_one(search, {.computing = 0, .waiting = i % 200 < 100 ? 1.0 : 3.0});
    settled += !was && search.settled() ? 1 : 0;
  }
  EXPECT_LE(settled, 8);
}

TEST(clock_search, stays_settled_in_a_region_that_stays_alike) {
  clock_search search({.goal = run_goal::energy, .least = 5});
  settle(search, {});
  for (int i = 0; i < 1000; ++i) run_one(search, {.computing = 0, .waiting = i % 4 == 0 ? 2.0 : 1.05});
  EXPECT_TRUE(search.settled());
}

}  // namespace
}  // namespace nearfork
