// Workers that look for work count as awake. The system may run something else on their cores meanwhile: then the
// others come for the work.
#include <gtest/gtest.h>

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using namespace std::chrono_literals;

/// Threads that a signal holds, as if the system ran something else in their stead.
std::atomic<int> held{0};
std::atomic<bool> are_held{false};

void hold(int) {
  held.fetch_add(1);
  while (are_held.load()) {
  }
  held.fetch_sub(1);
}

template <class Condition>
[[nodiscard]] bool comes_true(const Condition& condition) {
  const auto until = std::chrono::steady_clock::now() + 20s;
  while (!condition())
    if (std::chrono::steady_clock::now() > until) return false;
    else std::this_thread::sleep_for(100us);
  return true;
}

/// Two tasks that wait for each other.
[[nodiscard]] bool two_meet(nearfork::runtime& runtime) {
  std::atomic<int> here{0};
  std::atomic<int> met{0};
  const auto meet = [&] {
    here.fetch_add(1);
    met += comes_true([&] { return here.load() == 2; }) ? 1 : 0;
  };
  runtime.run([&] { nearfork::fork_join(meet, meet); });
  return met.load() == 2;
}

/// Whether the system runs a thread of this process, or would if it had a core.
[[nodiscard]] bool runs(int thread) {
  std::ifstream told("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string line;
  std::getline(told, line);
  const std::size_t name_ends = line.rfind(')');
  return name_ends != std::string::npos && line.substr(name_ends).starts_with(") R");
}

TEST(stopped_searchers, do_not_keep_the_others_asleep) {
  constexpr unsigned count = 8;
  nearfork::config settings = nearfork::test::with_workers(count);
  settings.spin_us = 10'000;  // time enough to find who searches
  nearfork::runtime runtime(settings);
  std::vector<int> threads(count);
  std::atomic<unsigned> came{0};
  nearfork::task_group all(runtime);
  for (unsigned i = 0; i < count; ++i)
    all.spawn([&] {
      threads[nearfork::this_worker::index()] = static_cast<int>(syscall(SYS_gettid));
      came.fetch_add(1);
      EXPECT_TRUE(comes_true([&] { return came.load() == count; }));
    });
  ASSERT_TRUE(comes_true([&] { return came.load() == count; }));
  all.sync();

  struct sigaction holds{};
  struct sigaction before{};
  holds.sa_handler = &hold;
  ASSERT_EQ(sigaction(SIGUSR2, &holds, &before), 0);
  are_held = true;
  std::vector<int> searching;
  for (int tries = 0; tries < 1000 && (searching.empty() || searching.size() > count / 2); ++tries) {
    runtime.run([] { nearfork::parallel_for(0, 1000, [](int) {}); });
    std::this_thread::sleep_for(2ms);  // some sleep now, because enough others search
    searching.clear();
    std::ranges::copy_if(threads, std::back_inserter(searching), runs);
  }
  ASSERT_FALSE(searching.empty());
  for (const int thread : searching) EXPECT_EQ(syscall(SYS_tgkill, getpid(), thread, SIGUSR2), 0);
  EXPECT_TRUE(comes_true([&] { return held.load() == static_cast<int>(searching.size()); }));
  EXPECT_TRUE(two_meet(runtime));
  are_held = false;
  EXPECT_TRUE(comes_true([] { return held.load() == 0; }));
  sigaction(SIGUSR2, &before, nullptr);
}

}  // namespace
