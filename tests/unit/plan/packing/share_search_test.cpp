#include "plan/packing/share_search.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

namespace nearfork {
namespace {

/// Domains that do their share of the work at a speed of their own; the others wait for the last one.
struct virtual_domains {
  std::vector<double> speeds;
  std::map<std::size_t, domain_digest> uses{};
  std::map<std::size_t, iteration_digest> times{};

  [[nodiscard]] double duration(const std::vector<double>& shares) const {
    double longest = 0;
    for (std::size_t d = 0; d < speeds.size(); ++d) longest = std::max(longest, shares[d] / speeds[d]);
    return longest;
  }
  void run(std::size_t trial, const std::vector<double>& shares) {
    const double longest = duration(shares);
    std::vector<domain_use> use;
    for (std::size_t d = 0; d < speeds.size(); ++d) use.push_back({.busy = shares[d] / speeds[d] / longest});
    uses[trial].add(use);
    times[trial].add(static_cast<std::uint64_t>(1e9 * longest));
  }
  [[nodiscard]] share_choice choose() const {
    return search_shares(
        speeds.size(),
        [this](std::size_t k) -> share_evidence {
          return uses.contains(k) ? share_evidence{&uses.at(k), &times.at(k)} : share_evidence{};
        },
        [](const std::vector<double>&) { return std::size_t{16}; });
  }
  share_choice settle() {
    for (int most = 100; most > 0; --most) {
      const share_choice now = choose();
      if (now.settled) return now;
      run(now.trial, now.shares);
    }
    ADD_FAILURE() << "the search does not end";
    return choose();
  }
};

TEST(share_search, begins_with_equal_shares_and_keeps_them_where_domains_are_equally_fast) {
  virtual_domains same{.speeds = {1, 1, 1}};
  EXPECT_EQ(same.choose().shares, (std::vector<double>{1.0 / 3, 1.0 / 3, 1.0 / 3}));
  const share_choice settled = same.settle();
  EXPECT_EQ(settled.trial, 0U);
}

TEST(share_search, gives_a_domain_of_half_the_speed_half_the_share) {
  virtual_domains one_slow{.speeds = {1, 2}};
  const share_choice settled = one_slow.settle();
  EXPECT_NEAR(settled.shares[0], 1.0 / 3, 1e-9);
  EXPECT_EQ(settled.trial, 1U);
}

TEST(share_search, does_not_follow_differences_within_its_tolerance) {
  virtual_domains nearly{.speeds = {1, 1.08}};
  EXPECT_EQ(nearly.settle().trial, 0U);
}

// Domain 1 is done early and takes 3 of 16 subtrees of domain 0: both are busy all the time.
TEST(share_search, counts_what_domains_took_from_others) {
  domain_digest use;
  iteration_digest times;
  for (int i = 0; i < 3; ++i) {
    use.add({{.busy = 1, .subtrees_gained = -3}, {.busy = 1, .subtrees_gained = 3}});
    times.add(1000);
  }
  const share_choice next = search_shares(
      2, [&](std::size_t k) { return k == 0 ? share_evidence{&use, &times} : share_evidence{}; },
      [](const std::vector<double>&) { return std::size_t{16}; });
  EXPECT_EQ(next.trial, 1U);
  EXPECT_NEAR(next.shares[1], 0.5 + 3.0 / 16, 1e-9);
}

TEST(share_search, goes_back_where_other_shares_are_not_faster) {
  virtual_domains misleading{.speeds = {1, 2}};
  for (int i = 0; i < 3; ++i) {
    misleading.run(0, {0.5, 0.5});
    misleading.uses[1].add({{.busy = 1}, {.busy = 1}});
    misleading.times[1].add(misleading.times[0].median_ns());
  }
  const share_choice settled = misleading.choose();
  EXPECT_TRUE(settled.settled);
  EXPECT_EQ(settled.trial, 0U);
  EXPECT_EQ(settled.shares, (std::vector<double>{0.5, 0.5}));
}

TEST(share_search, leaves_every_domain_something_to_show_its_speed_with) {
  virtual_domains nearly_stopped{.speeds = {1e-6, 1}};
  EXPECT_GT(nearly_stopped.settle().shares[0], 0.02);
}

RC_GTEST_PROP(share_search, ends_with_shares_by_speed_that_are_no_slower_than_equal_ones, ()) {
  virtual_domains any;
  for (int left = *rc::gen::inRange(2, 9); left > 0; --left) any.speeds.push_back(0.1 * *rc::gen::inRange(5, 31));
  const std::vector<double> equal(any.speeds.size(), 1.0 / static_cast<double>(any.speeds.size()));
  const share_choice settled = any.settle();
  RC_ASSERT(any.duration(settled.shares) <= any.duration(equal) * (1 + 1e-9));
  const double ideal = 1 / std::accumulate(any.speeds.begin(), any.speeds.end(), 0.0);
  RC_ASSERT(any.duration(settled.shares) <= ideal * 1.12);
  const double sum = std::accumulate(settled.shares.begin(), settled.shares.end(), 0.0);
  RC_ASSERT(std::abs(sum - 1) < 1e-9);
}

std::vector<iteration_summary> iterations_with_busy(double first, double second, std::size_t count) {
  const iteration_summary one{.planned = true, .use_of_domain = {{.busy = first}, {.busy = second}}};
  return std::vector<iteration_summary>(count, one);
}

TEST(domains_have_changed, where_one_is_less_busy_in_each_of_the_last_iterations) {
  domain_digest then;
  for (int i = 0; i < 3; ++i) then.add({{.busy = 0.95}, {.busy = 0.95}});
  EXPECT_FALSE(domains_have_changed(then, iterations_with_busy(0.95, 0.95, 16), trial_id{}));
  EXPECT_FALSE(domains_have_changed(then, iterations_with_busy(0.95, 0.5, 3), trial_id{})) << "too few";
  EXPECT_TRUE(domains_have_changed(then, iterations_with_busy(0.95, 0.5, 8), trial_id{}));
  EXPECT_FALSE(domains_have_changed(then, iterations_with_busy(0.95, 0.5, 8), trial_id{7})) << "of another trial";
  std::vector<iteration_summary> once_disturbed = iterations_with_busy(0.95, 0.5, 16);
  once_disturbed[13] = iterations_with_busy(0.95, 0.95, 1).front();
  EXPECT_FALSE(domains_have_changed(then, once_disturbed, trial_id{}));
  std::vector<iteration_summary> seldom_seen = iterations_with_busy(0.95, 0.5, 16);
  for (std::size_t i = 0; i < seldom_seen.size(); ++i)
    if (i % 4 != 0) seldom_seen[i].use_of_domain.clear();
  EXPECT_TRUE(domains_have_changed(then, seldom_seen, trial_id{}));
}

}  // namespace
}  // namespace nearfork
