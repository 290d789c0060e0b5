#include "runtime/clocks/clock_choice.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <numeric>
#include <set>

namespace {

using namespace nearfork;
using khz_list = std::vector<std::uint32_t>;

clock_unit unit_of(std::vector<std::uint32_t> cores, std::uint32_t normal_khz, std::uint32_t least_khz = 1'060'000,
                   std::uint32_t most_khz = 2'260'000) {
  return {.cores = std::move(cores), .least_khz = least_khz, .normal_khz = normal_khz, .most_khz = most_khz};
}

/// The paper's machine: 16 big cores of 2.0 GHz, 16 little ones of 1.33. Worker i is on core i.
std::vector<clock_unit> units_of_paper() {
  std::vector<clock_unit> units;
  for (std::uint32_t core = 0; core < 32; ++core) units.push_back(unit_of({core}, core < 16 ? 2'000'000 : 1'330'000));
  return units;
}
khz_list workers_on_cores(std::uint32_t count) {
  khz_list cores(count);
  std::iota(cores.begin(), cores.end(), 0U);
  return cores;
}

TEST(clocks_of_the_paper, are_normal_while_all_work) {
  const clock_choice choice(units_of_paper(), workers_on_cores(32));
  const khz_list clocks = choice.clocks([](std::uint32_t) { return false; });
  EXPECT_EQ(clocks.front(), 2'000'000U);
  EXPECT_EQ(clocks.back(), 1'330'000U);
}

TEST(clocks_of_the_paper, rise_by_what_waiting_cores_save) {
  const clock_choice choice(units_of_paper(), workers_on_cores(32));
  const khz_list all_big = choice.clocks([](std::uint32_t worker) { return worker < 16; });
  EXPECT_EQ(all_big.front(), 1'060'000U);
  EXPECT_NEAR(all_big.back() / 1e6, 2.0925, 1e-4);
  const khz_list half_of_big = choice.clocks([](std::uint32_t worker) { return worker < 8; });
  EXPECT_NEAR(half_of_big[8] / 1e6, 2.1736, 1e-4);
  EXPECT_NEAR(half_of_big[16] / 1e6, 1.6658, 1e-4);
}

TEST(clocks_of_the_paper, are_normal_while_all_wait_because_the_program_goes_on_elsewhere) {
  const clock_choice choice(units_of_paper(), workers_on_cores(32));
  const khz_list clocks = choice.clocks([](std::uint32_t) { return true; });
  EXPECT_EQ(clocks.front(), 2'000'000U);
  EXPECT_EQ(clocks.back(), 1'330'000U);
}

TEST(clocks_of_the_paper, are_all_alike_where_they_are_paced) {
  const clock_choice choice(units_of_paper(), workers_on_cores(32), clock_sharing::pacing);
  const khz_list clocks = choice.clocks([](std::uint32_t) { return false; });
  EXPECT_NEAR(clocks.front() / 1e6, 1.7298, 1e-4);
  EXPECT_EQ(clocks.front(), clocks.back());
}

TEST(clock_of_a_unit, is_that_of_its_fastest_wish) {
  const std::vector<clock_unit> units{unit_of({0, 1}, 2'000'000), unit_of({2}, 2'000'000)};
  const clock_choice choice(units, workers_on_cores(3));
  EXPECT_EQ(choice.clocks([](std::uint32_t worker) { return worker == 0; }), (khz_list{2'000'000, 2'000'000}));
  EXPECT_EQ(choice.clocks([](std::uint32_t worker) { return worker < 2; }).front(), 1'060'000U);
}

TEST(clock_of_a_unit, that_others_share_is_never_below_normal) {
  std::vector<clock_unit> units{unit_of({0}, 2'000'000), unit_of({1}, 2'000'000)};
  units[0].is_shared = true;
  const clock_choice choice(units, workers_on_cores(2));
  EXPECT_GE(choice.clocks([](std::uint32_t) { return true; }).front(), 2'000'000U);
}

TEST(clock_of_a_unit, with_several_workers_on_a_core_falls_when_all_wait) {
  const clock_choice choice(std::vector<clock_unit>{unit_of({0}, 2'000'000), unit_of({1}, 2'000'000)},
                            khz_list{0, 0, 1});
  EXPECT_GE(choice.clocks([](std::uint32_t worker) { return worker == 0; }).front(), 2'000'000U);
  EXPECT_EQ(choice.clocks([](std::uint32_t worker) { return worker < 2; }).front(), 1'060'000U);
}

TEST(clocks_of_a_goal, are_those_of_the_step_and_no_higher) {
  const clock_choice choice(units_of_paper(), workers_on_cores(32));
  EXPECT_EQ(choice.least(), 8) << "1.06 of 2.0 GHz";
  const khz_list clocks = choice.clocks([](std::uint32_t worker) { return worker == 1; }, 12);
  EXPECT_EQ(clocks[0], 1'500'000U);
  EXPECT_EQ(clocks[1], 1'060'000U) << "waits";
  EXPECT_EQ(clocks[16], 1'060'000U) << "0.75 of 1.33 GHz is less than it can have";
  const khz_list idle = choice.clocks([](std::uint32_t) { return true; }, 12);
  EXPECT_EQ(idle[0], 2'000'000U) << "the program does something else";
}

double cubed_ghz(std::uint32_t khz) {
  const double ghz = khz / 1e6;
  return ghz * ghz * ghz;
}

RC_GTEST_PROP(clocks_of_any_machine, keep_to_the_budget_and_the_bounds, ()) {
  std::vector<clock_unit> units;
  std::uint32_t cores = 0;
  const auto count = *rc::gen::inRange<std::uint32_t>(1, 9);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto least = *rc::gen::inRange<std::uint32_t>(400'000, 1'500'000);
    const auto normal = least + *rc::gen::inRange<std::uint32_t>(0, 2'000'000);
    clock_unit unit = unit_of({}, normal, least, normal + *rc::gen::inRange<std::uint32_t>(0, 1'500'000));
    for (auto more = *rc::gen::inRange(1, 4); more > 0; --more) unit.cores.push_back(cores++);
    units.push_back(unit);
  }
  const auto waiting = *rc::gen::container<std::vector<bool>>(cores, rc::gen::arbitrary<bool>());
  const clock_choice choice(units, workers_on_cores(cores));
  const auto step = *rc::gen::inRange<clock_step>(1, normal_step + 1);
  const khz_list clocks = choice.clocks([&](std::uint32_t worker) { return waiting[worker]; }, step);
  double budget = 0;
  double power = 0;
  for (std::size_t i = 0; i < units.size(); ++i) {
    RC_ASSERT(clocks[i] >= units[i].least_khz);
    RC_ASSERT(clocks[i] <= units[i].most_khz);
    budget += static_cast<double>(units[i].cores.size()) * cubed_ghz(units[i].normal_khz);
    power += static_cast<double>(units[i].cores.size()) * cubed_ghz(clocks[i]);
  }
  RC_ASSERT(power <= budget + 1e-5);
}

}  // namespace
