#include "sim/cluster/halo_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include <nearfork/error.hpp>

namespace nearfork::sim {
namespace {

constexpr std::uint64_t us = 1'000'000;  // ps
constexpr network_link link_of_25{25, 3 * us / 2};

/// 1 ms of inside work in all, 2 us of borders and 25 kB of messages for each rank: 1 us on the link.
halo_exchange strong(std::uint32_t ranks) {
  return {ranks, 10, 1000 * us / ranks, 2 * us, 25'000};
}

TEST(halo_run, strong_scaling_is_that_of_the_hand_computation) {
  const std::uint64_t messages = 3 * us / 2 + 2 * us;  // the latency, then both messages through one card
  for (std::uint32_t ranks = 4; ranks <= 1024; ranks *= 2) {
    const halo_exchange what = strong(ranks);
    EXPECT_EQ(run_halo(what, link_of_25, message_waits::blocking).duration_ps,
              10 * (messages + what.inside_ps + what.border_ps))
        << ranks;
    EXPECT_EQ(run_halo(what, link_of_25, message_waits::suspended).duration_ps,
              10 * (std::max(what.inside_ps, messages) + what.border_ps))
        << ranks;
  }
}

TEST(halo_run, one_rank_sends_nothing) {
  EXPECT_EQ(run_halo(strong(1), link_of_25, message_waits::blocking), (halo_report{10 * 1002 * us, 0, 0}));
}

TEST(halo_run, each_message_that_is_sent_is_received) {
  for (const auto how : {message_waits::blocking, message_waits::suspended}) {
    const halo_report report = run_halo(strong(7), link_of_25, how);
    EXPECT_EQ(report.sent, 10 * 2 * 6U);
    EXPECT_EQ(report.received, report.sent);
    EXPECT_EQ(report, run_halo(strong(7), link_of_25, how));
  }
}

TEST(halo_run, a_faster_link_is_never_slower) {
  std::uint64_t before = std::numeric_limits<std::uint64_t>::max();
  for (const double bandwidth : {0.5, 1.0, 3.0, 25.0, 100.0}) {
    const std::uint64_t now = run_halo(strong(64), {bandwidth, us}, message_waits::suspended).duration_ps;
    EXPECT_LE(now, before) << bandwidth;
    before = now;
  }
}

TEST(halo_run, refuses_what_cannot_be) {
  EXPECT_THROW((void)run_halo({0, 1, 1, 1, 1}, link_of_25, message_waits::blocking), error);
  EXPECT_THROW((void)run_halo(strong(2), {0, 1}, message_waits::blocking), error);
  EXPECT_THROW((void)run_halo({2, 1000, ~std::uint64_t{0} / 8, 1, 1}, link_of_25, message_waits::blocking), error);
}

}  // namespace
}  // namespace nearfork::sim
