// A single reader, src/base/text/number_text.hpp, reads the numbers that people write. Other readers differ on signs,
// spaces, 010 and numbers that are too large.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "arrows/source_tree.hpp"

namespace {

using namespace nearfork::arrows;

/// These files read what the system or hwloc writes. Its digits are as expected, or the value is passed over.
const std::set<std::string> readers_of_system_files{"src/machine/live/cpu_quota.cpp",
                                                    "src/machine/live/nearest_memory.cpp",
                                                    "src/machine/live/number_list.cpp",
                                                    "src/machine/described/core_reader.cpp",
                                                    "src/memory/system/low_watermark.cpp",
                                                    "src/memory/system/os_memory_linux.cpp",
                                                    "src/mpi/process_linux.cpp",
                                                    "src/sensors/counting_system_linux.cpp",
                                                    "src/sensors/cpu_model.cpp",
                                                    "src/sensors/hotness/referenced_text.cpp",
                                                    "workloads/memory.cpp",
                                                    "workloads/memory_linux.cpp"};
constexpr const char* the_reader = "src/base/text/number_text.cpp";

/// CLI11's range check also converts, and its delimiter drops empty parts.
constexpr std::string_view other_ways[] = {"stoi",
                                           "stol",
                                           "stoll",
                                           "stoul",
                                           "stoull",
                                           "stof",
                                           "stod",
                                           "stold",
                                           "strtol",
                                           "strtoll",
                                           "strtoul",
                                           "strtoull",
                                           "strtoimax",
                                           "strtoumax",
                                           "strtof",
                                           "strtod",
                                           "strtold",
                                           "atoi",
                                           "atol",
                                           "atoll",
                                           "atof",
                                           "sscanf",
                                           "from_chars",
                                           "lexical_cast",
                                           "CLI::Range",
                                           "CLI::Number",
                                           "CLI::PositiveNumber",
                                           "CLI::NonNegativeNumber",
                                           "delimiter"};

bool is_part_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool calls(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const std::size_t after = text.find_first_not_of(' ', at + name.size());
    const bool whole = (at == 0 || !is_part_of_word(text[at - 1])) && after != text.npos;
    if (whole && (text[after] == '(' || name.starts_with("CLI::"))) return true;
  }
  return false;
}

/// "path: name", for each way around the reader.
std::vector<std::string> ways_around(const source_tree& tree) {
  std::vector<std::string> found;
  for (const auto& [path, text] : tree) {
    if (path == the_reader || readers_of_system_files.contains(path)) continue;
    for (const std::string_view name : other_ways)
      if (calls(text, name)) found.push_back(path + ": " + std::string(name));
  }
  return found;
}

TEST(number_readers, are_one_for_what_people_write) {
  const auto tree = read_tree(NEARFORK_SOURCE_DIR, {"include", "src", "workloads", "tools", "bench/compare"});
  ASSERT_TRUE(tree.contains(the_reader)) << "the test looks in the wrong place";
  EXPECT_THAT(ways_around(tree), testing::IsEmpty());
  for (const std::string& one : readers_of_system_files) EXPECT_TRUE(tree.contains(one)) << one;
}

TEST(number_readers, that_go_another_way_are_found) {
  for (const char* const line : {"std::stoull(text)", "atoi (text)", "std::strtoul(text, nullptr, 10)",
                                 "check(CLI::Range(1, 2))", "add_option()->delimiter(',')", "std::from_chars(a, b, c)"})
    EXPECT_THAT(ways_around({{"tools/new.cpp", line}}), testing::SizeIs(1)) << line;
  EXPECT_THAT(ways_around({{"tools/new.cpp", "parse_number(text); restore(1); // stood"}}), testing::IsEmpty());
}

}  // namespace
