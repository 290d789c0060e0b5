// No memory for stacks: joins wait in place, and everything still ends.
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <atomic>
#include <cstdlib>
#include <fstream>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using namespace nearfork;

/// Leaves no room for even one more stack, which takes 16 MiB of addresses.
void forbid_further_stacks() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlimit now{.rlim_cur = pages * 4096 + (std::size_t{8} << 20), .rlim_max = RLIM_INFINITY};
  if (setrlimit(RLIMIT_AS, &now) != 0) std::exit(3);
}

/// Exits with 0 if `iterations` of a region under `policy` end and run all their bodies.
[[noreturn]] void run_without_stacks(const char* policy) {
  config settings;
  settings.policy = policy;
  settings.machine = "package:2 [numa] l3:1(size=1GiB) core:1 pu:1";
  settings.pin = pinning::off;
  runtime on(settings);
  forbid_further_stacks();
  std::atomic<int> ran{0};
  constexpr int iterations = 20;
  for (int i = 0; i < iterations; ++i)
    on.run([&] {
      region({.name = "large", .input_bytes = std::size_t{8} << 30},
             [&] { parallel_for(0, 512, [&](int) { ran.fetch_add(1); }, {.grain = 8}); });
    });
  std::exit(ran.load() == iterations * 512 ? 0 : 1);
}

TEST(full_memory_death_test, does_not_keep_regions_from_ending) {
  if (test::sanitized) GTEST_SKIP() << "sanitizers need the addresses";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  for (const char* const policy : {"random", "laws", "acab", "auto"})
    EXPECT_EXIT(run_without_stacks(policy), testing::ExitedWithCode(0), "") << policy;
}

}  // namespace
