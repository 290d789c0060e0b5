// The measuring loop: all contenders run once per round, and each answer is checked outside the timed part.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/bench/result.hpp"
#include "workloads/instance.hpp"

namespace nearfork::tools {

struct bench_contender {
  std::string name;
  std::string label;
  unsigned workers = 1;
  std::function<void(workloads::instance&)> run;
  std::function<void(workloads::instance&)> reset{};  // empty: instance::reset()
};

struct round_options {
  std::uint64_t repetitions = 9;
  std::uint64_t seed = 1;
};

/// The position of the loop, for the progress line.
struct bench_progress {
  std::uint64_t done = 0;
  std::uint64_t all = 0;
  const std::string& contender;
};

/// "heat: run 12 of 50, nearfork random, about 6 s left".
[[nodiscard]] std::string progress_text(const std::string& workload, const bench_progress& now, double elapsed_s);

/// What the loop needs from outside; tests pass their own.
struct bench_surroundings {
  std::function<std::uint64_t()> now_ns;
  /// Returns when the threads of the last contender have stopped looking for work.
  std::function<void()> settle;
  std::function<void(const bench_progress&)> show;
};

/// One result per contender, in their order. First comes a warm-up round: its answers are checked, its times dropped. A
/// run that throws counts as a wrong answer. Wrong answers have no times.
[[nodiscard]] std::vector<contender_result> run_rounds(workloads::instance& problem,
                                                       const std::vector<bench_contender>& contenders,
                                                       const round_options& options,
                                                       const bench_surroundings& surroundings);

/// The steady clock, and a wait of at most 0.4 s until this process uses no more processor time.
[[nodiscard]] bench_surroundings real_surroundings(std::function<void(const bench_progress&)> show);

}  // namespace nearfork::tools
