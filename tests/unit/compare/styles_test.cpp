#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <nearfork/error.hpp>

#include "bench/compare/styles/lace.hpp"
#include "bench/compare/styles/times.hpp"

namespace bench {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A folder that is gone after the test.
class scratch_folder {
 public:
  scratch_folder() : path_(fs::temp_directory_path() / ("nearfork-styles-" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  ~scratch_folder() { fs::remove_all(path_); }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  void touch(const fs::path& name) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << "x\n";
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

style_times timed(std::string family, std::string name, std::string flags, std::vector<std::vector<double>> seconds) {
  return {.whose = {std::move(family), std::move(name), "gcc", std::move(flags), {}},
          .seconds = std::move(seconds),
          .forks = 1e6,
          .failure = {}};
}

std::string refusal_of(const auto& act) {
  try {
    act();
  } catch (const nearfork::error& refused) {
    return refused.what();
  }
  return "";
}

TEST(styles, each_start_counts_with_its_least_time) {
  const style_cost cost = seconds_of(timed("plain", "by_value", "O2", {{3, 1}, {2, 9}, {4, 5}}));
  EXPECT_EQ(cost.median, 2);
  EXPECT_EQ(cost.worst, 4);
}

TEST(styles, a_fork_is_what_comes_above_the_serial_program_of_the_same_flags) {
  const auto rows = style_rows({timed("plain", "serial", "O2", {{0.010}, {0.010}, {0.020}}),
                                timed("plain", "serial", "O3", {{1}}), timed("three", "serial", "O2", {{1}}),
                                timed("plain", "by_value", "O2", {{0.012}, {0.011}, {0.013}})});
  EXPECT_FALSE(rows[0].to_serial.has_value());
  EXPECT_NEAR(rows[3].to_serial->median, 1.2, 1e-9);
  EXPECT_NEAR(rows[3].to_serial->worst, 1.3, 1e-9);
  EXPECT_NEAR(rows[3].fork_nanoseconds->median, 2, 1e-9);
  EXPECT_NEAR(rows[3].fork_nanoseconds->worst, 3, 1e-9);
}

TEST(styles, a_page_begins_with_the_dearest) {
  const auto rows = style_rows({timed("plain", "serial", "O2", {{0.010}}), timed("plain", "by_value", "O2", {{0.012}}),
                                timed("plain", "span", "O2", {{0.015}}), timed("plain", "task_group", "O2", {{0.03}}),
                                timed("plain", "lace", "O2", {{0.05}})});
  circumstances around;
  around.machine = "a machine of one core";
  const std::string page = page_of_styles(rows, around, "fib(3)");
  EXPECT_THAT(page, HasSubstr("The dearest style: `task_group` (O2, gcc), 3.00 times"));
  EXPECT_THAT(page, HasSubstr("The dearest with `fork_join`: `span` (O2, gcc), 1.50 times"));
  EXPECT_THAT(page, HasSubstr("a machine of one core"));
  EXPECT_LT(page.find("| span |"), page.find("| by_value |"));
}

TEST(styles, a_wrong_answer_has_no_cost) {
  auto wrong = timed("plain", "by_value", "O2", {{}, {}});
  wrong.failure = "wrong answer";
  const auto rows = style_rows({timed("plain", "serial", "O2", {{1}}), wrong});
  EXPECT_FALSE(rows[1].to_serial.has_value());
  EXPECT_THAT(text_of_styles(rows), HasSubstr("wrong answer"));
}

TEST(styles, are_found_with_their_serial_program) {
  const scratch_folder build;
  for (const char* const name : {"O2/plain/serial/0", "O2/plain/by_value/0", "O2/plain/by_value/16", "O2/span/serial/0",
                                 "O3/plain/by_value/0", "label"})
    build.touch(fs::path("styles") / name);
  const auto found = built_styles({.builds = {build.path()}, .names = {"by_value"}, .flags = {"O2"}});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(found[0].is_serial());
  EXPECT_EQ(found[1].name, "by_value");
  EXPECT_EQ(found[1].programs.size(), 2U);
  EXPECT_EQ(found[1].build, "x");
  EXPECT_THAT(refusal_of([&] { (void)built_styles({{build.path()}, {"by_valu"}, {}}); }),
              HasSubstr("did you mean by_value?"));
  EXPECT_THAT(refusal_of([&] { (void)built_styles({{build.path()}, {}, {"O1"}}); }), HasSubstr("O2, O3"));
}

TEST(styles, a_folder_without_lace_is_refused) {
  const scratch_folder folder;
  EXPECT_THAT(refusal_of([&] { (void)lace_fib(folder.path() / "none"); }), HasSubstr("is not a folder"));
  EXPECT_THAT(refusal_of([&] { (void)lace_fib(folder.path()); }), HasSubstr("build Lace with its benchmarks first"));
  folder.touch("build/benchmarks/fib-lace");
  EXPECT_EQ(lace_fib(folder.path()), folder.path() / "build/benchmarks/fib-lace");
}

TEST(styles, lace_must_give_the_right_answer) {
  EXPECT_EQ(lace_seconds("fib(10) = 55\nTime: 0.250000\n", 10, 55), 0.25);
  EXPECT_THAT(refusal_of([] { (void)lace_seconds("fib(10) = 54\nTime: 0.25\n", 10, 55); }), HasSubstr("is 55"));
  EXPECT_THAT(refusal_of([] { (void)lace_seconds("usage: ...", 10, 55); }), HasSubstr("another version"));
}

}  // namespace
}  // namespace bench
