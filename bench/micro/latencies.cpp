// How long nearfork takes to start, to steal and to wake up: distributions, as text.
#include <nearfork/nearfork.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

#include "machine/model/machine.hpp"

namespace {

using steady = std::chrono::steady_clock;

double microseconds_since(steady::time_point before) {
  return std::chrono::duration<double, std::micro>(steady::now() - before).count();
}

void print(const char* what, std::vector<double> us) {
  if (us.empty()) {
    std::printf("%-44s  none\n", what);
    return;
  }
  std::ranges::sort(us);
  const auto at = [&](double part) { return us[static_cast<std::size_t>(part * static_cast<double>(us.size() - 1))]; };
  std::printf("%-44s  %6zu times, microseconds: min %.2f, median %.2f, p90 %.2f, p99 %.2f, max %.2f\n", what, us.size(),
              us.front(), at(0.5), at(0.9), at(0.99), us.back());
}

nearfork::config with_workers(unsigned workers) {
  nearfork::config settings = nearfork::config::from_environment();
  settings.workers = workers;
  return settings;
}

/// Times from a fork to the stolen child's first instruction, with a thief that is searching already. Also prints the
/// runtime's own record of how long workers without work searched.
void steals(unsigned workers) {
  nearfork::runtime runtime(with_workers(workers));
  std::vector<double> from_fork;
  runtime.run([&] {
    for (int i = 0; i < 20'000; ++i) {
      std::atomic<bool> begun = false;
      double took = 0;
      const unsigned owner = nearfork::this_worker::index();
      const auto forked = steady::now();
      nearfork::fork_join(
          [&] {
            for (int spins = 0; spins < 20'000 && !begun.load(std::memory_order_acquire); ++spins)
              nearfork::detail::seam::pause();
          },
          [&] {
            const double so_far = microseconds_since(forked);
            begun.store(true, std::memory_order_release);
            if (nearfork::this_worker::index() != owner) took = so_far;
          });
      if (took > 0) from_fork.push_back(took);
    }
  });
  print("fork to first instruction of a stolen child", from_fork);
  const nearfork::latency_report searches = runtime.report().steal_latency;
  const auto us = [](std::uint64_t ns) { return static_cast<double>(ns) / 1e3; };
  std::printf("%-44s  %6llu times, microseconds: median %.2f, p99 %.2f, max %.2f\n",
              "out of work to work again, as reported", static_cast<unsigned long long>(searches.count),
              us(searches.median_ns), us(searches.p99_ns), us(searches.highest_ns));
}

/// Times from run() on an outside thread to the call's first instruction on a worker that was parked.
void wake_ups() {
  nearfork::runtime runtime(with_workers(2));
  std::vector<double> parked;
  for (int i = 0; i < 500; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const auto before = steady::now();
    parked.push_back(runtime.run([&] { return microseconds_since(before); }));
  }
  print("run() to first instruction, workers parked", parked);
}

void starts() {
  std::vector<double> starting, stopping;
  for (int i = 0; i < 200; ++i) {
    auto before = steady::now();
    auto runtime = std::make_unique<nearfork::runtime>(with_workers(2));
    starting.push_back(microseconds_since(before));
    before = steady::now();
    runtime.reset();
    stopping.push_back(microseconds_since(before));
  }
  print("start of a runtime with 2 workers", starting);
  print("its stop", stopping);
}

}  // namespace

int main() {
  const auto before = steady::now();
  (void)nearfork::live_machine();
  print("discovery of the machine, once a process", {microseconds_since(before)});
  starts();
  steals(2);
  wake_ups();
}
