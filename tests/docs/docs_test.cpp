// The links of the pages and the tags of the comments lead somewhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

const fs::path root = NEARFORK_SOURCE_DIR;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

std::vector<fs::path> files_with(std::initializer_list<const char*> folders,
                                 std::initializer_list<const char*> endings) {
  std::vector<fs::path> found;
  for (const char* folder : folders) {
    if (!fs::exists(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const auto ending = entry.path().extension().string();
      if (entry.is_regular_file() && std::ranges::find(endings, ending) != endings.end()) found.push_back(entry.path());
    }
  }
  return found;
}

std::vector<fs::path> pages() {
  auto found = files_with({"docs", "src", "include", "tests", "workloads", "tools", "bench", "examples"}, {".md"});
  for (const auto& entry : fs::directory_iterator(root))
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  return found;
}

std::vector<std::string> all_matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) found.push_back((*it)[1]);
  return found;
}

TEST(docs, links_lead_to_files) {
  const std::regex link(R"(\]\(([^)#:\s]+)(?:#[^)]*)?\))");
  std::vector<std::string> dead;
  for (const auto& page : pages())
    for (const auto& target : all_matches(read_file(page), link))
      if (!fs::exists(page.parent_path() / target)) dead.push_back(page.string() + ": " + target);
  EXPECT_THAT(dead, IsEmpty());
}

/// `src/plan/plans/plan.hpp`, `tests/model/`: a path in backquotes that starts with one of our folders. Patterns and
/// placeholders are not looked up.
TEST(docs, paths_in_the_pages_exist) {
  const std::regex path(R"re(`((?:src|include|tests|tools|workloads|bench|docs|scripts|cmake|\.ci)/[^`*<>\s$]*)`)re");
  std::vector<std::string> dead;
  for (const auto& page : pages())
    for (const auto& target : all_matches(read_file(page), path))
      if (!fs::exists(root / target)) dead.push_back(page.string() + ": " + target);
  EXPECT_THAT(dead, IsEmpty());
}

TEST(docs, the_pages_show_the_examples_as_they_are) {
  std::string shown;
  for (const auto& page : pages()) shown += read_file(page);
  const auto examples = files_with({"examples"}, {".cpp"});
  EXPECT_FALSE(examples.empty()) << "no source below " << root / "examples";
  for (const auto& example : examples)
    EXPECT_NE(shown.find("\n```cpp\n" + read_file(example) + "```\n"), std::string::npos)
        << "No page shows " << example << " as it is now; put its text into docs/GUIDE.md.";
}

struct tag_places {
  std::vector<std::string> definitions;
  std::vector<std::string> uses;
};

/// A tag is defined where it starts a line: "// [D1] ..." in a header, "| [P1] | ..." in a protocol page.
std::map<std::string, tag_places> all_tags() {
  const std::regex definition(R"((?:^|\n)(?:// |\| )(\[[A-Z][0-9]+\]))");
  const std::regex use(R"((\[[A-Z][0-9]+\]))");
  std::map<std::string, tag_places> tags;
  for (const auto& file : files_with({"src", "include", "tests"}, {".hpp", ".cpp", ".md"})) {
    const auto text = read_file(file);
    for (const auto& tag : all_matches(text, use)) tags[tag].uses.push_back(file.string());
    if (file.extension() == ".cpp") continue;
    for (const auto& tag : all_matches(text, definition)) tags[tag].definitions.push_back(file.string());
  }
  return tags;
}

TEST(docs, each_invariant_tag_is_defined_once) {
  const auto tags = all_tags();
  EXPECT_FALSE(tags.empty()) << "no tag below " << root << ": the test looks in the wrong place";
  for (const auto& [tag, places] : tags)
    EXPECT_EQ(places.definitions.size(), 1U) << tag << ", used in " << places.uses.front() << ", is defined in "
                                             << testing::PrintToString(places.definitions);
}

}  // namespace
