// The tasks of one graph that are ready: those of higher priority first. Among equals, a worker runs those that other
// tasks have made ready next, because the common data are still in its cache, and then tasks in the order in which they
// were added. Tasks that were added one after the other have data side by side: so a worker takes a run of them, and
// not every other one. (4,000 tasks that work on 16 bytes of one array for 2 us each, two workers: 5.3 us a task one by
// one, because both write the same cache lines, and 1.4 by runs.)
//
// All of it is under the graph's lock, so what a worker has taken is still there for others that find nothing else.
// Priority 0 has lists of its own, so a graph without priorities pays one comparison.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include <nearfork/dataflow/task_options.hpp>
#include <nearfork/detail/dataflow/dataflow_task.hpp>
#include <nearfork/detail/seam.hpp>

#include "plan/crew/worker_layout.hpp"

namespace nearfork {

class ready_tasks {
 public:
  /// Next: after a task that has made it ready.
  enum class turn : std::uint8_t { next, last };

  /// Before the first task with a priority is added. Throws std::bad_alloc.
  void accept_priorities() {
    if (ranked_ == nullptr) ranked_ = std::make_unique<std::array<list, highest_priority + 1>>();
  }
  void add(detail::dataflow_task& one, turn when) noexcept {
    ++count_;
    if (one.priority == 0 || ranked_ == nullptr) [[likely]]
      return (when == turn::next ? released_ : added_).add(one, when);
    (*ranked_)[one.priority].add(one, when);
    ranks_ |= std::uint64_t{1} << one.priority;
  }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] bool has_some() const noexcept { return count_ != 0; }
  /// By worker `who` of all that run the graph. nullptr: there is none.
  [[nodiscard]] detail::dataflow_task* take(worker_rank who) noexcept {
    if (count_ == 0) return nullptr;
    --count_;
    if (ranks_ != 0) [[unlikely]]
      return take_ranked();
    if (runs_ != nullptr || begins_runs(who)) return take_from_run(who);
    return released_.is_empty() ? added_.take() : released_.take();
  }

 private:
  class list {
   public:
    [[nodiscard]] bool is_empty() const noexcept { return first_ == nullptr; }
    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    void add(detail::dataflow_task& one, turn when) noexcept {
      ++count_;
      if (first_ == nullptr) {
        one.next = nullptr;
        first_ = last_ = &one;
      } else if (when == turn::next) {
        one.next = std::exchange(first_, &one);
      } else {
        one.next = nullptr;
        last_ = last_->next = &one;
      }
    }
    /// Of a list that is not empty.
    [[nodiscard]] detail::dataflow_task* take() noexcept {
      detail::dataflow_task* const taken = first_;
      first_ = taken->next;
      --count_;
      return taken;
    }
    /// Puts `others`, which are some, before its own.
    void add_first(list others) noexcept {
      others.last_->next = first_;
      if (first_ == nullptr) last_ = others.last_;
      first_ = others.first_;
      count_ += others.count_;
    }
    /// The first `count` > 0 of them.
    [[nodiscard]] list take(std::size_t count) noexcept {
      list taken;
      taken.first_ = first_;
      taken.last_ = first_;
      for (std::size_t i = 1; i < count; ++i) taken.last_ = taken.last_->next;
      taken.count_ = count;
      first_ = std::exchange(taken.last_->next, nullptr);
      count_ -= count;
      return taken;
    }

   private:
    detail::dataflow_task* first_ = nullptr;
    detail::dataflow_task* last_ = nullptr;  // if there is a first
    std::size_t count_ = 0;
  };
  struct alignas(detail::cache_line_bytes) run {
    list tasks;
  };
  static_assert(highest_priority < 64, "a bit for each");

  /// Of tasks on 16 bytes each, four share a cache line: few of a run share one with the next run.
  static constexpr std::size_t longest_run = 16;

  [[nodiscard]] detail::dataflow_task* take_ranked() noexcept {
    const auto highest = static_cast<unsigned>(std::bit_width(ranks_) - 1);
    detail::dataflow_task* const taken = (*ranked_)[highest].take();
    if ((*ranked_)[highest].is_empty()) ranks_ &= ~(std::uint64_t{1} << highest);
    return taken;
  }

  /// A small graph, or one worker, needs none. Without memory tasks are taken one by one.
  [[nodiscard]] bool begins_runs(worker_rank who) noexcept {
    if (who.of == 1 || count_ < std::size_t{4} * who.of) return false;
    runs_.reset(new (std::nothrow) run[who.of]);
    return runs_ != nullptr;
  }

  [[nodiscard]] detail::dataflow_task* take_from_run(worker_rank who) noexcept {
    list& own = runs_[who.number].tasks;
    if (!released_.is_empty()) {
      detail::dataflow_task* const newest = released_.take();
      if (!released_.is_empty()) own.add_first(std::exchange(released_, {}));
      return newest;
    }
    if (own.is_empty()) own = next_run(who);
    return own.take();
  }
  /// So many that each worker has two of them.
  [[nodiscard]] list next_run(worker_rank who) noexcept {
    if (!added_.is_empty())
      return added_.take(std::clamp(added_.count() / (std::size_t{2} * who.of), std::size_t{1}, longest_run));
    for (std::uint32_t i = 1; i < who.of; ++i)
      if (list& other = runs_[(who.number + i) % who.of].tasks; !other.is_empty())
        return other.take(std::min((other.count() + 1) / 2, longest_run));
    assert(false && "count_ says that there are some");
    return {};
  }

  std::size_t count_ = 0;
  list released_;  // since a task was taken last
  list added_;
  std::unique_ptr<run[]> runs_;  // by worker
  std::uint64_t ranks_ = 0;      // that have tasks; bit 0 is not used
  std::unique_ptr<std::array<list, highest_priority + 1>> ranked_;
};

}  // namespace nearfork
