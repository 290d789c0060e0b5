// The dataflow tasks of a recorded iteration: which tasks of its tree they are, and who waits for whom.
//
// A dataflow task is in the tree as a child of the task that waits for its graph, forked with the graph's other tasks.
// Siblings are listed in an order in which they can run: so what a task waits for are earlier siblings, and no ring can
// be said.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace nearfork::recordings {

class flow_order {
 public:
  /// The creator of tasks that the waiting task created. The root of the tree is no dataflow task.
  static constexpr std::uint32_t by_waiting_task = 0;

  /// Adds the next dataflow task: tasks ascend. `creator`: the earlier sibling that created it, or by_waiting_task.
  void add_task(std::uint32_t task, std::uint32_t creator);
  /// The task that was added last starts after `earlier` has ended. Descending: the latest one first.
  void add_predecessor(std::uint32_t earlier);
  /// The task that was added last does not run while another one with this number runs. Ascending; a number that is
  /// new is the next one, from 0.
  void add_exclusion(std::uint32_t number);

  [[nodiscard]] bool empty() const noexcept { return tasks_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return tasks_.size(); }
  /// Of all tasks together.
  [[nodiscard]] std::size_t edges() const noexcept { return predecessors_.size(); }
  [[nodiscard]] std::size_t exclusions() const noexcept { return exclusions_.size(); }
  /// Different numbers of exclusions.
  [[nodiscard]] std::uint32_t exclusion_numbers() const noexcept { return exclusion_numbers_; }

  // --- by place: 0 to size() - 1 ---
  [[nodiscard]] std::uint32_t task(std::size_t place) const noexcept { return tasks_[place].task; }
  [[nodiscard]] std::uint32_t creator(std::size_t place) const noexcept { return tasks_[place].creator; }
  [[nodiscard]] std::span<const std::uint32_t> predecessors(std::size_t place) const noexcept {
    const std::size_t begin = place == 0 ? 0 : tasks_[place - 1].predecessors_end;
    return std::span(predecessors_).subspan(begin, tasks_[place].predecessors_end - begin);
  }
  [[nodiscard]] std::span<const std::uint32_t> exclusions(std::size_t place) const noexcept {
    const std::size_t begin = place == 0 ? 0 : tasks_[place - 1].exclusions_end;
    return std::span(exclusions_).subspan(begin, tasks_[place].exclusions_end - begin);
  }
  /// The first place whose task is not before `task`. Logarithmic.
  [[nodiscard]] std::size_t place_from(std::uint32_t task) const noexcept;
  /// nullopt: it is no dataflow task. Logarithmic.
  [[nodiscard]] std::optional<std::size_t> place_of(std::uint32_t task) const noexcept {
    const std::size_t place = place_from(task);
    return place < size() && tasks_[place].task == task ? std::optional(place) : std::nullopt;
  }
  [[nodiscard]] bool has(std::uint32_t task) const noexcept { return place_of(task).has_value(); }

  friend bool operator==(const flow_order&, const flow_order&) = default;

 private:
  struct flow_task {
    std::uint32_t task;
    std::uint32_t creator;
    std::uint64_t predecessors_end;
    std::uint64_t exclusions_end;
    friend constexpr bool operator==(const flow_task&, const flow_task&) = default;
  };

  std::vector<flow_task> tasks_;
  std::vector<std::uint32_t> predecessors_;
  std::vector<std::uint32_t> exclusions_;
  std::uint32_t exclusion_numbers_ = 0;
};

}  // namespace nearfork::recordings
