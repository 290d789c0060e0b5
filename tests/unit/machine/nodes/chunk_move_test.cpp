#include "machine/nodes/chunk_move.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "base/rng.hpp"
#include "machine/nodes/chunk_sample.hpp"

namespace nearfork {
namespace {

constexpr node_id first{0};
constexpr node_id second{1};
constexpr node_id third{2};

TEST(chunk_move, puts_chunks_on_their_nodes) {
  const page_split halves{{0, 10, first}, {10, 20, second}};
  const std::vector<chunk_move> moves{{.block = 1, .begin = 0, .end = 3, .to = second},
                                      {.block = 2, .begin = 2, .end = 4, .to = third},
                                      {.block = 2, .begin = 9, .end = 12, .to = third}};
  EXPECT_EQ(with_moves(halves, 2, moves),
            (page_split{{0, 2, first}, {2, 4, third}, {4, 9, first}, {9, 12, third}, {12, 20, second}}));
  EXPECT_EQ(with_moves(halves, 1, moves), (page_split{{0, 3, second}, {3, 10, first}, {10, 20, second}}));
  EXPECT_EQ(with_moves(halves, 3, moves), halves);
}

TEST(chunk_move, joins_neighbours_and_leaves_out_what_lies_beyond_the_end) {
  const page_split halves{{0, 10, first}, {10, 20, second}};
  EXPECT_EQ(with_moves(halves, 0, std::vector<chunk_move>{{.begin = 5, .end = 10, .to = second}}),
            (page_split{{0, 5, first}, {5, 20, second}}));
  EXPECT_EQ(with_moves(halves, 0, std::vector<chunk_move>{{.begin = 18, .end = 30, .to = first}}),
            (page_split{{0, 10, first}, {10, 18, second}, {18, 20, first}}));
}

RC_GTEST_PROP(chunk_move, each_page_is_where_its_move_or_its_part_says, (std::uint64_t seed)) {
  rng random(seed);
  page_split split;
  for (std::uint64_t at = 0; at < 40;) {
    const std::uint64_t end = at + 1 + random.below(9);
    append_run(split, {at, end, node_id{random.below(3)}});
    at = end;
  }
  std::vector<chunk_move> moves;
  for (std::uint64_t block = 0; block < 2; ++block)
    for (std::uint64_t at = random.below(5); at < 50;) {
      const std::uint64_t end = at + 1 + random.below(6);
      moves.push_back({.block = block, .begin = at, .end = end, .to = node_id{random.below(3)}});
      at = end + random.below(6);
    }
  for (std::uint64_t block = 0; block < 3; ++block) {
    const page_split made = with_moves(split, block, moves);
    for (std::uint64_t page = 0; page < split.back().end; ++page) {
      node_id wanted = node_of(split, page);
      for (const chunk_move& one : moves)
        if (one.block == block && one.begin <= page && page < one.end) wanted = one.to;
      RC_ASSERT(node_of(made, page) == wanted);
    }
    RC_ASSERT(pages_in(made) == pages_in(split));
  }
}

TEST(chunk_sample, cuts_16_GiB_as_the_paper_and_smaller_data_finer) {
  EXPECT_EQ(pages_of_chunk((std::uint64_t{16} << 30) / 4096), 512U);
  EXPECT_EQ(pages_of_chunk((std::uint64_t{1} << 30) / 4096), 32U);
  EXPECT_EQ(pages_of_chunk(100), 1U);
  EXPECT_EQ(pages_of_chunk(0), 1U);
}

TEST(chunk_sample, estimates_a_whole_by_four_pages) {
  rng random(1);
  int asked = 0;
  const auto seven = [&](std::uint64_t) {
    ++asked;
    return 7;
  };
  EXPECT_EQ(sampled_heat(512, random, seven), 3584);
  EXPECT_EQ(asked, 4);
  EXPECT_EQ(sampled_heat(3, random, [](std::uint64_t page) { return page; }), 3) << "all pages of a small chunk";
  EXPECT_EQ(sampled_heat(0, random, seven), 0);
}

}  // namespace
}  // namespace nearfork
