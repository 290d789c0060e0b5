// Runtimes, regions under policies, recordings, callers from many threads.
#include <nearfork/nearfork.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "program.hpp"

namespace {

using namespace programs;

nearfork::config four_workers(const char* policy = "random") {
  nearfork::config settings;
  settings.workers = 4;
  settings.pin = nearfork::pinning::off;
  settings.policy = policy;
  return settings;
}

long fib(int n) {
  if (n < 2) {
    if (n == 1) std::this_thread::yield();
    return n;
  }
  auto [a, b] = nearfork::fork_join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

const program several("several_runtimes", [] {
  nearfork::runtime one(four_workers());
  nearfork::runtime other(four_workers());
  long from_one = 0;
  std::string from_other;
  std::thread caller([&] { from_one = one.run([] { return fib(15); }); });
  from_other = other.run([] { return std::to_string(fib(14)); });
  caller.join();
  expect_equal(from_one, 610, "fib(15)");
  expect_equal(from_other, "377", "fib(14)");
});

const program started_often("started_and_stopped", [] {
  for (int i = 0; i < 15; ++i) {
    nearfork::runtime mine(four_workers());
    std::vector<int> squares(64);
    mine.run([&] {
      nearfork::parallel_for(0, 64, [&](int k) { squares[static_cast<std::size_t>(k)] = k * k; },
                             {.grain = 1, .cancel = {}});
    });
    expect_equal(squares[63], 63 * 63, "a square");
  }
});

const program callers("many_callers", [] {
  std::vector<long> results(8);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < results.size(); ++t)
    threads.emplace_back([&results, t] {
      for (int round = 0; round < 10; ++round)
        results[t] += nearfork::run([] { return std::make_unique<long>(fib(8)); }) ? 1 : 0;
    });
  for (std::thread& one : threads) one.join();
  for (const long one : results) expect_equal(one, 10, "ten runs each");
});

/// A machine of four domains, so that plans send tasks to pools and fibers home.
void sweep_under(const char* policy) {
  nearfork::config settings = four_workers(policy);
  settings.machine = "package:2 l3:2 core:1 pu:1";
  nearfork::runtime planned(settings);
  std::vector<double> field(20000, 1.0);
  for (int iteration = 0; iteration < 8; ++iteration)
    planned.run([&] {
      nearfork::region({.name = "sweep", .input_bytes = field.size() * sizeof(double)}, [&] {
        nearfork::parallel_for(std::size_t{0}, field.size(), [&](std::size_t i) { field[i] += 1; });
      });
    });
  for (const double value : field) expect_equal(value, 9.0, "each element once an iteration");
}
const program laws("region_under_laws", [] { sweep_under("laws"); });
const program acab("region_under_acab", [] { sweep_under("acab"); });
const program automatic("region_under_auto", [] { sweep_under("auto"); });

const program recorded("recorded_run", [] {
  nearfork::config settings = four_workers();
  settings.record = "recorded_run_" +
                    std::to_string(static_cast<long>(std::hash<std::thread::id>{}(std::this_thread::get_id()))) +
                    ".nfg";
  settings.record_iterations = nearfork::recorded_iterations::all;
  std::string path = settings.record;
  {
    nearfork::runtime recording(settings);
    for (int i = 0; i < 3; ++i)
      recording.run([] {
        nearfork::region("fibs", [] { expect_equal(fib(13), 233, "fib(13)"); });
        nearfork::task_group group;
        for (int k = 0; k < 50; ++k) group.spawn([] { expect_equal(fib(4), 3, "fib(4)"); });
        group.sync();
      });
    recording.write_recording(path);
  }
  expect(std::remove(path.c_str()) == 0, "a recording");
});

const program reported("reports_while_running", [] {
  nearfork::runtime mine(four_workers());
  std::atomic<bool> done{false};
  std::thread watcher([&] {
    while (!done) expect_equal(mine.report().workers.size(), std::size_t{4}, "four workers");
  });
  for (int i = 0; i < 10; ++i) expect_equal(mine.run([] { return fib(12); }), 144, "fib(12)");
  done = true;
  watcher.join();
});

}  // namespace
