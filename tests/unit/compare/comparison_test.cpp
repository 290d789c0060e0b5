#include "bench/compare/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/compare/report.hpp"
#include "bench/compare/targets.hpp"

namespace bench {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr double mib = 1024 * 1024;

entry of(std::string build, std::string contender, unsigned workers, std::vector<double> seconds, unsigned copies = 1) {
  return {.whose = {std::move(build), std::move(contender), workers, copies, {}},
          .seconds = std::move(seconds),
          .operations = 1e6,
          .operation = "fork",
          .peak_bytes = mib,
          .failure = {}};
}

comparison some_fib() {
  comparison made{exhibits()[0], 40, {}};
  made.entries = {of("gcc", "serial", 1, {1, 1, 1}),       of("gcc", "serial", 2, {1, 1, 1.25}, 2),
                  of("clang", "serial", 1, {2, 2, 2}),     of("gcc", "nearfork", 1, {1.2, 1.1, 1.3}),
                  of("gcc", "nearfork", 2, {0.6, 0.7, 1}), of("clang", "nearfork", 1, {3, 3, 3}),
                  of("rust", "rayon", 1, {5, 4, 6})};
  return made;
}

TEST(ratio, is_paired_by_repetition) {
  // The machine was twice as slow in the second repetition. The ratio does not change.
  const ratio r = ratio_of(of("", "a", 1, {2, 4, 2.2}), of("", "b", 1, {1, 2, 1}));
  EXPECT_DOUBLE_EQ(r.median, 2);
  EXPECT_DOUBLE_EQ(r.spread, 0);
  EXPECT_EQ(ratio_of(of("", "a", 1, {}), of("", "b", 1, {})).median, 0);
}

TEST(comparison, finds_the_counterpart_of_the_same_build_first) {
  const comparison fib = some_fib();
  EXPECT_EQ(serial_for(fib, fib.entries[5].whose), &fib.entries[2]);
  EXPECT_EQ(serial_for(fib, fib.entries[6].whose), &fib.entries[0]) << "rust has no serial program";
  EXPECT_EQ(nearfork_for(fib, fib.entries[6].whose), &fib.entries[3]);
  EXPECT_EQ(alone(fib, fib.entries[4].whose), &fib.entries[3]);
  EXPECT_EQ(ceiling_for(fib, fib.entries[4].whose), &fib.entries[1]);
}

TEST(comparison, leaves_out_who_failed) {
  comparison fib = some_fib();
  fib.entries[0].failure = "wrong answer";
  EXPECT_EQ(serial_for(fib, fib.entries[3].whose), &fib.entries[2]);
  EXPECT_THAT(text_table(fib), HasSubstr("wrong answer"));
}

const verdict* about(const std::vector<verdict>& all, std::string_view what) {
  for (const verdict& one : all)
    if (one.target.find(what) != std::string::npos) return &one;
  return nullptr;
}

TEST(targets, are_judged_by_medians_of_ratios) {
  const auto verdicts = judge({some_fib()});
  const verdict* const gcc = about(verdicts, "gcc: at most 1.35x the time of the serial program");
  ASSERT_NE(gcc, nullptr);
  EXPECT_TRUE(gcc->met);
  EXPECT_EQ(gcc->measured, "1.200 +- 0.100");
  const verdict* const clang = about(verdicts, "clang: at most 1.35x the time of the serial program");
  ASSERT_NE(clang, nullptr);
  EXPECT_FALSE(clang->met) << clang->measured;
  const verdict* const rayon = about(verdicts, "gcc: at most 0.3x the time of rayon");
  ASSERT_NE(rayon, nullptr);
  EXPECT_TRUE(rayon->met) << rayon->measured;
  const verdict* const faster = about(verdicts, "gcc: at least 1.9x as fast");
  ASSERT_NE(faster, nullptr);
  EXPECT_FALSE(faster->met) << faster->measured;
  EXPECT_THAT(faster->measured, HasSubstr("independent processes reach 2.00"));
  EXPECT_EQ(about(verdicts, "oneTBB"), nullptr) << "it did not run";
}

TEST(targets, allow_a_mebibyte_and_something_for_each_worker) {
  comparison fib = some_fib();
  fib.entries[4].peak_bytes = 2 * mib + 128 * 1024;
  EXPECT_TRUE(about(judge({fib}), "2 workers, gcc: peak memory")->met);
  fib.entries[4].peak_bytes += 1;
  EXPECT_FALSE(about(judge({fib}), "2 workers, gcc: peak memory")->met);
}

TEST(report, has_a_line_for_everybody_in_every_form) {
  const std::vector<comparison> all = {some_fib()};
  const circumstances around{
      .machine = "a machine", .kernel = "Linux", .when = "today", .repetitions = 3, .latencies = {}};
  const std::string shown = page(all, around);
  EXPECT_THAT(shown, HasSubstr("- Machine: a machine"));
  EXPECT_THAT(shown, HasSubstr("| rayon | rust | 1 |"));
  EXPECT_THAT(shown, HasSubstr("| serial, 2 copies | gcc | 2 |"));
  EXPECT_EQ(shown.find("quick run"), std::string::npos);
  circumstances quick = around;
  quick.quick = true;
  EXPECT_THAT(page(all, quick), HasSubstr("not for conclusions"));
  const nlohmann::json read = data(all, around);
  ASSERT_EQ(read["exhibits"].size(), 1U);
  EXPECT_EQ(read["exhibits"][0]["entries"].size(), 7U);
  EXPECT_EQ(read["exhibits"][0]["entries"][3]["time_to_serial"]["median"], 1.2);
}

class built : public testing::Test {
 protected:
  built() : root_(fs::temp_directory_path() / ("nearfork-compare-" + std::to_string(::getpid()))) {
    for (const char* const name : {"serial", "nearfork", "nearfork_grain_1k", "onetbb"}) put("one", name);
    put("two", "rayon");
    std::ofstream(root_ / "one" / "contenders" / "label") << "GNU 12\n";
  }
  ~built() override { fs::remove_all(root_); }
  void put(const char* build, const char* contender) const {
    const fs::path folder = root_ / build / "contenders" / "fib";
    fs::create_directories(folder);
    std::ofstream(folder / contender) << "program";
  }
  fs::path root_;
};

TEST_F(built, contenders_are_found_by_folder_and_label) {
  const selection wanted{.builds = {root_ / "one", root_ / "two"}, .workers = {1, 2}, .contenders = {}};
  const auto cheap = entrants_for(exhibits()[0], wanted);
  ASSERT_EQ(cheap.size(), 8U) << "oneTBB is left out at this size";
  EXPECT_TRUE(cheap[0].is_serial());
  EXPECT_EQ(cheap[0].build, "GNU 12");
  EXPECT_TRUE(cheap[1].is_ceiling());
  EXPECT_EQ(cheap.back().contender, "rayon");
  EXPECT_EQ(cheap.back().build, "two");
  selection all = wanted;
  all.expensive_ones_too = true;
  EXPECT_EQ(entrants_for(exhibits()[0], all).size(), 10U);
  selection named = wanted;
  named.contenders = {"rayon"};
  EXPECT_EQ(entrants_for(exhibits()[0], named).size(), 4U) << "serial always takes part";
  EXPECT_TRUE(entrants_for(exhibits()[0], {.builds = {"/nowhere"}, .workers = {1}, .contenders = {}}).empty());
}

}  // namespace
}  // namespace bench
