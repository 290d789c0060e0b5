#include "runtime/graph_assembly.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace nearfork {
namespace {

using detail::iteration_log;
using detail::task_birth;
using detail::work_piece;
using detail::worker_log;

/// Things of each task side by side, in the order in which they are given.
template <class Thing>
class by_task {
 public:
  /// for_each(take) calls take(task, thing), twice.
  template <class ForEach>
  by_task(std::uint32_t tasks, const ForEach& for_each) : begins_(std::size_t{tasks} + 1) {
    for_each([&](std::uint32_t task, const Thing&) { ++begins_[task]; });
    std::exclusive_scan(begins_.begin(), begins_.end(), begins_.begin(), std::size_t{0});
    things_.resize(begins_.back());
    std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
    for_each([&](std::uint32_t task, const Thing& one) { things_[next[task]++] = one; });
  }
  [[nodiscard]] std::span<const Thing> operator[](std::uint32_t task) const noexcept {
    return {things_.data() + begins_[task], begins_[task + 1] - begins_[task]};
  }

 private:
  std::vector<std::size_t> begins_;
  std::vector<Thing> things_;
};

/// Numbers of a parent's children rise from fork to fork, whichever worker the parent was on.
std::vector<task_birth> births_by_number(const iteration_log& log) {
  std::vector<task_birth> all;
  for (const worker_log& one : log.logs()) all.insert(all.end(), one.births.begin(), one.births.end());
  constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> at(log.tasks(), none);
  for (std::uint32_t i = 0; i < all.size(); ++i) at[all[i].first_child] = i;
  std::vector<task_birth> sorted;
  sorted.reserve(all.size());
  for (const std::uint32_t i : at)
    if (i != none) sorted.push_back(all[i]);
  return sorted;
}

struct piece_of_log {
  const worker_log* log = nullptr;
  const work_piece* piece = nullptr;
};

class assembly {
 public:
  assembly(const iteration_log& log, double ns_per_tick)
      : log_(log),
        ns_per_tick_(ns_per_tick),
        births_(log.tasks(),
                [sorted = births_by_number(log)](const auto& take) {
                  for (const task_birth& one : sorted) take(one.parent, one);
                }),
        pieces_(log.tasks(), [&log](const auto& take) {
          for (const worker_log& of_worker : log.logs())
            for (const work_piece& one : of_worker.pieces) take(one.task, {&of_worker, &one});
        }) {}

  trace::task_graph run() {
    std::vector<std::uint32_t> order{0};  // breadth first
    order.reserve(log_.tasks());
    for (std::uint32_t i = 0; i < order.size(); ++i) add(order[i], order);
    return std::move(made_);
  }

 private:
  void add(std::uint32_t task, std::vector<std::uint32_t>& order) {
    branching_.clear();
    std::uint32_t stretch = std::numeric_limits<std::uint32_t>::max();
    for (const task_birth& one : births_[task]) {
      // What is spawned and forked in one stretch is one fork: a tree has no finer word for it.
      if (one.stretch != stretch) branching_.push_back(0);
      stretch = one.stretch;
      branching_.back() += one.branching;
      for (std::uint32_t child = 0; child < one.branching; ++child) order.push_back(one.first_child + child);
    }
    made_.add_task(branching_);
    for (std::uint32_t i = 0; i <= branching_.size(); ++i) add_stretch(task, i);
  }

  void add_stretch(std::uint32_t task, std::uint32_t i) {
    accesses_.clear();
    std::uint64_t ticks = 0;
    for (const piece_of_log& found : pieces_[task]) {
      const work_piece& one = *found.piece;
      if (one.stretch != i) continue;
      ticks += one.ticks;
      const auto first = found.log->accesses.begin() + static_cast<std::ptrdiff_t>(one.first_access);
      accesses_.insert(accesses_.end(), first, first + one.accesses);
    }
    made_.add_stretch(static_cast<std::uint64_t>(std::llround(static_cast<double>(ticks) * ns_per_tick_)), accesses_);
  }

  const iteration_log& log_;
  double ns_per_tick_;
  by_task<task_birth> births_;
  by_task<piece_of_log> pieces_;
  trace::task_graph made_;
  std::vector<std::uint32_t> branching_;
  std::vector<trace::data_access> accesses_;
};

}  // namespace

trace::task_graph assemble(const detail::iteration_log& log, double ns_per_tick) {
  return assembly(log, ns_per_tick).run();
}

}  // namespace nearfork
