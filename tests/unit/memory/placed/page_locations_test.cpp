#include "memory/placed/page_locations.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "unit/memory/placed/memory_of.hpp"

namespace nearfork {
namespace {

using test::memory_of;
using test::page;

TEST(where_lies, says_why_it_is_not_known) {
  memory_of run({100, 100});
  std::byte* const block = run.allocate(1);
  run.nodes.refuse_locate = EPERM;
  EXPECT_EQ(picture_of(run.memory.where_lies(block, page)),
            "not known: move_pages: Operation not permitted (errno 1); see nearfork doctor\n");
}

TEST(where_lies, counts_bytes_and_not_pages) {
  memory_of run({100, 100});
  std::byte* const block = run.allocate(4);
  run.touch(block, 1, 0);
  run.touch(block, 2, 1);
  const memory_map shown = run.memory.where_lies(block + 100, 3 * page - 200);
  ASSERT_EQ(shown.parts.size(), 3U);
  EXPECT_EQ(shown.parts[0], (memory_part{block + 100, page - 100, 0U}));
  EXPECT_EQ(shown.parts[1], (memory_part{block + page, page, 1U}));
  EXPECT_EQ(shown.parts[2], (memory_part{block + 2 * page, page - 100, std::nullopt}));
  EXPECT_EQ(shown.bytes_on(1), page);
  EXPECT_EQ(shown.untouched_bytes(), page - 100);
  EXPECT_EQ(picture_of(run.memory.where_lies(block, 4 * page), 8),
            "[0011....]\nnode 0: 0.0 MiB (25%)\nnode 1: 0.0 MiB (25%)\nuntouched: 0.0 MiB (50%)\n");
  EXPECT_EQ(picture_of({}), "nothing\n");
}

}  // namespace
}  // namespace nearfork
