// Slices whose pace changes, worked out by hand.
#include "sim/cores/core_pace.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include <nearfork/config.hpp>
#include <nearfork/error.hpp>

#include "unit/sim/machine/hand_models.hpp"

namespace nearfork::sim {
namespace {

constexpr core_id only{0};

/// One core of four hardware threads, a worker on each. Two or more together compute 1.25 times as much as one; eight
/// misses overlap. The clock is 2000 MHz.
struct four_threads {
  static machine_model model_of_core(const machine& where) {
    machine_model made = round_model(where);
    made.kinds[0].smt_speedup = 1.25;
    made.kinds[0].memory_level_parallelism = 8;
    made.kinds[0].mhz = 2000;
    return made;
  }
  std::uint64_t slice(std::uint32_t worker, std::uint64_t now_ps, const slice_cost& cost, std::uint64_t served_ps = 0) {
    return pace.begin_slice(worker, now_ps, cost, served_ps);
  }
  /// Where the end of the one slice that has moved is now.
  std::uint64_t only_move() {
    const std::vector<moved_end> all = pace.take_moved();
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? 0 : all.front().end_ps;
  }
  std::uint64_t busy_ps() {
    std::uint64_t sum = 0;
    for (const core_work& one : pace.take_work()) sum += one.busy_ps;
    return sum;
  }
  std::shared_ptr<const machine> where = load_machine("package:1 [numa] l2:1(size=1MiB) core:1 pu:4");
  std::vector<worker_place> places = place_workers(*where, 4);
  core_pace pace{*where, model_of_core(*where), places};
};

TEST(core_pace, one_busy_thread_has_the_core_to_itself) {
  four_threads at;
  at.pace.begin_work(0, 0);
  EXPECT_EQ(at.slice(0, 100, {.compute_ps = 1000, .private_ps = 20, .memory_ps = 300}), 100U + 1320);
  EXPECT_EQ(at.slice(0, 2000, {.compute_ps = 1000}, 5000), 5000U) << "memory is later";
  EXPECT_FALSE(at.pace.has_moved());
}

// Two threads compute 1.25 times as much as one, so each takes 1.6 times as long. Each has half of the miss buffers.
TEST(core_pace, busy_threads_share_issue_and_misses) {
  four_threads at;
  at.pace.begin_work(0, 0);
  at.pace.begin_work(1, 0);
  EXPECT_EQ(at.slice(0, 0, {.compute_ps = 1000}), 1600U);
  EXPECT_EQ(at.slice(1, 0, {.memory_ps = 1000}), 2000U);
  EXPECT_EQ(at.slice(0, 1600, {.private_ps = 1000}), 1600U + 2000);
  at.pace.begin_work(2, 2000);
  at.pace.begin_work(3, 2000);
  EXPECT_EQ(at.slice(1, 4000, {.compute_ps = 1000, .memory_ps = 1000}), 4000U + 3200 + 4000);
}

TEST(core_pace, chains_of_several_threads_do_not_hold_each_other_up) {
  four_threads at;
  for (std::uint32_t worker = 0; worker < 4; ++worker) {
    at.pace.begin_work(worker, 0);
    EXPECT_EQ(at.slice(worker, 0, {.private_chained_ps = 100, .memory_chained_ps = 1000}), 1100U) << worker;
  }
}

TEST(core_pace, an_access_takes_no_longer_than_one_that_overlaps_with_none) {
  const auto where = load_machine("package:1 [numa] l2:1(size=1MiB) core:1 pu:4");
  machine_model model = round_model(*where);
  model.kinds[0].memory_level_parallelism = 2;
  core_pace pace(*where, model, place_workers(*where, 4));
  for (std::uint32_t worker = 0; worker < 4; ++worker) pace.begin_work(worker, 0);
  EXPECT_EQ(pace.begin_slice(0, 0, {.memory_ps = 1000}, 0), 2000U);
}

// Worker 0 has done 400 of 1000 when worker 1 comes: the other 600 take 960. Worker 1 leaves at 880, halfway.
TEST(core_pace, the_rest_of_a_slice_goes_at_the_new_share) {
  four_threads at;
  at.pace.begin_work(0, 0);
  EXPECT_EQ(at.slice(0, 0, {.compute_ps = 1000}), 1000U);
  at.pace.begin_work(1, 400);
  EXPECT_EQ(at.only_move(), 400U + 960);
  at.pace.end_work(1, 880);
  EXPECT_EQ(at.only_move(), 880U + 300);
  EXPECT_EQ(at.busy_ps(), 1180U);
}

// A slice that is over, or that memory holds up anyway, does not move.
TEST(core_pace, moves_only_what_is_being_done) {
  four_threads at;
  at.pace.begin_work(0, 0);
  (void)at.slice(0, 0, {.compute_ps = 1000});
  at.pace.begin_work(1, 1000);
  EXPECT_FALSE(at.pace.has_moved());
  at.pace.end_work(1, 1000);
  (void)at.slice(0, 1000, {.compute_ps = 1000}, 9000);
  at.pace.begin_work(1, 1500);
  EXPECT_FALSE(at.pace.has_moved()) << "800 more until 2300, and memory is done at 9000";
}

// 500 of 1000 are done at 2000 MHz when the clock halves. Hits in private caches go with it, memory does not.
TEST(core_pace, the_rest_of_a_slice_goes_at_the_new_clock) {
  four_threads at;
  at.pace.begin_work(0, 0);
  EXPECT_EQ(at.slice(0, 0, {.compute_ps = 400, .private_ps = 100, .memory_ps = 500}), 1000U);
  at.pace.set_clock(only, 1000, 500);
  EXPECT_EQ(at.only_move(), 500U + 2 * 250 + 250);
  at.pace.set_clock(only, 4000, 875);
  EXPECT_EQ(at.only_move(), 875U + 188) << "half of the rest is left: a quarter of the slice, 62.5 and 125";
  EXPECT_EQ(at.slice(0, 2000, {.compute_ps = 400, .memory_ps = 500}), 2000U + 200 + 500);
}

TEST(core_pace, tells_work_by_clock) {
  four_threads at;
  at.pace.begin_work(0, 0);
  (void)at.slice(0, 0, {.compute_ps = 1000});
  at.pace.set_clock(only, 1000, 250);
  const std::vector<core_work> done = at.pace.take_work();
  ASSERT_EQ(done.size(), 2U);
  EXPECT_EQ(done[0].mhz, 2000U);
  EXPECT_EQ(done[0].busy_ps, 250U);
  EXPECT_EQ(done[1].mhz, 1000U);
  EXPECT_EQ(done[1].busy_ps, 1500U);
}

// The core works from 0 to 1000 and from 2000 to 3200, whichever of its threads do.
TEST(core_pace, a_core_works_while_any_of_its_threads_does) {
  four_threads at;
  at.pace.begin_work(0, 0);
  at.pace.begin_work(1, 0);
  (void)at.slice(0, 0, {.memory_chained_ps = 1000});
  (void)at.slice(1, 500, {.memory_chained_ps = 400});
  (void)at.slice(0, 2000, {.memory_chained_ps = 1000});
  (void)at.slice(1, 2200, {.memory_chained_ps = 1000});
  EXPECT_EQ(at.busy_ps(), 2200U);
}

TEST(core_pace, refuses_what_is_no_clock) {
  four_threads at;
  EXPECT_THROW(at.pace.set_clock(only, 0, 0), error);
  EXPECT_THROW(at.pace.set_clock(only, 1, 0), error);
  EXPECT_THROW(at.pace.set_clock(only, 3'000'000, 0), error);
  EXPECT_THROW(at.pace.set_clock(core_id{1}, 2000, 0), error);
  EXPECT_EQ(at.pace.mhz_of(only), 2000U);
}

// Whatever changes in between, a slice takes at least what it would at the best pace, and at most what at the worst.
RC_GTEST_PROP(core_pace, a_slice_ends_between_the_fastest_and_the_slowest, ()) {
  four_threads at;
  const auto part = [] { return *rc::gen::inRange<std::uint64_t>(0, 1'000'000); };
  const slice_cost cost{part(), part(), part(), part(), part()};
  at.pace.begin_work(0, 0);
  std::uint64_t end_ps = at.slice(0, 0, cost);
  const std::uint64_t alone_ps = end_ps;
  std::uint64_t now_ps = 0;
  for (const auto choice : *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange(0U, 8U))) {
    now_ps += *rc::gen::inRange<std::uint64_t>(0, 300'000);
    if (choice == 7) at.pace.set_clock(only, *rc::gen::inRange(1000U, 4001U), now_ps);
    else if (choice % 2 == 0) at.pace.begin_work(1 + choice / 2 % 3, now_ps);
    else at.pace.end_work(1 + choice / 2 % 3, now_ps);
    for (const moved_end& one : at.pace.take_moved()) {
      RC_ASSERT(one.worker == 0U);
      RC_ASSERT(one.was_ps == end_ps);
      end_ps = one.end_ps;
    }
  }
  RC_ASSERT(end_ps + 10 >= alone_ps / 2);
  RC_ASSERT(end_ps <= 2 * 4 * alone_ps + 10);
  RC_ASSERT(at.busy_ps() == end_ps);
}

}  // namespace
}  // namespace nearfork::sim
