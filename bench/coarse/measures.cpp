#include "bench/coarse/measures.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <thread>

namespace coarse {
namespace {

using steady = std::chrono::steady_clock;

double seconds_since(steady::time_point before) {
  return std::chrono::duration<double>(steady::now() - before).count();
}

void sleep_for(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

void act_once(const work& one) {
  if (one.sleeps) return sleep_for(one.seconds);
  const auto before = steady::now();
  while (seconds_since(before) < one.seconds) {
  }
}

/// Counts the calls of each task.
class call_counts {
 public:
  explicit call_counts(std::size_t tasks) : calls_(tasks) {}
  void note(std::size_t task) { calls_.at(task).fetch_add(1, std::memory_order_relaxed); }
  void expect_each(unsigned times) const {
    for (const auto& one : calls_)
      if (one.load(std::memory_order_relaxed) != times)
        throw std::runtime_error("wrong answer: a task did not run exactly once");
  }

 private:
  std::vector<std::atomic<unsigned>> calls_;
};

}  // namespace

std::vector<double> first_instructions(client& of, shape how, std::size_t tasks, unsigned repetitions,
                                       unsigned pause_ms) {
  constexpr double longer_than_any_wait = 0.02;
  std::vector<double> all;
  call_counts calls(tasks);
  for (unsigned i = 0; i < repetitions; ++i) {
    std::vector<double> begun(tasks);
    sleep_for(pause_ms * 1e-3);
    of.inside([&] {
      const auto before = steady::now();
      (of.*how)(tasks, [&](std::size_t task) {
        begun.at(task) = seconds_since(before);
        calls.note(task);
        sleep_for(longer_than_any_wait);
      });
    });
    all.insert(all.end(), begun.begin(), begun.end());
  }
  calls.expect_each(repetitions);
  std::ranges::sort(all);
  return all;
}

double alone(const work& one) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 21; ++i) {
    const auto before = steady::now();
    act_once(one);
    least = std::min(least, seconds_since(before));
  }
  return least;
}

double loop_seconds(client& of, std::size_t count, const work& one, unsigned repetitions) {
  double least = std::numeric_limits<double>::infinity();
  call_counts calls(count);
  of.inside([&] {
    for (unsigned i = 0; i < repetitions; ++i) {
      const auto before = steady::now();
      of.loop(count, [&](std::size_t index) {
        calls.note(index);
        act_once(one);
      });
      least = std::min(least, seconds_since(before));
    }
  });
  calls.expect_each(repetitions);
  return least;
}

}  // namespace coarse
