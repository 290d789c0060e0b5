// Shared by tests of how a process ends: each case runs in a process of its own, which is killed if it hangs.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include <nearfork/nearfork.hpp>

namespace nearfork::test {

/// The statement of a death test runs in a fresh process. A hang ends with SIGALRM, which is not the expected status.
inline void begin() {
  ::setenv("NEARFORK_WORKERS", "2", 1);
  ::setenv("NEARFORK_PIN", "off", 1);
  ::alarm(60);
}

inline int sum_to(int end) {
  return nearfork::parallel_reduce(0, end, 0, [](int i) { return i; }, [](int a, int b) { return a + b; });
}

/// Runs f on a detached thread, which still runs when the process ends. Returns once f has called its argument.
template <class F>
inline void in_background(F f) {
  std::atomic<bool> begun{false};
  std::thread([f, &begun] { f([&] { begun.store(true); }); }).detach();
  while (!begun.load()) std::this_thread::yield();
}

inline void keep_a_worker_busy() {
  in_background([](auto started) {
    nearfork::run([&] {
      started();
      for (;;) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
  });
}

/// Prints to stderr what a parallel loop gives while static objects are destroyed or handlers run.
inline void compute_at_exit() {
  try {
    std::fprintf(stderr, "sum %d at the end\n", sum_to(1001));
  } catch (const nearfork::error& refused) {
    std::fprintf(stderr, "refused at the end: %s\n", refused.what());
  }
}
struct computes_when_destroyed {
  ~computes_when_destroyed() { compute_at_exit(); }
};
inline constexpr const char* either = "sum 500500 at the end|refused at the end: nearfork: .*";

class process_end_test : public testing::Test {
 protected:
  process_end_test() {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    // The test and the process that runs its statement use the same path.
    const auto* const info = testing::UnitTest::GetInstance()->current_test_info();
    folder = std::filesystem::temp_directory_path() /
             ("nearfork-process-end-" + std::string(info->name()) + "-" + std::to_string(::getuid()));
    if (testing::internal::InDeathTestChild()) return;
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
  }
  ~process_end_test() override {
    if (!testing::internal::InDeathTestChild()) std::filesystem::remove_all(folder);
  }
  [[nodiscard]] std::string path(const char* name) const { return (folder / name).string(); }
  [[nodiscard]] std::string content(const char* name) const {
    std::ifstream file(folder / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::filesystem::path folder;
};
using process_end_death_test = process_end_test;

}  // namespace nearfork::test
