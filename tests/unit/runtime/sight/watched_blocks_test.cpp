#include "runtime/sight/watched_blocks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace nearfork;
using testing::ElementsAre;

constexpr std::uint64_t page_bytes = 1 << 12;

std::vector<std::string> shown(const watched_blocks& of) {
  std::vector<std::string> made;
  for (const watched_block* const one : of.all())
    made.push_back(one->name + " " + std::to_string(one->number) + " [" + std::to_string(one->begin) + ", " +
                   std::to_string(one->end) + ")");
  return made;
}
std::vector<living_block> placed(std::vector<living_block> of) {
  return of;
}

class watched : public testing::Test {
 protected:
  watched_blocks blocks{3, 64, page_bytes};
};

TEST_F(watched, placed_blocks_take_the_names_of_their_parts) {
  blocks.take_living(placed({{.begin = 10 * page_bytes, .bytes = 4 * page_bytes, .number = 1}}));
  blocks.take_named(10 * page_bytes, 12 * page_bytes, "upper");
  blocks.take_named(12 * page_bytes, 14 * page_bytes, "lower");
  blocks.take_named(10 * page_bytes, 12 * page_bytes, "upper");
  EXPECT_THAT(shown(blocks), ElementsAre("upper, lower 1 [40960, 57344)"));
  EXPECT_EQ(blocks.at(11 * page_bytes)->number, 1U);
  EXPECT_EQ(blocks.at(14 * page_bytes), nullptr);
}

TEST_F(watched, freed_blocks_stay_as_they_were_seen) {
  blocks.take_living(placed({{.begin = 10 * page_bytes, .bytes = page_bytes, .number = 1}}));
  blocks.at(10 * page_bytes)->looked_at = true;
  blocks.take_living(placed({{.begin = 10 * page_bytes, .bytes = page_bytes, .number = 2}}));
  EXPECT_THAT(shown(blocks), ElementsAre(" 1 [40960, 45056)", " 2 [40960, 45056)"));
  EXPECT_EQ(blocks.at(10 * page_bytes)->number, 2U);
  blocks.take_living({});
  EXPECT_EQ(blocks.at(10 * page_bytes), nullptr);
  EXPECT_THAT(shown(blocks), ElementsAre(" 1 [40960, 45056)")) << "nobody has looked at the second";
}

TEST_F(watched, touched_memory_on_neighbouring_pages_is_one_block) {
  blocks.take_touched(10 * page_bytes + 5, 11 * page_bytes);
  blocks.take_touched(11 * page_bytes + 8, 11 * page_bytes + 16);
  blocks.take_touched(20 * page_bytes, 20 * page_bytes + 1);
  EXPECT_THAT(shown(blocks), ElementsAre(" 0 [40960, 49152)", " 0 [81920, 86016)"));
}

TEST_F(watched, touched_memory_beside_a_named_block_ends_at_its_border) {
  blocks.take_named(10 * page_bytes + 100, 12 * page_bytes + 100, "named");
  blocks.take_touched(10 * page_bytes + 200, 10 * page_bytes + 300);
  blocks.take_touched(12 * page_bytes + 200, 12 * page_bytes + 300);
  EXPECT_THAT(shown(blocks), ElementsAre("named 0 [41060, 49252)", " 0 [49252, 53248)"));
}

TEST_F(watched, larger_blocks_take_the_place_of_smaller_ones) {
  blocks.take_living(placed({{.begin = 10 * page_bytes, .bytes = 1 * page_bytes, .number = 1},
                             {.begin = 20 * page_bytes, .bytes = 5 * page_bytes, .number = 2},
                             {.begin = 30 * page_bytes, .bytes = 3 * page_bytes, .number = 3},
                             {.begin = 40 * page_bytes, .bytes = 4 * page_bytes, .number = 4},
                             {.begin = 50 * page_bytes, .bytes = 1 * page_bytes, .number = 5}}));
  EXPECT_THAT(shown(blocks), ElementsAre(" 2 [81920, 102400)", " 4 [163840, 180224)", " 3 [122880, 135168)"));
  EXPECT_EQ(blocks.left_out(), 2U);
}

TEST_F(watched, asks_for_fewer_pages_of_each_where_there_are_many) {
  blocks.take_living(placed({{.begin = 1000 * page_bytes, .bytes = 100 * page_bytes, .number = 1},
                             {.begin = 2000 * page_bytes, .bytes = 100 * page_bytes, .number = 2}}));
  EXPECT_EQ(blocks.at(1000 * page_bytes)->pages.asked(), 64U);
  EXPECT_EQ(blocks.at(2000 * page_bytes)->pages.asked(), 32U);
}

}  // namespace
