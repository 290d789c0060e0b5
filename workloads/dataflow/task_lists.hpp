#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nearfork::workloads {

/// A list of numbers for each task, in order.
class task_lists {
 public:
  /// task_of(number): whose list the number, below `count`, is in; `nobody`: in none.
  template <class TaskOf>
  task_lists(std::uint32_t tasks, std::uint32_t count, const TaskOf& task_of)
      : first_(std::size_t{tasks} + 1), numbers_(count) {
    for (std::uint32_t i = 0; i < count; ++i)
      if (const std::uint32_t task = task_of(i); task != nobody) ++first_[task + 1];
    for (std::size_t task = 0; task < tasks; ++task) first_[task + 1] += first_[task];
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (std::uint32_t i = 0; i < count; ++i)
      if (const std::uint32_t task = task_of(i); task != nobody) numbers_[next[task]++] = i;
  }
  static constexpr std::uint32_t nobody = 0xffff'ffff;

  [[nodiscard]] std::span<const std::uint32_t> operator[](std::uint32_t task) const noexcept {
    return {numbers_.data() + first_[task], numbers_.data() + first_[task + 1]};
  }

 private:
  std::vector<std::size_t> first_;  // by task, and one more
  std::vector<std::uint32_t> numbers_;
};

}  // namespace nearfork::workloads
