// The tasks of a graph that is kept, and who depends on whom, so that they run again without being built. One row of
// steps in the order of creation, and behind each other the steps that follow each of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <nearfork/detail/dataflow/dataflow_task.hpp>

#include "base/sanitizer_calls.hpp"
#include "runtime/protocols/dependence_count.hpp"

namespace nearfork {

class replay_script {
 public:
  // --- while the graph is built, under its lock ---
  /// Throws std::bad_alloc; then the script is incomplete.
  void add(detail::dataflow_task& one);
  /// The same task may be named several times.
  void add_dependence(const detail::dataflow_task& one, const detail::dataflow_task& on);
  /// A task of the graph is not in the script, or not with all its dependences.
  void become_incomplete() noexcept { complete_ = false; }
  [[nodiscard]] bool is_complete() const noexcept { return complete_; }
  [[nodiscard]] std::span<detail::dataflow_task* const> tasks() const noexcept { return tasks_; }

  // --- afterwards ---
  /// Before the first replay. Throws std::bad_alloc, and can be tried again.
  void prepare();
  /// Tasks of different priorities: their order is kept by the graph's lists alone.
  [[nodiscard]] bool has_priorities() const noexcept { return has_priorities_; }
  /// Calls ready(task) for each task without dependences.
  template <class Ready>
  void begin(const Ready& ready) noexcept {
    for (const std::uint32_t first : firsts_) {
      tasks_[first]->begin_again(false);
      ready(*tasks_[first]);
    }
  }
  /// Calls ready(task) for each task that has waited for `one` alone. Any thread, without the graph's lock.
  template <class Ready>
  void end(const detail::dataflow_task& one, const Ready& ready) noexcept {
    const step& ended = steps_[one.place];
    const bool lost = one.is_lost();
    for (std::uint32_t i = ended.follower; i < ended.end_of_followers; ++i) {
      step& next = steps_[followers_[i]];
      sanitizers::hand_over(&next);
      const auto now = next.waits_for.end_one(lost);
      if (now == dependence_count::task::waits) continue;
      sanitizers::take_over(&next);
      next.task->begin_again(now == dependence_count::task::ready_to_be_skipped);
      ready(*next.task);
    }
  }

 private:
  struct dependence {
    std::uint32_t of;
    std::uint32_t on;
  };
  struct step {
    detail::dataflow_task* task = nullptr;
    dependence_count waits_for{};
    std::uint32_t follower = 0;  // the first one, in followers_
    std::uint32_t end_of_followers = 0;
  };

  bool complete_ = true;
  bool has_priorities_ = false;
  std::vector<detail::dataflow_task*> tasks_;
  std::vector<dependence> dependences_;  // until prepare()
  std::unique_ptr<step[]> steps_;
  std::vector<std::uint32_t> followers_;
  std::vector<std::uint32_t> firsts_;
};

}  // namespace nearfork
