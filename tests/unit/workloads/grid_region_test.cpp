// A grid program's iterations are those of one region, which has the program's name.
#include <gtest/gtest.h>

#include <nearfork/runtime.hpp>

#include "workloads/workload.hpp"

namespace nearfork::workloads {
namespace {

class grid_region : public testing::TestWithParam<std::tuple<const char*, std::uint64_t>> {};
INSTANTIATE_TEST_SUITE_P(some, grid_region,
                         testing::Values(std::tuple{"heat", 5}, std::tuple{"sor-ir", 5}, std::tuple{"ge", 66},
                                         std::tuple{"25p-ir", 3}));

TEST_P(grid_region, has_the_workloads_name_and_iterations) {
  const auto& [name, iterations] = GetParam();
  const workload& which = find_workload(name);
  const auto problem = prepare(which, which.sizes.named_values("test"), {.seed = 1});
  config settings;
  settings.workers = 2;
  settings.pin = pinning::off;
  runtime crew(settings);
  crew.run([&] { problem->run_nearfork(); });
  const run_report report = crew.report();
  ASSERT_EQ(report.regions.size(), 1U);
  EXPECT_EQ(report.regions.front().name, name);
  EXPECT_EQ(report.regions.front().iterations, iterations);
}

}  // namespace
}  // namespace nearfork::workloads
