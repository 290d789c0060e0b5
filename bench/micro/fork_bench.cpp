// What a fork, a loop and a wake-up cost. Each benchmark checks its answer.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

namespace {

constexpr int fib_n = 27;
constexpr std::int64_t fib_value = 196'418;
constexpr std::int64_t fib_joins = 317'810;  // fib(28) - 1 calls fork

[[gnu::noinline]] std::int64_t fib_serial(int n) {
  return n < 2 ? n : fib_serial(n - 1) + fib_serial(n - 2);
}

std::int64_t fib_forked(int n) {
  if (n < 2) return n;
  auto [a, b] = nearfork::fork_join([=] { return fib_forked(n - 1); }, [=] { return fib_forked(n - 2); });
  return a + b;
}

nearfork::config with_workers(std::int64_t workers) {
  nearfork::config made;
  made.workers = static_cast<unsigned>(workers);
  return made;
}

void per_join(benchmark::State& state) {
  state.counters["ns/join"] =
      benchmark::Counter(static_cast<double>(fib_joins) * 1e-9,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void call(benchmark::State& state) {
  for (auto _ : state)
    if (fib_serial(fib_n) != fib_value) state.SkipWithError("wrong answer");
  per_join(state);
}
BENCHMARK(call);

void fork_join(benchmark::State& state) {
  nearfork::runtime runtime(with_workers(state.range(0)));
  for (auto _ : state)
    if (runtime.run([] { return fib_forked(fib_n); }) != fib_value) state.SkipWithError("wrong answer");
  per_join(state);
}
BENCHMARK(fork_join)->ArgName("workers")->Arg(1)->Arg(2)->UseRealTime();

void parallel_for(benchmark::State& state) {
  nearfork::runtime runtime(with_workers(state.range(0)));
  std::vector<std::uint32_t> touched(1 << 16);
  for (auto _ : state)
    runtime.run([&] { nearfork::parallel_for(std::size_t{0}, touched.size(), [&](std::size_t i) { ++touched[i]; }); });
  for (const auto count : touched)
    if (count != touched.front()) return state.SkipWithError("an index was not run as often as the others");
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(touched.size()));
}
BENCHMARK(parallel_for)->ArgName("workers")->Arg(1)->Arg(2)->UseRealTime();

/// Times from run() in an outside thread until a parked worker has run the call and the caller is awake again.
void wake_parked_runtime(benchmark::State& state) {
  nearfork::runtime runtime(with_workers(1));
  for (auto _ : state) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const auto before = std::chrono::steady_clock::now();
    if (runtime.run([] { return 42; }) != 42) state.SkipWithError("wrong answer");
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count());
  }
}
BENCHMARK(wake_parked_runtime)->UseManualTime()->Iterations(1000);

}  // namespace
