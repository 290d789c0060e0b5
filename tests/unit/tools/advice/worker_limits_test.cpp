#include "tools/advice/worker_limits.hpp"

#include <gtest/gtest.h>

namespace nearfork::tools {
namespace {

using cause = worker_limit::cause;

report_view run_of(std::uint64_t workers) {
  return {.file = "r.json", .kind = "run report", .workers = workers};
}

TEST(worker_limits, none_if_all_fits) {
  EXPECT_TRUE(worker_limits_of({run_of(4)}, {4, 8, 8, 4.0, {}}).empty());
  EXPECT_TRUE(worker_limits_of({}, {4, 8, 8, 1.0, {}}).empty()) << "no run is known";
}

TEST(worker_limits, a_quota_has_time_for_fewer) {
  const auto made = worker_limits_of({run_of(8)}, {4, 8, 8, 2.4, {}});
  ASSERT_EQ(made.size(), 1U);
  EXPECT_EQ(made[0].why, cause::quota);
  EXPECT_EQ(made[0].run, 8U);
  EXPECT_EQ(made[0].present, 2U);
  EXPECT_EQ(made[0].wanted, 8U);
  const auto many = worker_limits_of({run_of(99)}, {4, 8, 8, 0.3, {}});
  ASSERT_EQ(many.size(), 1U);
  EXPECT_EQ(many[0].present, 1U) << "there is no half worker";
  EXPECT_EQ(many[0].wanted, 8U) << "more than hardware threads cannot be wanted";
}

TEST(worker_limits, more_workers_than_hardware_threads) {
  const auto made = worker_limits_of({run_of(2), run_of(9)}, {4, 8, 8, {}, {}});
  ASSERT_EQ(made.size(), 1U);
  EXPECT_EQ(made[0].why, cause::oversubscription);
  EXPECT_EQ(made[0].run, 9U) << "the first run that has too many";
  EXPECT_EQ(made[0].wanted, 8U);
}

TEST(worker_limits, an_affinity_mask_stands_beside_the_others) {
  const auto made = worker_limits_of({run_of(9)}, {2, 2, 16, {}, {}});
  ASSERT_EQ(made.size(), 2U);
  EXPECT_EQ(made[1].why, cause::affinity);
  EXPECT_EQ(made[1].present, 2U);
  EXPECT_EQ(made[1].wanted, 16U);
  EXPECT_EQ(name_of(made[1].why), "affinity");
}

}  // namespace
}  // namespace nearfork::tools
