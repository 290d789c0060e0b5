#include "sensors/hotness/referenced_text.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace {

using namespace nearfork;

constexpr address_range everywhere{0, ~std::uintptr_t{0}};

std::string mapping(const std::string& range, const std::string& referenced) {
  return range +
         " rw-p 00000000 00:00 0                          [anon: nearfork: gauged]\n"
         "Size:                 16 kB\n"
         "Rss:                  16 kB\n" +
         referenced + "Anonymous:            16 kB\nVmFlags: rd wr mr mw me ac sd\n";
}

TEST(referenced_text, tells_what_each_mapping_has) {
  const std::string text = mapping("7f0000001000-7f0000005000", "Referenced:           12 kB\n") +
                           mapping("7f0000005000-7f0000009000", "Referenced:            0 kB\n");
  const auto found = referenced_mappings(text, everywhere);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ(found->at(0).range, (address_range{0x7f0000001000, 0x7f0000005000}));
  EXPECT_EQ(found->at(0).referenced_bytes, 12U << 10);
  EXPECT_EQ(found->at(1).referenced_bytes, 0U);
}

TEST(referenced_text, leaves_out_mappings_beyond_the_range) {
  const std::string text = mapping("1000-2000", "Referenced: 4 kB\n") + mapping("2000-3000", "Referenced: 4 kB\n") +
                           mapping("3000-4000", "Referenced: 4 kB\n");
  const auto found = referenced_mappings(text, {0x2000, 0x3000});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ(found->at(0).range.begin, 0x2000U);
}

TEST(referenced_text, bounds_what_is_referenced_by_the_size) {
  const auto found = referenced_mappings(mapping("1000-2000", "Referenced: 9999 kB\n"), everywhere);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->at(0).referenced_bytes, 0x1000U);
}

TEST(referenced_text, is_refused_in_any_other_form) {
  const std::string good = mapping("1000-2000", "Referenced: 4 kB\n");
  for (const std::string& wrong :
       {std::string(), std::string("\n"), std::string("Referenced: 4 kB\n"), mapping("1000-2000", ""),
        mapping("2000-1000", "Referenced: 4 kB\n"), mapping("1000 2000", "Referenced: 4 kB\n"),
        mapping("1000-2000", "Referenced: many kB\n"), mapping("1000-2000", "Referenced: 4 MB\n"),
        mapping("1000-2000", "Referenced:\n"), mapping("1000-2000", "Referenced: 4 kB\nReferenced: 4 kB\n"),
        mapping("1000-2000", "Referenced: 18446744073709551615 kB\n"), good + good, good.substr(0, good.find("Ref"))})
    EXPECT_FALSE(referenced_mappings(wrong, everywhere)) << wrong;
}

RC_GTEST_PROP(referenced_text, cut_anywhere_is_refused_or_has_fewer_mappings, (unsigned cut)) {
  std::string text;
  for (unsigned i = 1; i < 5; ++i) {
    const std::string digit = std::to_string(i);
    const std::string next = std::to_string(i + 1);
    text += mapping(digit + "000-" + next + "000", "Referenced: " + digit + " kB\n");
  }
  const auto whole = *referenced_mappings(text, everywhere);
  const auto part = referenced_mappings(std::string_view(text).substr(0, cut % text.size()), everywhere);
  if (!part) return;
  RC_ASSERT(part->size() <= whole.size());
  for (std::size_t i = 0; i + 1 < part->size(); ++i) RC_ASSERT(part->at(i).range == whole[i].range);
}

}  // namespace
