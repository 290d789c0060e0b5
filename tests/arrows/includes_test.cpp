// Tests are built with precompiled headers (cmake/precompiled.cmake), which would hide that a test forgot to include
// them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "arrows/source_tree.hpp"

namespace {

using namespace nearfork::arrows;

struct precompiled {
  std::string_view header;
  std::vector<std::string_view> uses;  ///< what a line that needs the header has
  std::vector<std::string_view> also;  ///< other headers that bring it
};

const std::vector<precompiled>& precompiled_headers() {
  static const std::vector<precompiled> headers{
      {"gtest/gtest.h", {"\nTEST(", "\nTEST_F(", "\nTEST_P(", " EXPECT_EQ(", " ASSERT_EQ("}, {"gmock/gmock.h"}},
      {"gmock/gmock.h", {" EXPECT_THAT(", " ASSERT_THAT(", "testing::HasSubstr"}, {}},
      {"rapidcheck/gtest.h", {"\nRC_GTEST_PROP(", "\n  RC_ASSERT("}, {"rapidcheck.h"}}};
  return headers;
}

/// The headers that each file includes, and the files that a header may be: folders are searched from several roots.
struct inclusions {
  explicit inclusions(const source_tree& tree) {
    for (const auto& [path, text] : tree) {
      for (const include_line& one : includes_of(text)) of[path].insert(one.header);
      for (auto slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1))
        meant[path.substr(slash + 1)].push_back(path);
    }
  }

  void collect(const std::string& path, std::set<std::string>& seen) {
    for (const std::string& header : of[path])
      if (seen.insert(header).second)
        for (const std::string& next : meant[header]) collect(next, seen);
  }

  std::map<std::string, std::set<std::string>> of;
  std::map<std::string, std::vector<std::string>> meant;
};

/// "path: header", for each source that uses a precompiled header which neither it nor a header of its own includes.
std::vector<std::string> forgotten(const source_tree& tree) {
  std::vector<std::string> found;
  inclusions included(tree);
  for (const auto& [path, text] : tree) {
    std::set<std::string> seen;
    if (path.ends_with(".cpp")) included.collect(path, seen);
    for (const precompiled& one : precompiled_headers()) {
      const auto brings = [&](std::string_view header) { return seen.contains(std::string(header)); };
      const auto is_used = [&](std::string_view use) { return text.find(use) != text.npos; };
      if (path.ends_with(".cpp") && std::ranges::any_of(one.uses, is_used) && !brings(one.header) &&
          std::ranges::none_of(one.also, brings))
        found.push_back(path + ": " + std::string(one.header));
    }
  }
  return found;
}

TEST(includes, of_precompiled_headers_are_written_in_every_test) {
  const auto tree = read_tree(NEARFORK_SOURCE_DIR, {"tests"});
  ASSERT_TRUE(tree.contains("tests/arrows/includes_test.cpp")) << "the test looks in the wrong place";
  EXPECT_THAT(forgotten(tree), testing::IsEmpty());
}

TEST(includes, that_are_forgotten_are_found) {
  const std::string check = "#include <gtest/gtest.h>\nTEST(a, b) { EXPECT_THAT(1, 1); }";
  EXPECT_THAT(forgotten({{"tests/a_test.cpp", check}}), testing::ElementsAre("tests/a_test.cpp: gmock/gmock.h"));
  EXPECT_THAT(
      forgotten({{"tests/a_test.cpp", "#include \"b.hpp\"\n" + check}, {"tests/b.hpp", "#include <gmock/gmock.h>\n"}}),
      testing::IsEmpty());
}

}  // namespace
