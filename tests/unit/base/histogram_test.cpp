#include "base/histogram.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace nearfork {
namespace {

constexpr auto highest_number = std::numeric_limits<std::uint64_t>::max();

TEST(histogram_bucket_of, is_exact_below_sixteen) {
  for (std::uint64_t value = 0; value < 16; ++value) {
    EXPECT_EQ(histogram_bucket::of(value), value);
    EXPECT_EQ(histogram_bucket::lowest(value), value);
    EXPECT_EQ(histogram_bucket::highest(value), value);
  }
}

TEST(histogram_bucket_of, cuts_each_power_of_two_in_eight) {
  EXPECT_EQ(histogram_bucket::of(16), 16U);
  EXPECT_EQ(histogram_bucket::of(17), 16U);
  EXPECT_EQ(histogram_bucket::of(18), 17U);
  EXPECT_EQ(histogram_bucket::lowest(24), 32U);
  EXPECT_EQ(histogram_bucket::highest(24), 35U);
  EXPECT_EQ(histogram_bucket::of(1024), histogram_bucket::of(1151));
  EXPECT_NE(histogram_bucket::of(1024), histogram_bucket::of(1152));
}

TEST(histogram_bucket_of, ends_where_numbers_end) {
  EXPECT_EQ(histogram_bucket::of(highest_number), histogram_bucket::count - 1);
  EXPECT_EQ(histogram_bucket::highest(histogram_bucket::count - 1), highest_number);
}

TEST(histogram_bucket_of, buckets_lie_side_by_side) {
  for (std::size_t i = 0; i + 1 < histogram_bucket::count; ++i)
    ASSERT_EQ(histogram_bucket::highest(i) + 1, histogram_bucket::lowest(i + 1)) << "bucket " << i;
}

RC_GTEST_PROP(histogram_bucket_of, holds_its_value_and_is_narrow, ()) {
  const auto value = *rc::gen::arbitrary<std::uint64_t>() >> *rc::gen::inRange(0, 64);
  const auto bucket = histogram_bucket::of(value);
  RC_ASSERT(histogram_bucket::lowest(bucket) <= value);
  RC_ASSERT(value <= histogram_bucket::highest(bucket));
  RC_ASSERT(histogram_bucket::highest(bucket) - histogram_bucket::lowest(bucket) <= value / 8);
}

TEST(histogram_quantile, of_nothing_is_zero) {
  EXPECT_EQ(histogram{}.quantile(0.5), 0U);
}

TEST(histogram_quantile, of_one_value_is_that_value) {
  histogram one;
  one.add(7);
  for (const double share : {0.0, 0.5, 0.99, 1.0}) EXPECT_EQ(one.quantile(share), 7U);
}

TEST(histogram_quantile, by_hand) {
  histogram ten;  // 1 2 3 4 5 6 7 8 9 10
  for (std::uint64_t value = 1; value <= 10; ++value) ten.add(value);
  EXPECT_EQ(ten.total(), 10U);
  EXPECT_EQ(ten.quantile(0), 1U);
  EXPECT_EQ(ten.quantile(0.1), 1U);
  EXPECT_EQ(ten.quantile(0.11), 2U);
  EXPECT_EQ(ten.quantile(0.5), 5U);
  EXPECT_EQ(ten.quantile(0.51), 6U);
  EXPECT_EQ(ten.quantile(0.9), 9U);
  EXPECT_EQ(ten.quantile(0.99), 10U);
  EXPECT_EQ(ten.quantile(1), 10U);
}

TEST(histogram_quantile, gives_the_middle_of_a_wide_bucket) {
  histogram wide;
  wide.add(1100, 1000);
  EXPECT_EQ(wide.quantile(0.5), (1024U + 1151U) / 2);
}

TEST(histogram_quantile, sees_a_rare_outlier_only_beyond_its_share) {
  histogram waits;
  waits.add(3, 990);
  waits.add(15, 10);
  EXPECT_EQ(waits.quantile(0.99), 3U);
  EXPECT_EQ(waits.quantile(0.991), 15U);
}

TEST(histogram_quantile, does_not_count_a_rounding_error_as_a_value) {
  histogram hundred;
  hundred.add(1, 7);
  hundred.add(15, 93);
  EXPECT_GT(0.07 * 100, 7.0);
  EXPECT_EQ(hundred.quantile(0.07), 1U);
}

RC_GTEST_PROP(histogram_quantile, is_within_an_eighth_of_the_sorted_values_answer, ()) {
  auto values = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::uint32_t>>(rc::gen::arbitrary<std::uint32_t>()));
  const auto percent = *rc::gen::inRange<std::size_t>(1, 101);
  const auto counted = std::make_unique<histogram>();
  for (const auto value : values) counted->add(value);
  std::sort(values.begin(), values.end());
  const auto rank = (values.size() * percent + 99) / 100;  // nearest rank, in whole numbers
  const std::uint64_t exact = values[rank - 1];
  const auto answer = counted->quantile(static_cast<double>(percent) / 100);
  RC_ASSERT(answer >= exact - exact / 8);
  RC_ASSERT(answer <= exact + exact / 8);
}

RC_GTEST_PROP(histogram_merge, is_as_if_all_was_added_to_one,
              (const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b)) {
  const auto one = std::make_unique<histogram>();
  const auto other = std::make_unique<histogram>();
  const auto both = std::make_unique<histogram>();
  for (const auto value : a) one->add(value), both->add(value);
  for (const auto value : b) other->add(value), both->add(value);
  one->merge(*other);
  RC_ASSERT(one->total() == a.size() + b.size());
  for (std::size_t i = 0; i < histogram_bucket::count; ++i) RC_ASSERT(one->in_bucket(i) == both->in_bucket(i));
}

}  // namespace
}  // namespace nearfork
