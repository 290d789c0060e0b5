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
