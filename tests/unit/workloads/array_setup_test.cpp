// Workloads that take array rules are right whoever writes their arrays first, and wherever these lie.
#include <gtest/gtest.h>

#include <algorithm>

#include <nearfork/nearfork.hpp>

#include "workloads/buffer.hpp"
#include "workloads/contenders/contenders.hpp"
#include "workloads/workload.hpp"

namespace nearfork::workloads {
namespace {

std::vector<workload> with_arrays() {
  std::vector<workload> found;
  std::ranges::copy_if(all_workloads(), std::back_inserter(found), &workload::takes_arrays);
  return found;
}

class array_setups : public testing::TestWithParam<workload> {};
INSTANTIATE_TEST_SUITE_P(all, array_setups, testing::ValuesIn(with_arrays()), [](const auto& tested) {
  std::string name(tested.param.name);
  std::ranges::replace(name, '-', '_');
  return name;
});

config with_two_workers() {
  config settings;
  settings.workers = 2;
  settings.pin = pinning::off;
  return settings;
}

std::vector<array_rules> all_rules() {
  std::vector<array_rules> made;
  for (const array_setup setup : {array_setup::serial, array_setup::parallel}) {
    made.push_back({.placed = std::nullopt, .setup = setup});
    made.push_back({.placed = memory_options{}, .setup = setup});
    made.push_back({.placed = memory_options{.where = placing::interleaved()}, .setup = setup});
  }
  return made;
}

TEST_P(array_setups, give_right_answers_again_and_again) {
  runtime crew(with_two_workers());
  for (const array_rules& rules : all_rules()) {
    const auto problem =
        prepare(GetParam(), GetParam().sizes.named_values("test"), {.seed = 7, .arrays = rules, .graph = {}});
    for (int times = 0; times < 2; ++times) {
      crew.run([&] { problem->reset_nearfork(); });
      EXPECT_NE(problem->fault(), "") << "an old answer must not pass for a new one";
      crew.run([&] { problem->run_nearfork(); });
      EXPECT_EQ(problem->fault(), "");
    }
    for (const contender& other : contenders_of(GetParam().name)) {
      other.reset(*problem, 3);
      EXPECT_NE(problem->fault(), "") << other.label;
      other.run(*problem, 3);
      EXPECT_EQ(problem->fault(), "") << other.label;
    }
  }
}

TEST_P(array_setups, are_regions_of_their_own_if_tasks_set_up) {
  for (const array_setup setup : {array_setup::serial, array_setup::parallel}) {
    const auto problem = prepare(GetParam(), GetParam().sizes.named_values("test"),
                                 {.arrays = {.placed = std::nullopt, .setup = setup}, .graph = {}});
    runtime crew(with_two_workers());
    crew.run([&] { problem->reset_nearfork(); });
    const run_report report = crew.report();
    if (setup == array_setup::serial) {
      EXPECT_TRUE(report.regions.empty());
      continue;
    }
    ASSERT_EQ(report.regions.size(), 1U);
    EXPECT_EQ(report.regions.front().name, GetParam().name + " setup");
  }
}

TEST(buffers, swap_and_hold_what_they_should_of_either_memory) {
  for (const array_rules& rules : all_rules()) {
    buffer<double> one(100'000, rules);
    buffer<double> other(3, rules);
    std::ranges::fill(one.all(), 1.0);
    std::ranges::fill(other.all(), 2.0);
    const double* const begin = one.data();
    one.swap(other);
    EXPECT_EQ(one.size(), 3U);
    EXPECT_EQ(other.data(), begin);
    EXPECT_EQ(other.size_bytes(), 800'000U);
    EXPECT_EQ(std::ranges::count(other.all(), 1.0), 100'000);
    other = {};
    EXPECT_EQ(other.size(), 0U);
  }
}

}  // namespace
}  // namespace nearfork::workloads
