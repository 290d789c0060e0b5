#include "plan/plans/domain_share.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

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

// Where one domain holds all of a share, it holds most of it.
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
