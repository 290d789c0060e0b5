#include "runtime/recording/touched_data.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "base/rng.hpp"

namespace nearfork {
namespace {

recordings::data_access bytes(std::uint64_t begin, std::uint64_t size) {
  return {.begin_byte = begin, .size_bytes = size};
}

TEST(touched_data, makes_one_block_of_accesses_in_neighbouring_pages) {
  touched_data data;
  data.add(bytes(0x10010, 100));
  data.add(bytes(0x11000, 4096));
  data.add(bytes(0x20000, 1));
  const block_layout layout = data.layout();
  ASSERT_EQ(layout.blocks().size(), 2U);
  EXPECT_EQ(layout.blocks()[0], (recordings::data_block{"data 1", 2 * 4096}));
  EXPECT_EQ(layout.placed(bytes(0x10010, 100)),
            (recordings::data_access{.block = 0, .begin_byte = 0x10, .size_bytes = 100}));
  EXPECT_EQ(layout.placed(bytes(0x20000, 1)).block, 1U);
}

TEST(touched_data, keeps_named_data_apart_and_leaves_out_what_nothing_touched) {
  touched_data data;
  data.name(0x10100, 0x100, "a");
  data.name(0x10200, 0x100, "b");
  data.name(0x90000, 0x100, "unused");
  data.name(0x10180, 0x100, "overlaps both");
  data.add(bytes(0x10200, 16));
  data.add(bytes(0x101f0, 32));  // lies in neither block as a whole
  data.add(bytes(0x10100, 0x100));
  const block_layout layout = data.layout();
  ASSERT_EQ(layout.blocks().size(), 3U);
  EXPECT_EQ(layout.blocks()[layout.placed(bytes(0x10100, 0x100)).block].name, "a");
  EXPECT_EQ(layout.blocks()[layout.placed(bytes(0x10200, 16)).block].name, "b");
  EXPECT_EQ(layout.blocks()[layout.placed(bytes(0x101f0, 32)).block].name, "data 1");
  EXPECT_EQ(layout.placed(bytes(0x10200, 16)).begin_byte, 0x200U) << "places keep their offset in the page";
}

TEST(touched_data, knows_the_placed_arrays_of_blocks_in_the_order_of_their_allocation) {
  using recordings::array_placing;
  touched_data data;
  data.allocate({.begin = 0x400000, .bytes = 0x200000, .number = 9, .how = array_placing::interleaved});
  data.allocate({.begin = 0x600000, .bytes = 0x1000, .number = 4, .how = array_placing::follows_plan});
  data.allocate({.begin = 0x601000, .bytes = 0x1000, .number = 5, .how = array_placing::otherwise});
  data.allocate({.begin = 0x5fffff, .bytes = 16, .number = 10, .how = array_placing::otherwise});  // overlaps
  data.name(0x400100, 0x100, "a");
  data.add(bytes(0x400100, 8));   // named
  data.add(bytes(0x410000, 8));   // beside the name
  data.add(bytes(0x5ffff0, 16));  // to the array's end
  data.add(bytes(0x600000, 16));  // the next array, in the next page
  data.add(bytes(0x10000, 16));
  const block_layout layout = data.layout();
  ASSERT_EQ(layout.blocks().size(), 4U) << "the array that nothing touched is left out";
  EXPECT_EQ(layout.blocks()[0].name, "a");
  EXPECT_EQ(layout.blocks()[1], (recordings::data_block{"data 1", 0x200000}));
  EXPECT_EQ(layout.blocks()[2], (recordings::data_block{"data 2", 0x1000}));
  const std::vector<recordings::allocation> expected{
      {2, array_placing::follows_plan}, {0, array_placing::interleaved}, {1, array_placing::interleaved}};
  EXPECT_EQ(layout.allocations(), expected);
  EXPECT_EQ(layout.placed(bytes(0x5ffff0, 16)).begin_byte, 0x1ffff0U);
  EXPECT_EQ(layout.placed(bytes(0x10000, 16)).block, 3U);
}

/// Names may come between accesses.
RC_GTEST_PROP(touched_data, places_every_access_inside_its_block_and_keeps_distances, (std::uint64_t seed)) {
  rng random(seed);
  touched_data data;
  std::vector<recordings::data_access> added;
  for (int i = 0; i < 60; ++i) {
    const std::uint64_t begin = 0x100000 + random.below(1 << 17);
    const std::uint64_t size = 1 + random.below(random.below(2) == 0 ? 64 : 20000);
    if (random.below(6) == 0) {
      data.name(begin, size, "named");
      continue;
    }
    if (random.below(6) == 0) {
      data.allocate({.begin = begin, .bytes = size, .number = static_cast<std::uint64_t>(i)});
      continue;
    }
    added.push_back(bytes(begin, size));
    data.add(added.back());
  }
  const block_layout layout = data.layout();
  for (const auto& one : added) {
    const auto placed = layout.placed(one);
    RC_ASSERT(placed.block < layout.blocks().size());
    RC_ASSERT(placed.begin_byte + placed.size_bytes <= layout.blocks()[placed.block].bytes);
    RC_ASSERT(placed.begin_byte % 4096 == one.begin_byte % 4096);
    for (const auto& other : added) {
      const auto there = layout.placed(other);
      if (there.block == placed.block)
        RC_ASSERT(there.begin_byte - placed.begin_byte == other.begin_byte - one.begin_byte);
    }
  }
}

}  // namespace
}  // namespace nearfork
