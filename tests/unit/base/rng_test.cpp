#include "base/rng.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <set>

namespace nearfork {
namespace {

// The first numbers of SplitMix64 for seed 1234567, as published with the generator.
TEST(rng, gives_the_published_sequence) {
  rng random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317U);
  EXPECT_EQ(random.next(), 3203168211198807973U);
  EXPECT_EQ(random.next(), 9817491932198370423U);
}

TEST(rng, skips_as_many_numbers_as_it_is_told) {
  rng one(5), other(5);
  for (int i = 0; i < 3; ++i) (void)one.next();
  other.skip(3);
  EXPECT_EQ(other.next(), one.next());
}

TEST(rng, streams_of_one_seed_differ) {
  std::set<std::uint64_t> firsts;
  for (std::uint64_t stream = 0; stream < 1000; ++stream) firsts.insert(rng::for_stream(1, stream).next());
  EXPECT_EQ(firsts.size(), 1000U);
}

RC_GTEST_PROP(rng, stays_below_its_bound, (std::uint64_t seed)) {
  const auto bound = *rc::gen::suchThat(rc::gen::arbitrary<std::uint32_t>(), [](auto b) { return b > 0; });
  rng random(seed);
  for (int i = 0; i < 100; ++i) RC_ASSERT(random.below(bound) < bound);
}

TEST(rng, spreads_evenly) {
  std::array<int, 7> hits{};
  rng random(42);
  for (int i = 0; i < 70000; ++i) ++hits[random.below(7)];
  for (const int count : hits) EXPECT_NEAR(count, 10000, 500);  // over five standard deviations
}

}  // namespace
}  // namespace nearfork
