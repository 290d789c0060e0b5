// The system refuses what tells how hot data are, or lacks it: answers are right, the run report has a line for each
// source, and strict mode refuses before any work begins.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "child_program.hpp"

namespace {

using nearfork::test::program_end;
using nearfork::test::run_program;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string not_known = "hot data are not known, so none move";

/// What takes each source from a program, on any machine: the processor's samples by a refused system call, DAMON and
/// the idle marks with their folder, the marks of pages in use with their file.
const std::map<std::string, std::vector<std::string>>& taking() {
  static const std::map<std::string, std::vector<std::string>> words{{"samples", {"deny", "perf_event_open", "EPERM"}},
                                                                     {"damon", {"hide", "/sys/kernel/mm"}},
                                                                     {"clear_refs", {"lock", "/proc/self/clear_refs"}},
                                                                     {"page_idle", {"hide", "/sys/kernel/mm"}}};
  return words;
}

/// Runs under bats. Where the machine has one memory node, hwloc shows two all the same; without a second node nothing
/// could move, and nobody would ask what is hot.
program_end hot_run(std::vector<std::string> words, const std::string& source) {
  words.insert(words.begin(), {NEARFORK_CONFINED_RUN, "hot"});
  return run_program(words, {"NEARFORK_HOTNESS=" + source, "HWLOC_THISSYSTEM=1",
                             "HWLOC_SYNTHETIC=package:2 [numa(memory=1GiB)] core:1 pu:1"});
}

std::vector<std::string> lines_with(const std::string& part, const std::string& text) {
  std::vector<std::string> made;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find(part) != line.npos) made.push_back(line);
  return made;
}

class refused_hotness : public testing::TestWithParam<const char*> {};

TEST_P(refused_hotness, is_one_line_and_changes_no_answer) {
  const std::string source = GetParam();
  const program_end end = hot_run(taking().at(source), source);
  if (end.status == 77) GTEST_SKIP() << "needs root, for a file system of its own: " << end.output;
  EXPECT_EQ(end.status, 0) << "signal " << end.signal << "\n" << end.output;
  EXPECT_THAT(end.output, HasSubstr("\nright"));
  EXPECT_THAT(lines_with(not_known, end.output), testing::ElementsAre(HasSubstr(": source " + source + ": ")));
}

TEST_P(refused_hotness, is_an_error_before_work_begins_in_strict_mode) {
  const std::string source = GetParam();
  std::vector<std::string> words = taking().at(source);
  words.push_back("strict");
  const program_end end = hot_run(words, source);
  if (end.status == 77) GTEST_SKIP() << "needs root, for a file system of its own: " << end.output;
  EXPECT_EQ(end.status, 2) << end.output;
  EXPECT_THAT(end.output, AllOf(HasSubstr(not_known + " (source " + source + "): "), Not(HasSubstr("work begins"))));
}

INSTANTIATE_TEST_SUITE_P(of, refused_hotness, testing::Values("samples", "damon", "clear_refs", "page_idle"),
                         [](const auto& given) { return std::string(given.param); });

TEST(hotness_refused_at_once, of_every_source_is_a_line_for_each) {
  std::vector<std::string> words{"hide", "/sys/kernel/mm",  "lock", "/proc/self/clear_refs",
                                 "deny", "perf_event_open", "EPERM"};
  const program_end end = hot_run(words, "auto");
  if (end.status == 77) GTEST_SKIP() << "needs root, for a file system of its own: " << end.output;
  EXPECT_EQ(end.status, 0) << "signal " << end.signal << "\n" << end.output;
  EXPECT_THAT(end.output, HasSubstr("\nright"));
  EXPECT_THAT(lines_with(not_known, end.output),
              testing::ElementsAre(HasSubstr(": source samples: "), HasSubstr(": source damon: "),
                                   HasSubstr(": source clear_refs: "), HasSubstr(": source page_idle: ")));
  words.push_back("strict");
  const program_end strict = hot_run(words, "auto");
  EXPECT_EQ(strict.status, 2) << strict.output;
  EXPECT_THAT(strict.output, Not(HasSubstr("work begins")));
  EXPECT_EQ(lines_with(not_known, strict.output).size(), 4U) << strict.output;
}

/// Otherwise the tests above would hold where nobody asks.
TEST(hotness_refused_at_once, of_other_sources_is_no_line_where_one_is_granted) {
  const program_end granted = hot_run({}, "clear_refs");
  if (!lines_with(not_known, granted.output).empty()) GTEST_SKIP() << "refused here, too: " << granted.output;
  const program_end end = hot_run(taking().at("samples"), "auto");
  EXPECT_EQ(end.status, 0) << end.output;
  EXPECT_TRUE(lines_with(not_known, end.output).empty()) << end.output;
}

}  // namespace
