#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::parallel_reduce;
using nearfork::test::with_workers;
using hash = std::uint64_t;

/// Neither associative nor commutative, so the result tells the tree.
hash hashed_pair(hash left, hash right) {
  return (left * 31 + right) * 0x9e3779b97f4a7c15U;
}
hash hashed_index(std::size_t i) {
  return i * i + 7;
}

/// The tree as it is documented: a range longer than the grain is cut in the middle.
template <class Leaf>
hash hash_tree(std::size_t lo, std::size_t hi, std::size_t grain, const Leaf& leaf) {
  if (hi - lo <= grain) return leaf(lo, hi);
  const std::size_t middle = lo + (hi - lo) / 2;
  const hash left = hash_tree(lo, middle, grain, leaf);
  return hashed_pair(left, hash_tree(middle, hi, grain, leaf));
}
hash leaf_of_identity(std::size_t lo, std::size_t hi) {
  hash folded = 5;
  for (std::size_t i = lo; i != hi; ++i) folded = hashed_pair(folded, hashed_index(i));
  return folded;
}
hash leaf_of_first(std::size_t lo, std::size_t hi) {
  hash folded = hashed_index(lo);
  for (std::size_t i = lo + 1; i != hi; ++i) folded = hashed_pair(folded, hashed_index(i));
  return folded;
}

class reduce_tree : public testing::TestWithParam<unsigned> {};

TEST_P(reduce_tree, is_the_documented_one_for_any_grain) {
  nearfork::runtime runtime(with_workers(GetParam()));
  runtime.run([] {
    for (std::size_t grain = 1; grain <= 11; ++grain)
      for (std::size_t count = 1; count <= 150; ++count) {
        const nearfork::loop_options options{.grain = grain};
        ASSERT_EQ(parallel_reduce(std::size_t{0}, count, hash{5}, hashed_index, hashed_pair, options),
                  hash_tree(0, count, grain, leaf_of_identity))
            << count << " by " << grain;
        ASSERT_EQ(
            nearfork::parallel_reduce_range(
                std::size_t{0}, count, hash{5},
                [](std::size_t lo, std::size_t hi, hash) { return leaf_of_identity(lo, hi); }, hashed_pair, options),
            hash_tree(0, count, grain, leaf_of_identity))
            << count << " by " << grain;
        ASSERT_EQ(parallel_reduce(std::size_t{0}, count, hashed_index, hashed_pair, options),
                  hash_tree(0, count, grain, leaf_of_first))
            << count << " by " << grain;
      }
  });
}

TEST_P(reduce_tree, has_at_most_1024_leaves) {
  nearfork::runtime runtime(with_workers(GetParam()));
  runtime.run([] {
    for (const std::size_t count :
         {1000UL, 1024UL, 1025UL, 1500UL, 2049UL, 3000UL, 4097UL, 7777UL, 8192UL, 8193UL, 20'000UL})
      for (int times = 0; times < 20; ++times) {
        const std::size_t grain = (count + 1023) / 1024;
        ASSERT_EQ(parallel_reduce(std::size_t{0}, count, hash{5}, hashed_index, hashed_pair),
                  hash_tree(0, count, grain, leaf_of_identity))
            << count;
      }
  });
}

/// Of such a value the first number counts. The others take time.
template <class Large>
hash hash_of_pieces(std::size_t count, const Large& identity) {
  const auto leaf = [](std::size_t lo, std::size_t hi, Large value) {
    value[0] = leaf_of_identity(lo, hi);
    return value;
  };
  const auto pair = [](Large left, const Large& right) {
    left[0] = hashed_pair(left[0], right[0]);
    return left;
  };
  return nearfork::parallel_reduce_range(std::size_t{0}, count, identity, leaf, pair)[0];
}

TEST_P(reduce_tree, of_large_values_has_four_indices_for_each_number_or_32_leaves) {
  nearfork::runtime runtime(with_workers(GetParam()));
  runtime.run([] {
    const auto tree = [](std::size_t count, std::size_t leaves) {
      return hash_tree(0, count, (count + leaves - 1) / leaves, leaf_of_identity);
    };
    EXPECT_EQ(hash_of_pieces(20'000, std::array<hash, 100>{}), tree(20'000, 50));
    EXPECT_EQ(hash_of_pieces(20'000, std::vector<hash>(100)), tree(20'000, 50));
    EXPECT_EQ(hash_of_pieces(20'000, std::vector<hash>(1'000)), tree(20'000, 32));
    EXPECT_EQ(hash_of_pieces(10, std::vector<hash>(1'000)), tree(10, 32));
    EXPECT_EQ(hash_of_pieces(20'000, std::vector<hash>(64)), tree(20'000, 128));
    EXPECT_EQ(hash_of_pieces(200'000, std::vector<hash>(65)), tree(200'000, 128));
  });
}

INSTANTIATE_TEST_SUITE_P(workers, reduce_tree, testing::Values(1U, 2U, 5U));

}  // namespace
