#include "plan/packing/tuning.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <vector>

#include "base/rng.hpp"

namespace nearfork {
namespace {

using cost_of_level = std::function<std::uint64_t(std::int32_t)>;

/// The levels from `highest` (at most 0) to `lowest` exist.
struct levels {
  std::int32_t highest = -3;
  std::int32_t lowest = 3;
  [[nodiscard]] bool operator()(std::int32_t level) const { return highest <= level && level <= lowest; }
};

struct outcome {
  bool settled = false;
  std::int32_t level = 0;
  std::uint32_t iterations = 0;
  std::vector<std::int32_t> tried;  // each level once, in order
  profile measured{task_tree{}, cost_source::time};
};

outcome run(const levels& exist, const cost_of_level& cost, std::uint32_t most_iterations = 1000,
            const tuning_rule& rule = {}) {
  outcome seen;
  for (; seen.iterations < most_iterations; ++seen.iterations) {
    const tuning now = tune(seen.measured, exist, rule);
    seen.settled = now.settled;
    seen.level = now.level;
    if (now.settled) break;
    if (seen.tried.empty() || seen.tried.back() != now.level) seen.tried.push_back(now.level);
    seen.measured.add_iteration(
        {.duration_ns = cost(now.level), .planned = true, .trial = trial_of_packing(now.level)});
  }
  return seen;
}

using list = std::vector<std::int32_t>;

TEST(tune, tries_smaller_subtrees_first_and_larger_if_they_are_slower) {
  struct row {
    std::int32_t best;
    list tried;
  };
  const row rows[] = {
      {0, {0, 1, -1}}, {1, {0, 1, 2}}, {3, {0, 1, 2, 3}}, {-1, {0, 1, -1, -2}}, {-3, {0, 1, -1, -2, -3}}};
  for (const row& r : rows) {
    const outcome end =
        run({}, [&](auto level) { return 1'000'000 + 100'000U * static_cast<unsigned>(std::abs(level - r.best)); });
    EXPECT_TRUE(end.settled) << r.best;
    EXPECT_EQ(end.level, r.best);
    EXPECT_EQ(end.tried, r.tried);
  }
}

TEST(tune, with_one_packing_is_settled_at_once) {
  const outcome end = run({.highest = 0, .lowest = 0}, [](auto) { return 1; });
  EXPECT_TRUE(end.settled);
  EXPECT_EQ(end.iterations, 0U);
}

// After a failed step the packing that was saved last is in force, not the slower packing.
TEST(tune, goes_back_to_the_best_after_a_failed_step) {
  const outcome end = run({}, [](auto level) { return level == 1 ? 500U : 1000U; });
  EXPECT_EQ(end.tried, (list{0, 1, 2}));
  EXPECT_EQ(end.level, 1);
}

TEST(tune, gives_hopeless_packings_up_early) {
  const outcome end = run({}, [](auto level) { return level == 0 ? 1000U : 2000U; });
  EXPECT_EQ(end.iterations, 5U + 3U + 3U);
}

const tuning_rule early{.clearly_slower = {2.0, 1.2}};

iteration_digest digest_of(std::initializer_list<std::uint64_t> all) {
  iteration_digest made;
  for (const auto ns : all) made.add(ns);
  return made;
}

TEST(is_hopeless, after_one_or_two_iterations_only_by_a_clear_margin) {
  const iteration_digest best = digest_of({1000, 1010, 1020, 1030, 5000});  // median 1020, spread 30
  EXPECT_FALSE(is_hopeless({}, best, early));
  EXPECT_TRUE(is_hopeless(digest_of({2070}), best, early));
  EXPECT_FALSE(is_hopeless(digest_of({2069}), best, early));
  EXPECT_TRUE(is_hopeless(digest_of({1254, 1300}), best, early));
  EXPECT_FALSE(is_hopeless(digest_of({1253, 9000}), best, early)) << "one of two may be disturbed";
  EXPECT_FALSE(is_hopeless(digest_of({9000}), best)) << "never without being told to";
  EXPECT_TRUE(is_hopeless(digest_of({1020, 1021, 1022}), best, early));
}

TEST(tune, gives_a_clearly_worse_packing_up_after_one_iteration) {
  const outcome end = run({}, [](auto level) { return level == 0 ? 1000U : 2000U; }, 1000, early);
  EXPECT_EQ(end.iterations, 5U + 1U + 1U);
  const tuning told = tune(end.measured, levels{}, early);
  ASSERT_EQ(told.trials.size(), 3U);
  EXPECT_FALSE(told.trials[0].given_up);
  EXPECT_TRUE(told.trials[1].given_up);
  EXPECT_TRUE(told.trials[2].given_up);
}

/// An iteration under a packing of that level: level 1 is 30% faster. Every tenth takes up to four times as long.
std::uint64_t spiked_ns(std::int32_t level, rng& random) {
  const std::uint64_t spike = random.below(10) == 0 ? random.below(3'000'000) : 0;
  return (level == 1 ? 700'000U : 1'000'000U) + random.below(100'000) + spike;
}

// A packing that is 30% faster is found although every tenth iteration takes up to four times as long.
TEST(tune, noise_seldom_ends_a_good_trial_early) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    rng random(seed);
    const auto noisy = [&](std::int32_t level) { return spiked_ns(level, random); };
    found += run({}, noisy, 1000, early).level == 1 ? 1 : 0;
  }
  EXPECT_GE(found, 170);
}

const tuning_rule printed{.as_printed = true};

// Algorithm 1, line 7: T_n < T_c. Line 19 leaves the loop if T_n > T_c.
TEST(tune, as_printed_takes_one_iteration_each_and_lets_ties_go_up_only) {
  const auto rising = [](auto level) { return static_cast<std::uint64_t>(1000 + level); };
  const outcome up = run({}, rising, 1000, printed);
  EXPECT_EQ(up.level, -3);
  EXPECT_EQ(up.iterations, 1U + 1U + 3U);
  const outcome down = run({}, [](auto level) { return static_cast<std::uint64_t>(1000 - level); }, 1000, printed);
  EXPECT_EQ(down.level, 3);
  EXPECT_EQ(down.iterations, 1U + 3U);
  const outcome tie = run({}, [](auto) { return 1000U; }, 1000, printed);
  EXPECT_EQ(tie.tried, (list{0, 1, -1, -2, -3}));
  EXPECT_EQ(tie.level, -3);
}

TEST(tune, as_printed_keeps_to_the_first_iteration_of_each_packing) {
  outcome end = run({}, [](auto level) { return level == 1 ? 900U : 1000U; }, 1000, printed);
  ASSERT_EQ(end.level, 1);
  for (const std::uint64_t ns : {1U, 5000U})
    end.measured.add_iteration({.duration_ns = ns, .planned = true, .trial = trial_of_packing(1)});
  EXPECT_TRUE(tune(end.measured, levels{}, printed).settled);
  EXPECT_EQ(tune(end.measured, levels{}, printed).level, 1);
}

TEST(tune, tells_what_it_measured) {
  const outcome end = run({}, [](auto level) { return level == 0 ? 1000U : 2000U; });
  const std::vector<trial_summary> expected{{trial_of_packing(0), "first packing", 5, 1000, 1000},
                                            {trial_of_packing(1), "1 down", 3, 2000, 2000, true},
                                            {trial_of_packing(-1), "1 up", 3, 2000, 2000, true}};
  EXPECT_EQ(tune(end.measured, levels{}).trials, expected);
}

TEST(compare, demands_more_than_the_spreads) {
  const auto digest = [](std::initializer_list<std::uint64_t> all) {
    iteration_digest made;
    for (const auto ns : all) made.add(ns);
    return made;
  };
  const iteration_digest best = digest({1000, 1010, 1020, 1030, 5000});
  EXPECT_EQ(compare(digest({}), best), verdict::undecided);
  EXPECT_EQ(compare(digest({900, 900}), best), verdict::undecided);
  EXPECT_EQ(compare(digest({1020, 1020, 1020}), best), verdict::not_better);
  EXPECT_EQ(compare(digest({1020, 1019, 1020}), best), verdict::undecided);
  EXPECT_EQ(compare(digest({900, 900, 900, 900, 900}), best), verdict::better);
  EXPECT_EQ(compare(digest({900, 900, 900, 900, 9000}), best), verdict::better)
      << "one disturbed iteration is forgiven";
  EXPECT_EQ(compare(digest({990, 990, 990, 990, 990}), best), verdict::not_better) << "30, and so is the spread";
  EXPECT_EQ(compare(digest({850, 850, 900, 1000, 1000}), best), verdict::not_better) << "120 for spreads of 180";
  const iteration_digest steady = digest({1000, 1000, 1000, 1000, 1000});
  EXPECT_EQ(compare(digest({990, 990, 990, 990, 990}), steady), verdict::not_better) << "a hundredth is not enough";
  EXPECT_EQ(compare(digest({989, 989, 989, 989, 989}), steady), verdict::better);
}

// Costs that fall and then rise, as in LAWS's Fig. 5: the best packing is found, in bounded time.
RC_GTEST_PROP(tune, finds_the_best_under_noiseless_costs, (std::uint64_t seed)) {
  rng random(seed);
  const levels exist{-static_cast<std::int32_t>(random.below(6)), static_cast<std::int32_t>(random.below(6))};
  const auto best = exist.highest + static_cast<std::int32_t>(
                                        random.below(static_cast<std::uint32_t>(exist.lowest - exist.highest + 1)));
  std::vector<std::uint64_t> cost_at(13, 0);
  cost_at[static_cast<std::size_t>(best + 6)] = 1'000'000;
  for (int i = best + 7; i <= 12; ++i)
    cost_at[static_cast<std::size_t>(i)] = cost_at[static_cast<std::size_t>(i - 1)] * (102 + random.below(50)) / 100;
  for (int i = best + 5; i >= 0; --i)
    cost_at[static_cast<std::size_t>(i)] = cost_at[static_cast<std::size_t>(i + 1)] * (102 + random.below(50)) / 100;
  const outcome end = run(exist, [&](auto level) { return cost_at[static_cast<std::size_t>(level + 6)]; });
  RC_ASSERT(end.settled);
  RC_ASSERT(end.level == best);
  RC_ASSERT(end.iterations <= 5 * 14U);
}

// Whatever the costs: the tuning ends, and stays ended while iterations go on. The packing that it keeps is no slower
// than the first packing.
RC_GTEST_PROP(tune, ends_for_good_and_never_below_the_first, (std::uint64_t seed)) {
  rng random(seed);
  const auto cost = [&](std::int32_t level) {
    return 1000 + rng::for_stream(seed, static_cast<std::uint64_t>(level + 100)).below(1000);
  };
  outcome end = run({-40, 40}, cost);
  RC_ASSERT(end.settled);
  RC_ASSERT(cost(end.level) <= cost(0));
  for (int i = 0; i < 50; ++i) {
    end.measured.add_iteration(
        {.duration_ns = random.below(3000), .planned = true, .trial = trial_of_packing(end.level)});
    const tuning now = tune(end.measured, levels{-40, 40});
    RC_ASSERT(now.settled);
    RC_ASSERT(now.level == end.level);
  }
}

// Noise below the least gain can never decide.
RC_GTEST_PROP(tune, noise_below_a_hundredth_never_changes_the_packing, (std::uint64_t seed)) {
  rng random(seed);
  const outcome end = run({-9, 9}, [&](auto) { return 1'000'000 + random.below(10'000); });
  RC_ASSERT(end.settled);
  RC_ASSERT(end.level == 0);
}

// Larger noise decides seldom: at most in 1 of 100 searches of two comparisons each. By medians, it would decide in 3
// of 4. Fixed seeds give the same result each time.
TEST(tune, noise_alone_seldom_changes_the_packing) {
  int changed = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    rng random(seed);
    const auto noisy = [&](auto) {
      const std::uint64_t spike = random.below(5) == 0 ? random.below(3'000'000) : 0;
      return 1'000'000 + random.below(500'000) + spike;
    };
    changed += run({}, noisy).level == 0 ? 0 : 1;
  }
  EXPECT_LE(changed, 20);
}

// A real gain is found through noise of its size, spikes included.
TEST(tune, a_gain_is_found_through_noise) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    rng random(seed);
    const auto noisy = [&](std::int32_t level) { return spiked_ns(level, random); };
    found += run({}, noisy).level == 1 ? 1 : 0;
  }
  EXPECT_GE(found, 180);
}

}  // namespace
}  // namespace nearfork
