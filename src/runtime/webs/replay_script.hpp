// The tasks of a graph that is kept, and who depends on whom, so that they run again without being built. One row of
// steps in the order of creation, and behind each other the steps that follow each of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <nearfork/detail/dataflow/dataflow_task.hpp>

#include "base/sanitizer_calls.hpp"
#include "runtime/protocols/dependence_count.hpp"
#include "runtime/webs/task_notes.hpp"

namespace nearfork {

/// Its task_notes are written while the graph is built.
class replay_script : public task_notes {
 public:
  /// Before the first replay. Throws std::bad_alloc, and can be tried again.
  void prepare();
  /// Of its first task; `otherwise` if it has none.
  [[nodiscard]] call_site first_site(const call_site& otherwise) const noexcept {
    return tasks().empty() ? otherwise : tasks().front()->where();
  }
  /// All of them, also after prepare(), which sorts them. Throws std::bad_alloc.
  [[nodiscard]] std::vector<dependence> all_dependences() const;
  /// Tasks of different priorities: their order is kept by the graph's lists alone.
  [[nodiscard]] bool has_priorities() const noexcept { return has_priorities_; }
  /// Calls ready(task) for each task without dependences.
  template <class Ready>
  void begin(const Ready& ready) noexcept {
    for (const std::uint32_t first : firsts_) {
      tasks()[first]->begin_again(false);
      ready(*tasks()[first]);
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
  struct step {
    detail::dataflow_task* task = nullptr;
    dependence_count waits_for{};
    std::uint32_t follower = 0;  // the first one, in followers_
    std::uint32_t end_of_followers = 0;
  };

  bool has_priorities_ = false;
  std::unique_ptr<step[]> steps_;
  std::vector<std::uint32_t> followers_;
  std::vector<std::uint32_t> firsts_;
};

}  // namespace nearfork
