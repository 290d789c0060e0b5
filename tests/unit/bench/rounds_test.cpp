#include "tools/bench/rounds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "tools/bench/conditions.hpp"
#include "tools/bench/statistics.hpp"
#include "tools/load/processor_use.hpp"

namespace nearfork::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class counting_problem : public workloads::instance {
 public:
  void reset() override {
    answer = 0;
    ++resets;
  }
  void run_serial() override { answer = 1; }
  void run_nearfork() override { answer = 1; }
  [[nodiscard]] std::string fault() const override { return answer == 1 ? "" : "the answer is not 1"; }
  void corrupt(std::uint64_t) override { answer = 2; }
  int answer = 0;
  int resets = 0;
};

/// A clock that a contender moves by hand.
struct fake_world {
  std::uint64_t now = 1000;
  [[nodiscard]] bench_surroundings surroundings() {
    return {[this] { return now; }, [] {}, [](const bench_progress&) {}};
  }
  [[nodiscard]] bench_contender taking(std::string name, std::uint64_t ns, int runs_that_are_wrong = 0) {
    return {name, name, 2, [this, ns, wrong = runs_that_are_wrong](workloads::instance& problem) mutable {
              now += ns;
              problem.run_serial();
              if (wrong-- > 0) problem.corrupt(0);
            }};
  }
};

TEST(rounds, time_each_contender_apart_and_drop_the_warm_up) {
  fake_world world;
  counting_problem problem;
  const auto results = run_rounds(problem, {world.taking("serial", 30), world.taking("a", 10)}, {.repetitions = 3},
                                  world.surroundings());
  EXPECT_THAT(results[0].times_ns, ElementsAre(30, 30, 30));
  EXPECT_THAT(results[1].times_ns, ElementsAre(10, 10, 10));
  EXPECT_EQ(results[0].wrong + results[1].wrong, 0U);
  EXPECT_EQ(problem.resets, 8);
}

TEST(rounds, find_wrong_answers_in_the_warm_up_too_and_give_them_no_time) {
  fake_world world;
  counting_problem problem;
  const auto results =
      run_rounds(problem, {world.taking("a", 10, 2), world.taking("b", 5)}, {.repetitions = 3}, world.surroundings());
  EXPECT_EQ(results[0].wrong, 2U);
  EXPECT_EQ(results[0].first_fault, "the answer is not 1");
  EXPECT_THAT(results[0].times_ns, ElementsAre(10, 10));
  EXPECT_EQ(results[1].wrong, 0U);
}

TEST(rounds, count_an_exception_as_wrong_and_go_on) {
  fake_world world;
  counting_problem problem;
  const bench_contender thrower{"a", "a", 1, [](workloads::instance&) { throw std::runtime_error("no"); }};
  const auto results = run_rounds(problem, {thrower, world.taking("b", 5)}, {.repetitions = 2}, world.surroundings());
  EXPECT_EQ(results[0].wrong, 3U);
  EXPECT_THAT(results[0].first_fault, HasSubstr("no"));
  EXPECT_THAT(results[0].times_ns, IsEmpty());
  EXPECT_THAT(results[1].times_ns, ElementsAre(5, 5));
}

