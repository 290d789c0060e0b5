// The tasks of a graph in the order of creation, and who depends on whom: for graphs that are kept, and for recordings.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <nearfork/detail/dataflow/dataflow_task.hpp>

namespace nearfork {

/// Written while tasks are added, under the graph's lock.
class task_notes {
 public:
  struct dependence {
    std::uint32_t of;
    std::uint32_t on;
  };

  /// The place of a task that could not be added.
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

  /// Gives the task its place. Throws std::bad_alloc; then the notes are incomplete.
  void add(detail::dataflow_task& one);
  /// By places. The same task may be named several times. Throws std::bad_alloc.
  void add_dependence(std::uint32_t of, std::uint32_t on);
  /// A task of the graph is not there, or not with all its dependences.
  void become_incomplete() noexcept { complete_ = false; }
  [[nodiscard]] bool is_complete() const noexcept { return complete_; }
  /// By place. Of a graph that is not kept, some may be gone.
  [[nodiscard]] std::span<detail::dataflow_task* const> tasks() const noexcept { return tasks_; }
  [[nodiscard]] std::span<const dependence> dependences() const noexcept { return dependences_; }

 protected:
  void forget_dependences() noexcept { dependences_ = {}; }

 private:
  bool complete_ = true;
  std::vector<detail::dataflow_task*> tasks_;
  std::vector<dependence> dependences_;
};

}  // namespace nearfork
