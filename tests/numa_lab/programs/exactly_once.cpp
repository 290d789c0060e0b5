// Does every task run exactly once? Does each steal that the report counts at some distance belong to a task that was
// really taken from another worker?
// usage: exactly_once                             rounds until some tasks were stolen
//        exactly_once --until FILE --count FILE   rounds with pauses in which workers park, until the first file
//                                                 exists; the number of rounds is written to the second file
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "numa_lab/lab_verdict.hpp"

namespace nearfork::lab {
namespace {

constexpr unsigned region_rounds = 20;
constexpr std::uint64_t enough_stolen = 20;
constexpr unsigned most_plain_rounds = 5000;
constexpr unsigned most_rounds = 1'000'000;
constexpr std::uint32_t tasks = 4096;
constexpr auto pause = std::chrono::milliseconds(3);  // longer than workers search before they park

void work_for_a_moment() {
  volatile unsigned sum = 0;
  for (unsigned i = 0; i < 500; ++i) sum = sum + i;
}

/// Task i of a binary heap forks 2i and 2i + 1.
class task_heap {
 public:
  task_heap() : runs_(tasks) {}

  void run(std::uint32_t id = 1) {
    runs_[id].fetch_add(1, std::memory_order_relaxed);
    work_for_a_moment();
    if (2 * id + 1 >= tasks) return;
    const detail::fiber* const here = &detail::this_fiber();
    fork_join([&] { run(2 * id); },
              [&] {
                // A child that was not stolen runs on the fiber that forked it.
                if (&detail::this_fiber() != here) taken_.fetch_add(1, std::memory_order_relaxed);
                run(2 * id + 1);
              });
  }

  void check(verdict& result) const {
    for (std::uint32_t id = 1; id < tasks; ++id)
      if (const unsigned times = runs_[id].load(); times != 1) result.fault("task {} ran {} times", id, times);
  }
  [[nodiscard]] std::uint64_t taken() const { return taken_.load(); }

 private:
  std::vector<std::atomic<unsigned>> runs_;
  std::atomic<std::uint64_t> taken_{0};
};

std::uint64_t all_steals(const run_report& report) {
  return std::accumulate(report.steals.begin(), report.steals.end(), std::uint64_t{0});
}

void check_distances(const run_report& report, verdict& result) {
  std::array<bool, steal_distances> possible{};
  for (const worker_report& thief : report.workers)
    for (const worker_report& victim : report.workers) {
      if (thief.index == victim.index) continue;
      // In every shape a socket has one domain, and a core has one PU.
      const auto distance = thief.domain == victim.domain ? steal_distance::cache : steal_distance::machine;
      possible[static_cast<std::size_t>(distance)] = true;
    }
  for (std::size_t i = 0; i < steal_distances; ++i)
    if (report.steals[i] != 0 && !possible[i])
      result.fault("{} steals at distance {}, where no two workers are", report.steals[i],
                   name_of(static_cast<steal_distance>(i)));
}

/// Outside regions there is no plan: a task that changes its worker was stolen.
std::uint64_t plain_round(runtime& rt, verdict& result) {
  task_heap heap;
  rt.run([&] { heap.run(); });
  heap.check(result);
  return heap.taken();
}

void region_round(runtime& rt, verdict& result) {
  task_heap heap;
  rt.run([&] { region("lab", [&] { heap.run(); }); });
  heap.check(result);
}

int rounds_with_steals() {
  verdict result;
  runtime rt;
  std::uint64_t taken = 0;
  unsigned round = 0;
  for (; round < most_plain_rounds && taken < enough_stolen; ++round) taken += plain_round(rt, result);
  const run_report report = rt.report();
  if (all_steals(report) != taken)
    result.fault("the report counts {} steals over all distances, and {} tasks were stolen", all_steals(report), taken);
  if (taken < enough_stolen) result.fault("{} tasks were stolen in {} rounds: too few to tell", taken, round);
  for (unsigned i = 0; i < region_rounds; ++i) region_round(rt, result);
  check_distances(rt.report(), result);
  fmt::print("{}: {} tasks stolen", report.policy, taken);
  for (std::size_t i = 0; i < steal_distances; ++i)
    if (report.steals[i] != 0)
      fmt::print(", {} at distance {}", report.steals[i], name_of(static_cast<steal_distance>(i)));
  fmt::print("\n");
  return result.status();
}

int rounds_until(const std::string& end, const std::string& counts) {
  verdict result;
  runtime rt;
  unsigned round = 0;
  while (!std::filesystem::exists(end) && round < most_rounds) {
    (void)plain_round(rt, result);
    region_round(rt, result);
    std::ofstream(counts) << ++round << '\n';
    std::this_thread::sleep_for(pause);
  }
  const run_report report = rt.report();
  if (report.parks == 0) result.fault("no worker parked in {} rounds: no wake-up was put to the test", round);
  fmt::print("{} rounds, {} parks, {} wake-ups, {} tasks stolen\n", round, report.parks, report.wake_ups,
             all_steals(report));
  return result.status();
}

int run(int count, char** arguments) {
  if (count == 1) return rounds_with_steals();
  if (count == 5 && std::string_view(arguments[1]) == "--until" && std::string_view(arguments[3]) == "--count")
    return rounds_until(arguments[2], arguments[4]);
  fmt::print("usage: exactly_once [--until FILE --count FILE]\n");
  return 2;
}

}  // namespace
}  // namespace nearfork::lab

int main(int count, char** arguments) {
  return nearfork::lab::exit_status_of([&] { return nearfork::lab::run(count, arguments); });
}
