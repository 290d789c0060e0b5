#include "sim/machine/model_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nearfork/error.hpp>

namespace nearfork::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string text_complaint(const std::string& text) {
  try {
    (void)parse_model_text(text, "box.model");
  } catch (const error& wrong) {
    return wrong.what();
  }
  return "accepted";
}

TEST(model_text, takes_lines_apart_into_what_they_set_and_why) {
  const std::string text =
      "# a machine\n\n[sheet] Data Sheet 7\n  memory_ns DRAM 10 = 100\t# [sheet] page 3\r\nlinks ht = 0-1  0-2 # "
      "estimate: a square";
  const model_text made = parse_model_text(text, "box.model");
  ASSERT_EQ(made.sources.size(), 1U);
  EXPECT_EQ(made.sources[0].name, "sheet");
  EXPECT_EQ(made.sources[0].text, "Data Sheet 7");
  ASSERT_EQ(made.entries.size(), 2U);
  EXPECT_EQ(made.entries[0].line, 4U);
  EXPECT_EQ(made.entries[0].key, "memory_ns");
  EXPECT_THAT(made.entries[0].selectors, ElementsAre("DRAM", "10"));
  EXPECT_EQ(made.entries[0].value, "100");
  EXPECT_EQ(cited(made.entries[0]), "sheet");
  EXPECT_FALSE(is_estimate(made.entries[0]));
  EXPECT_EQ(made.entries[1].value, "0-1  0-2");
  EXPECT_TRUE(is_estimate(made.entries[1]));
  EXPECT_EQ(cited(made.entries[1]), "");
}

TEST(model_text, says_in_which_line_something_is_wrong) {
  EXPECT_THAT(text_complaint("[s] x\n\nnonsense\n"), HasSubstr("box.model:3: \"nonsense\" is no entry"));
  EXPECT_THAT(text_complaint("# x\na # b = c"), HasSubstr("box.model:2:"));
  EXPECT_THAT(text_complaint("= 3 # estimate: x"), HasSubstr("no key"));
  EXPECT_THAT(text_complaint("a = # estimate: x"), HasSubstr("has no value"));
  EXPECT_THAT(text_complaint("[open"), HasSubstr("brackets"));
  EXPECT_THAT(text_complaint("[empty]"), HasSubstr("says where it is from"));
  EXPECT_THAT(text_complaint("[a] x\n[a] y"), HasSubstr("box.model:2: source [a] stands in line 1 already"));
  EXPECT_THAT(text_complaint("k L1 = 1 # estimate: x\nk  L1 = 2 # estimate: x"),
              HasSubstr("box.model:2: \"k L1\" stands in line 1"));
  EXPECT_EQ(text_complaint("k L1 = 1 # estimate: x\nk L2 = 2 # estimate: x"), "accepted");
}

TEST(model_text, wants_to_know_where_every_value_is_from) {
  for (const char* const bare : {"a = 1", "a = 1 #", "a = 1 # because", "a = 1 # estimate:", "a = 1 # ["})
    EXPECT_THAT(text_complaint(bare), HasSubstr("does not say where its value is from")) << bare;
  EXPECT_THAT(text_complaint("a = 1 # [sheet] page 3"), HasSubstr("no line says what source [sheet] is"));
  EXPECT_EQ(text_complaint("a = 1 # measured: by topo"), "accepted");
}

TEST(model_text, refuses_what_is_too_large_and_shows_nothing_that_moves_the_cursor) {
  EXPECT_THAT(text_complaint(std::string(most_model_bytes + 1, '#')), HasSubstr("at most 1048576"));
  EXPECT_THAT(text_complaint("\x1b[2J"), HasSubstr("?[2J"));
}

TEST(model_text, knows_sources_that_nobody_has_looked_up) {
  const model_text made = parse_model_text("[a] a book (unchecked)\n[b] a book", "x");
  EXPECT_TRUE(is_unchecked(made.sources[0]));
  EXPECT_FALSE(is_unchecked(made.sources[1]));
}

}  // namespace
}  // namespace nearfork::sim
