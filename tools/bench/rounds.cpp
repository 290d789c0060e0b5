#include "tools/bench/rounds.hpp"

#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <exception>
#include <thread>

#include "tools/bench/statistics.hpp"
#include "tools/terminal/progress_line.hpp"

namespace nearfork::tools {
namespace {

struct one_run {
  std::uint64_t time_ns = 0;
  std::string fault;  // empty: the time counts
};

one_run run_once(workloads::instance& problem, const bench_contender& contender,
                 const bench_surroundings& surroundings) {
  one_run run;
  try {
    if (contender.reset) contender.reset(problem);
    else problem.reset();
    surroundings.settle();
    const std::uint64_t start = surroundings.now_ns();
    contender.run(problem);
    run.time_ns = surroundings.now_ns() - start;
    run.fault = problem.fault();
  } catch (const std::exception& thrown) {
    run.fault = std::string("it threw: ") + thrown.what();
  }
  return run;
}

void add(contender_result& result, const one_run& run, bool counts) {
  if (!run.fault.empty() && result.wrong++ == 0) result.first_fault = run.fault;
  if (run.fault.empty() && counts) result.times_ns.push_back(run.time_ns);
}

/// OpenMP's threads spin for a while after a parallel region, 0.2 s with LLVM's, and would take the cores of the next
/// contender.
void wait_for_quiet() {
  using namespace std::chrono_literals;
  constexpr auto window = 5ms;
  constexpr int most_windows = 80;
  constexpr std::clock_t quiet = CLOCKS_PER_SEC / 2000;  // 0.5 ms of processor time per window
  for (int i = 0; i < most_windows; ++i) {
    const std::clock_t before = std::clock();
    std::this_thread::sleep_for(window);
    if (std::clock() - before <= quiet) return;
  }
}

}  // namespace

std::vector<contender_result> run_rounds(workloads::instance& problem, const std::vector<bench_contender>& contenders,
                                         const round_options& options, const bench_surroundings& surroundings) {
  std::vector<contender_result> results;
  for (const bench_contender& one : contenders)
    results.push_back({.name = one.name, .label = one.label, .workers = one.workers});
  const std::uint64_t rounds = options.repetitions + 1;
  std::uint64_t done = 0;
  for (std::uint64_t round = 0; round < rounds; ++round)
    for (const std::size_t next : order_of_round(contenders.size(), round, options.seed)) {
      surroundings.show({done++, rounds * contenders.size(), contenders[next].label});
      add(results[next], run_once(problem, contenders[next], surroundings), round > 0);
    }
  return results;
}

std::string progress_text(const std::string& workload, const bench_progress& now, double elapsed_s) {
  const double done = static_cast<double>(now.done) / static_cast<double>(now.all);
  return fmt::format("{}: run {} of {}, {}{}", workload, now.done + 1, now.all, now.contender,
                     time_left(done, elapsed_s));
}

bench_surroundings real_surroundings(std::function<void(const bench_progress&)> show) {
  const auto now_ns = [] {
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
  };
  return {now_ns, wait_for_quiet, std::move(show)};
}

}  // namespace nearfork::tools
