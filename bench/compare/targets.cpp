#include "bench/compare/targets.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bench {
namespace {

constexpr double kib = 1024;
constexpr double mib = 1024 * kib;

/// Judges every nearfork entry with `workers` in each build, against another entry of the same comparison.
class judging {
 public:
  explicit judging(const std::vector<comparison>& all) : all_(all) {}

  using counterpart = std::function<const entry*(const comparison&, const entrant&)>;

  /// The ratio of times is at most `most`.
  void at_most(std::string_view problem, unsigned workers, const std::string& than, double most,
               const counterpart& to) {
    each(problem, workers, [&](const comparison& in, const entry& ours) {
      const entry* const theirs = to(in, ours.whose);
      if (theirs == nullptr) return;
      const ratio r = ratio_of(ours, *theirs);
      add(in, ours, fmt::format("at most {:.4g}x the time of {}", most, than),
          fmt::format("{:.3f} +- {:.3f}", r.median, r.spread), r.median <= most);
    });
  }

  /// At least `least` times as fast as with one worker. The text also names the ceiling that independent processes
  /// reach.
  void faster(std::string_view problem, unsigned workers, double least) {
    each(problem, workers, [&](const comparison& in, const entry& ours) {
      const entry* const one = alone(in, ours.whose);
      if (one == nullptr) return;
      const ratio r = ratio_of(*one, ours);
      std::string measured = fmt::format("{:.3f} +- {:.3f}", r.median, r.spread);
      const entry* const serial = serial_for(in, ours.whose);
      if (const entry* const ceiling = ceiling_for(in, ours.whose); ceiling != nullptr && serial != nullptr)
        measured += fmt::format("; independent processes reach {:.2f}", workers * ratio_of(*serial, *ceiling).median);
      add(in, ours, fmt::format("at least {:.4g}x as fast as with 1 worker", least), measured, r.median >= least);
    });
  }

  /// Limits the peak resident memory beyond the serial program's.
  void memory(std::string_view problem, unsigned workers) {
    each(problem, workers, [&](const comparison& in, const entry& ours) {
      const entry* const serial = serial_for(in, ours.whose);
      if (serial == nullptr || (problem == "uts" && in.size != 1)) return;  // T3's stack is 1572 calls deep
      const double more = ours.peak_bytes - serial->peak_bytes;
      add(in, ours, "peak memory within 1 MiB + 64 KiB a worker of serial's",
          fmt::format("{:.0f} KiB more", more / kib), more <= mib + workers * 64 * kib);
    });
  }

  [[nodiscard]] std::vector<verdict> take() { return std::move(verdicts_); }

 private:
  template <class F>
  void each(std::string_view problem, unsigned workers, F&& judge_one) const {
    for (const comparison& in : all_)
      if (in.shown.problem == problem)
        for (const entry& ours : in.entries)
          if (ours.whose.is_nearfork() && ours.whose.workers == workers && ours.failure.empty()) judge_one(in, ours);
  }
  void add(const comparison& in, const entry& ours, const std::string& target, std::string measured, bool met) {
    verdicts_.push_back({fmt::format("{} {}, {} worker{}, {}: {}", in.shown.problem, in.size, ours.whose.workers,
                                     ours.whose.workers == 1 ? "" : "s", ours.whose.build, target),
                         std::move(measured), met});
  }

  const std::vector<comparison>& all_;
  std::vector<verdict> verdicts_;
};

judging::counterpart named(std::string contender) {
  return [contender = std::move(contender)](const comparison& in, const entrant& ours) -> const entry* {
    const entry* const same = find(in, [&](const entrant& e) {
      return e.contender == contender && e.workers == ours.workers && e.build == ours.build;
    });
    if (same != nullptr) return same;
    return find(in, [&](const entrant& e) { return e.contender == contender && e.workers == ours.workers; });
  };
}

/// The fastest of the loops that set their own grain.
const entry* best_fixed_grain(const comparison& in, const entrant& ours) {
  const entry* best = nullptr;
  for (const entry& one : in.entries) {
    if (!one.whose.contender.starts_with("nearfork_grain") || one.whose.build != ours.build ||
        one.whose.workers != ours.workers || !one.failure.empty())
      continue;
    if (best == nullptr || ratio_of(one, *best).median < 1) best = &one;
  }
  return best;
}

}  // namespace

std::vector<verdict> judge(const std::vector<comparison>& all) {
  judging here(all);
  here.at_most("fib", 1, "the serial program", 1.35, serial_for);
  here.at_most("fib", 1, "oneTBB's parallel_invoke", 0.04, named("onetbb"));
  here.at_most("fib", 1, "rayon's join", 0.3, named("rayon"));
  for (const char* const problem : {"fib", "nqueens", "integrate", "uts"}) here.faster(problem, 2, 1.9);
  here.at_most("tiny_loop", 1, "the plain loop", 1.05, serial_for);
  for (const unsigned workers : {1U, 2U})
    here.at_most("tiny_loop", workers, "the best fixed grain", 1.05, best_fixed_grain);
  for (const char* const problem : {"fib", "uts"})
    for (const unsigned workers : {1U, 2U}) here.memory(problem, workers);
  return here.take();
}

}  // namespace bench