workload_result two_contenders() {
  workload_result made{.name = "heat", .description = "five-point", .size = "rows=3 columns=4", .bytes = 1 << 20};
  made.contenders = {{.name = "serial", .label = "serial", .workers = 1, .times_ns = {4'000'000, 4'000'000, 4'000'000}},
                     {.name = "nearfork random",
                      .label = "nearfork random",
                      .workers = 2,
                      .times_ns = {2'000'000, 1'000'000, 2'000'000}},
                     {.name = "tbb",
                      .label = "a label that is much too long for its column",
                      .workers = 4096,
                      .times_ns = {999'999'999'999}}};
  return made;
}

TEST(results, table_has_ratios_and_fits_in_100_columns) {
  std::istringstream lines(table_text(two_contenders()));
  std::string line;
  std::string nearfork_line;
  while (std::getline(lines, line)) {
    EXPECT_LE(line.size(), 100U) << line;
    if (line.find("nearfork random") != line.npos && nearfork_line.empty()) nearfork_line = line;
  }
  EXPECT_THAT(nearfork_line, HasSubstr("2.00 ms"));
  EXPECT_THAT(nearfork_line, HasSubstr("2.000    1.000  right"));
}

TEST(results, warn_of_wrong_answers_noise_and_disturbance) {
  auto shown = two_contenders();
  EXPECT_THAT(warnings_of(shown), IsEmpty());
  shown.contenders[0].times_ns = {10, 20, 30};
  shown.contenders[1].wrong = 2;
  shown.contenders[1].first_fault = "cell 3";
  shown.cores_used_by_others = 1.5;
  EXPECT_THAT(warnings_of(shown), ElementsAre(HasSubstr("1.5 cores"), HasSubstr("noisy, serial"), HasSubstr("cell 3")));
  EXPECT_THAT(table_text(shown), HasSubstr("WRONG"));
  EXPECT_TRUE(any_wrong({.conditions = {}, .workloads = {shown}}));
  EXPECT_FALSE(any_wrong({.conditions = {}, .workloads = {two_contenders()}}));
}

TEST(results, json_and_csv_hold_what_the_table_shows) {
  const bench_result result{.conditions = {}, .workloads = {two_contenders()}};
  const auto parsed = nlohmann::json::parse(json_text(result));
  EXPECT_EQ(parsed["version"], 1);
  const auto& nearfork_part = parsed["workloads"][0]["contenders"][1];
  EXPECT_EQ(nearfork_part["times_ns"], (std::vector<std::uint64_t>{2'000'000, 1'000'000, 2'000'000}));
  EXPECT_EQ(nearfork_part["speed_to_serial"], 2.0);
  EXPECT_THAT(csv_text(result), HasSubstr("\nheat,rows=3 columns=4,nearfork random,2,3,2000000,0,1000000,2000000,0\n"));
}

TEST(conditions, are_read_and_warned_of) {
  EXPECT_EQ(busy_ticks("cpu  1 2 4 1000 500 8 16 32 9 9\ncpu0 1\n"), 63U);
  EXPECT_EQ(busy_ticks("cpu  1 2"), std::nullopt);
  EXPECT_EQ(busy_ticks(""), std::nullopt);
  EXPECT_DOUBLE_EQ(cores_used_by_others({10, 5}, {20, 9}, 4), 1.5);
  EXPECT_DOUBLE_EQ(cores_used_by_others({10, 5}, {10, 9}, 4), 0);
  EXPECT_EQ(disturbance_text(std::nullopt), "");
  EXPECT_EQ(disturbance_text(0.05), "");
  EXPECT_EQ(disturbance_text(1.5), "disturbed: other processes kept 1.5 cores busy meanwhile");
  EXPECT_THAT(condition_warnings(
                  {.governor = {}, .most_workers = 2, .cores = 2, .trustworthy_build = true, .missing_contenders = {}}),
              IsEmpty());
  EXPECT_THAT(
      condition_warnings({.governor = "powersave",
                          .most_workers = 8,
                          .cores = 2,
                          .trustworthy_build = false,
                          .missing_contenders = {"tbb"}}),
      ElementsAre(HasSubstr("8 workers share 2"), HasSubstr("powersave"), HasSubstr("release"), HasSubstr("tbb")));
}

// make bench runs contenders as child processes. Their time must not count as that of other programs.
TEST(conditions, a_child_that_was_waited_for_counts_as_own_use) {
  const auto before = read_processor_use();
  if (!before) GTEST_SKIP() << "the system does not say how long its cores were busy";
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const std::clock_t begin = std::clock();
    while (std::clock() - begin < CLOCKS_PER_SEC / 20) continue;
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_GE(read_processor_use()->own_s - before->own_s, 0.04);
}

TEST(progress, says_who_runs_and_how_long_it_will_take) {
  const std::string who = "oneTBB";
  EXPECT_EQ(progress_text("heat", {0, 50, who}, 0), "heat: run 1 of 50, oneTBB");
  EXPECT_EQ(progress_text("heat", {10, 50, who}, 2), "heat: run 11 of 50, oneTBB, about 8 s left");
}

}  // namespace
}  // namespace nearfork::tools
