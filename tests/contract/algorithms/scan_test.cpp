// Scans of integers, which take one operation an element on one worker.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

template <class T, class Op>
void scans_as_std(nearfork::runtime& by, T identity, Op op) {
  for (const std::size_t length : {1UL, 1000UL, 5000UL, 300'000UL}) {
    std::vector<std::uint16_t> given(length);
    for (std::size_t i = 0; i < length; ++i) given[i] = static_cast<std::uint16_t>(i * 7919 + 1);
    std::vector<T> expected(length), scanned(length);
    std::inclusive_scan(given.begin(), given.end(), expected.begin(), op, identity);
    const T all = by.run([&] { return nearfork::parallel_scan_inclusive(given, scanned.begin(), identity, op); });
    EXPECT_EQ(scanned, expected) << length;
    EXPECT_EQ(all, expected.back()) << length;
    std::exclusive_scan(given.begin(), given.end(), expected.begin(), identity, op);
    by.run([&] { nearfork::parallel_scan_exclusive(given, scanned.begin(), identity, op); });
    EXPECT_EQ(scanned, expected) << length;
  }
}

/// Operations on integers that scans know, and one that they do not.
TEST(parallel_scan, of_integers_gives_what_the_standard_library_gives) {
  for (const unsigned workers : {1U, 2U, 4U}) {
    nearfork::runtime own(nearfork::test::with_workers(workers));
    scans_as_std(own, std::uint64_t{0}, std::plus<>());
    scans_as_std(own, std::uint64_t{1}, std::multiplies<std::uint64_t>());
    scans_as_std(own, std::uint32_t{0}, std::bit_xor<>());
    scans_as_std(own, std::uint32_t{0}, [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); });
  }
}

// Two workers first try what a fold and a scan take: of any number of elements a block, and in place.
TEST(parallel_scan, by_two_workers_is_complete_whatever_the_trial_says) {
  nearfork::runtime two(nearfork::test::with_workers(2));
  for (const std::size_t grain : {0UL, 1UL, 4095UL, 100'000UL, 700'000UL, 3'000'000UL}) {
    std::vector<std::uint32_t> data(2'000'003), expected(data.size());
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint32_t>(i * 7919);
    std::exclusive_scan(data.begin(), data.end(), expected.begin(), 0U);
    const std::uint32_t all = two.run([&] {
      return nearfork::parallel_scan_exclusive(data.begin(), data.end(), data.begin(), 0U, std::plus<>(),
                                               {.grain = grain});
    });
    EXPECT_EQ(data, expected) << grain;
    EXPECT_EQ(all, expected.back() + static_cast<std::uint32_t>(2'000'002UL * 7919)) << grain;
  }
  std::vector<double> ones(2'000'003, 1), sums(ones.size());
  EXPECT_EQ(two.run([&] { return nearfork::parallel_scan_inclusive(ones, sums.begin(), 0.0, std::plus<>()); }),
            2'000'003);
  EXPECT_EQ(sums[1'999'999], 2'000'000);
}

}  // namespace
