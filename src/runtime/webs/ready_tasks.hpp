// The tasks of one graph that are ready: those of higher priority first, and among equals those first that another task
// made ready. All of it under the graph's lock. Priority 0 has a list of its own, so a graph without priorities pays
// one comparison.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <nearfork/dataflow/task_options.hpp>
#include <nearfork/detail/dataflow/dataflow_task.hpp>

namespace nearfork {

class ready_tasks {
 public:
  /// A task that another one made ready comes next: their common data are still in the cache.
  enum class turn : std::uint8_t { next, last };

  /// Before the first task with a priority is added. Throws std::bad_alloc.
  void accept_priorities() {
    if (ranked_ == nullptr) ranked_ = std::make_unique<std::array<list, highest_priority + 1>>();
  }
  void add(detail::dataflow_task& one, turn when) noexcept {
    ++count_;
    if (one.priority == 0 || ranked_ == nullptr) [[likely]]
      return plain_.add(one, when);
    (*ranked_)[one.priority].add(one, when);
    ranks_ |= std::uint64_t{1} << one.priority;
  }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] bool has_some() const noexcept { return count_ != 0; }
  /// nullptr: there is none.
  [[nodiscard]] detail::dataflow_task* take() noexcept {
    if (count_ == 0) return nullptr;
    --count_;
    if (ranks_ == 0) [[likely]]
      return plain_.take();
    const auto highest = static_cast<unsigned>(std::bit_width(ranks_) - 1);
    detail::dataflow_task* const taken = (*ranked_)[highest].take();
    if ((*ranked_)[highest].first == nullptr) ranks_ &= ~(std::uint64_t{1} << highest);
    return taken;
  }

 private:
  struct list {
    void add(detail::dataflow_task& one, turn when) noexcept {
      if (first == nullptr) {
        one.next = nullptr;
        first = last = &one;
      } else if (when == turn::next) {
        one.next = std::exchange(first, &one);
      } else {
        one.next = nullptr;
        last = last->next = &one;
      }
    }
    /// Of a list that is not empty.
    [[nodiscard]] detail::dataflow_task* take() noexcept {
      detail::dataflow_task* const taken = first;
      first = taken->next;
      return taken;
    }

    detail::dataflow_task* first = nullptr;
    detail::dataflow_task* last = nullptr;
  };
  static_assert(highest_priority < 64, "a bit for each");

  std::size_t count_ = 0;
  list plain_;
  std::uint64_t ranks_ = 0;  // that have tasks; bit 0 is not used
  std::unique_ptr<std::array<list, highest_priority + 1>> ranked_;
};

}  // namespace nearfork
