// What distinguishes auto from LAWS while a subtree drains: cores that would idle start the domain's next one.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include <nearfork/nearfork.hpp>

namespace {

using namespace nearfork;

constexpr std::uint64_t mib = std::uint64_t{1} << 20;

/// Two domains of two workers, each with a cache for one quarter of 4 MiB.
config settings_for_quarters() {
  config settings;
  settings.policy = "auto";
  settings.machine = "package:2 [numa] l3:1(size=1MiB) core:2 pu:1";
  settings.workers = 4;
  settings.pin = pinning::off;
  return settings;
}

/// Two tasks that end only when both have started.
struct meeting {
  std::atomic<int> present{0};
  void attend() {
    present.fetch_add(1);
    while (present.load() < 2) std::this_thread::yield();
  }
};

// Each quarter is a subtree of its own; those of one domain wait for each other.
TEST(auto_policy_on_threads, starts_the_next_subtree_where_cores_would_idle) {
  runtime on(settings_for_quarters());
  constexpr int iterations = 40;
  for (int i = 0; i < iterations; ++i)
    on.run([] {
      region({.name = "quarters", .input_bytes = 4 * mib}, [] {
        meeting first_half;
        meeting second_half;
        const auto half = [](meeting& here) { fork_join([&] { here.attend(); }, [&] { here.attend(); }); };
        fork_join([&] { half(first_half); }, [&] { half(second_half); });
      });
    });
  const region_report about = on.report().regions.at(0);
  EXPECT_EQ(about.iterations, static_cast<std::uint64_t>(iterations));
  EXPECT_GT(about.planned, 0U);
}

}  // namespace
