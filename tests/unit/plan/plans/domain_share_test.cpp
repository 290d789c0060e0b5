#include "plan/plans/domain_share.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/rng.hpp"
#include "plan/plans/placement.hpp"

namespace nearfork {
namespace {

TEST(domain_with_most, is_the_first_that_holds_as_much_as_any) {
  struct row {
    double lo, hi;
    std::uint16_t domain;
  };
  const row rows[] = {{0.2, 0.4, 1}, {0.2, 0.29, 0}, {0.2, 0.3, 0}, {0, 1, 0},      {0.1, 0.9, 1},
                      {0.7, 0.9, 3}, {1, 1, 3},      {0.5, 0.5, 1}, {0.49, 0.74, 2}};
  for (const row& r : rows) EXPECT_EQ(domain_with_most(even_borders(4), {r.lo, r.hi}), r.domain) << r.lo << " " << r.hi;
  EXPECT_EQ(domain_with_most({}, {0, 1}), any_domain);
}

// SAWS, with a big side of two domains and a little side of one domain, for two balancing factors.
TEST(weighted_borders, give_each_domain_its_part) {
  EXPECT_EQ(weighted_borders(std::vector{0.5, 0.5, 1.0}), (std::vector{0.0, 0.25, 0.5, 1.0}));
  EXPECT_EQ(weighted_borders(std::vector{1.0, 1.0, 1.0}), even_borders(3));
  EXPECT_EQ(weighted_borders(std::vector{7.0}), (std::vector{0.0, 1.0}));
}

// BATS, Eq. 2: ten leaves over nodes of these bandwidths begin at leaves 0, 1, 2, 6; seven leaves at 0, 1, 2, 5.
TEST(weighted_borders, split_leaves_by_bandwidth) {
  const std::vector<double> borders = weighted_borders(std::vector{1.0, 1.0, 4.0, 4.0});
  const auto first_leaves = [&](double leaves) {
    std::vector<int> first;
    for (const double border : borders) first.push_back(static_cast<int>(std::ceil(border * leaves)));
    return first;
  };
  EXPECT_EQ(first_leaves(10), (std::vector{0, 1, 2, 6, 10}));
  EXPECT_EQ(first_leaves(7), (std::vector{0, 1, 2, 5, 7}));
}

TEST(weighted_borders, do_not_overflow) {
  const double most = std::numeric_limits<double>::max();
  EXPECT_EQ(weighted_borders(std::vector{most, most}), even_borders(2));
  const double least = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(weighted_borders(std::vector{least, least}), even_borders(2));
}

RC_GTEST_PROP(weighted_borders, ascend_from_0_to_1_by_the_weights, (std::uint64_t seed)) {
  rng random(seed);
  std::vector<double> weights(1 + random.below(64));
  for (double& weight : weights)
    weight = (1 + random.below(1U << 30)) * std::ldexp(1.0, -static_cast<int>(random.below(40)));
  const std::vector<double> borders = weighted_borders(weights);
  RC_ASSERT(borders.size() == weights.size() + 1);
  RC_ASSERT(borders.front() == 0);
  RC_ASSERT(borders.back() == 1);
  RC_ASSERT(std::is_sorted(borders.begin(), borders.end()));
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (std::size_t i = 0; i < weights.size(); ++i)
    RC_ASSERT(std::abs(borders[i + 1] - borders[i] - weights[i] / all) < 1e-12);
}

TEST(even_borders, of_the_first_domains_leave_the_others_nothing) {
  const std::vector<double> borders = even_borders(4, 2);
  EXPECT_EQ(borders, (std::vector<double>{0, 0.5, 1, 1, 1}));
  EXPECT_EQ(domain_of_share(borders, {0, 0.5}), 0);
  EXPECT_EQ(domain_of_share(borders, {0.75, 1}), 1);
  EXPECT_EQ(domain_of_share(borders, {0.25, 0.75}), any_domain);
  EXPECT_EQ(domain_with_most(borders, {0.9, 1}), 1);
  EXPECT_EQ(even_borders(3, 3), even_borders(3));
}

// The borders of neighbours meet, so that every point of [0, 1) has one home.
RC_GTEST_PROP(domain_of_share, every_point_has_one_home, (std::uint64_t seed)) {
  rng random(seed);
  const auto domains = 1 + random.below(24);
  const std::vector<double> borders = even_borders(domains);
  RC_ASSERT(borders.front() == 0);
  RC_ASSERT(borders.back() == 1);
  const double at = random.below(1U << 30) / static_cast<double>(1U << 30);
  const std::uint16_t home = domain_of_share(borders, {at, at});
  RC_ASSERT(home < domains);
  RC_ASSERT(borders[home] <= at && at < borders[home + 1U]);
}

// A domain that holds all of a share is also the domain that holds most of the share.
RC_GTEST_PROP(domain_with_most, agrees_with_the_domain_that_holds_all, (std::uint64_t seed)) {
  rng random(seed);
  const auto domains = 1 + random.below(24);
  const std::vector<double> borders = even_borders(domains);
  const double lo = random.below(1000) / 1000.0;
  const double hi = lo + (1 - lo) * (1 + random.below(1000)) / 1000.0;
  const std::uint16_t home = domain_of_share(borders, {lo, hi});
  const std::uint16_t most = domain_with_most(borders, {lo, hi});
  RC_ASSERT(most < domains);
  if (home != any_domain) RC_ASSERT(most == home);
}

}  // namespace
}  // namespace nearfork
