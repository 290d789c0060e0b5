#include "sim/cores/energy_meter.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>

#include "unit/sim/machine/hand_models.hpp"

namespace nearfork::sim {
namespace {

constexpr std::uint64_t second_ps = 1'000'000'000'000;

/// Two packages of one core each. A core takes 10 W busy and 2 W idle; a package takes 5 W.
machine_model hand_power(const machine& where) {
  machine_model made = round_model(where);
  made.power = power_model{.cores = {{.busy_mw = 10'000, .idle_mw = 2'000}}, .package_mw = 5'000};
  return made;
}

/// At the clocks of the model.
std::array<core_work, 2> did(const machine& where, const machine_model& model, std::uint64_t one_ps,
                             std::uint64_t other_ps) {
  return {core_work{core_id{0}, core_mhz(where, model, core_id{0}), one_ps},
          core_work{core_id{1}, core_mhz(where, model, core_id{1}), other_ps}};
}

TEST(energy_meter, power_grows_with_the_cube_of_the_clock) {
  const core_power nominal{.busy_mw = 10'000, .idle_mw = 2'000};
  EXPECT_EQ(busy_power_mw(nominal, 2'000, 2'000), 10'000U);
  EXPECT_EQ(busy_power_mw(nominal, 2'000, 1'000), 2'000U + 8'000 / 8);
  EXPECT_EQ(busy_power_mw(nominal, 2'000, 4'000), 2'000U + 8'000 * 8);
}

// In one second core 0 works for 0.25 s, core 1 not at all: 2 * 5 J + 0.25 * 10 J + 0.75 * 2 J + 2 J.
TEST(energy_meter, sums_cores_and_packages) {
  const machine where = machine_of(2, 1);
  const energy_meter meter(where, hand_power(where));
  EXPECT_EQ(meter.used_nj(second_ps, did(where, hand_power(where), second_ps / 4, 0)), 16'000'000'000U);
}

// At half the clock the power beyond idle is an eighth: 3 W instead of 10 W.
TEST(energy_meter, goes_by_the_clock_of_each_core) {
  const machine where = machine_of(2, 1);
  machine_model model = hand_power(where);
  model.core_mhz = {model.kinds[0].mhz / 2, model.kinds[0].mhz};
  const energy_meter meter(where, model);
  EXPECT_EQ(meter.used_nj(second_ps, did(where, model, second_ps, second_ps)), (10 + 3 + 10) * 1'000'000'000ULL);
}

// Half a second at twice the clock, half a second at the model's: 2 + 8 * 8 W and 10 W. The other core is idle.
TEST(energy_meter, goes_by_the_clocks_that_a_core_had) {
  const machine where = machine_of(2, 1);
  const machine_model model = hand_power(where);
  const std::uint32_t mhz = model.kinds[0].mhz;
  const std::array<core_work, 2> done{core_work{core_id{0}, 2 * mhz, second_ps / 2},
                                      core_work{core_id{0}, mhz, second_ps / 2}};
  EXPECT_EQ(energy_meter(where, model).used_nj(second_ps, done), (33 + 5 + 2 + 10) * 1'000'000'000ULL);
}

TEST(energy_meter, says_nothing_where_no_power_is_known) {
  const machine where = machine_of(2, 1);
  EXPECT_EQ(energy_meter(where, round_model(where)).used_nj(1, {}), std::nullopt);
}

RC_GTEST_PROP(energy_meter, more_work_and_more_time_use_no_less, ()) {
  const machine where = machine_of(2, 1);
  const energy_meter meter(where, hand_power(where));
  const auto duration = *rc::gen::inRange<std::uint64_t>(1, second_ps);
  const auto busy = *rc::gen::inRange<std::uint64_t>(0, duration);
  const auto less = *rc::gen::inRange<std::uint64_t>(0, busy + 1);
  const auto used = [&](std::uint64_t time, std::uint64_t one) {
    return *meter.used_nj(time, did(where, hand_power(where), one, 0));
  };
  RC_ASSERT(used(duration, less) <= used(duration, busy));
  RC_ASSERT(used(duration, busy) <= used(duration + second_ps, busy));
}

}  // namespace
}  // namespace nearfork::sim
