#include "sim/engine/wait_meter.hpp"

#include <gtest/gtest.h>

#include "unit/plan/crew/layouts.hpp"

namespace nearfork::sim {
namespace {

using list = std::vector<std::uint64_t>;

TEST(wait_meter, adds_up_the_waits_of_a_domains_workers) {
  const worker_layout layout = layout_of({2, 1});
  wait_meter meter(layout);
  EXPECT_EQ(meter.waited_ps(10), (list{20, 10})) << "nobody has work at first";
  for (std::uint32_t worker = 0; worker < 3; ++worker) meter.end(worker, 10);
  EXPECT_EQ(meter.waited_ps(50), (list{20, 10}));
  meter.begin(1, 50);
  meter.begin(1, 60);
  EXPECT_EQ(meter.waited_ps(70), (list{40, 10})) << "it has waited since 50";
  meter.end(1, 80);
  meter.end(1, 90);
  EXPECT_EQ(meter.waited_ps(100), (list{50, 10}));
}

TEST(wait_meter, counts_of_a_wait_what_lies_in_the_iteration) {
  const worker_layout layout = layout_of({1, 1});
  wait_meter meter(layout);
  meter.end(0, 0);
  meter.begin_iteration(100);
  EXPECT_EQ(meter.waited_ps(130), (list{0, 30}));
  meter.end(1, 140);
  EXPECT_EQ(meter.waited_ps(150), (list{0, 40}));
}

}  // namespace
}  // namespace nearfork::sim
