// A list of dataflow tasks. The last task needs no link: most tasks have one successor, and so no link at all.
#pragma once

#include <cstdint>

namespace nearfork::detail {

class dataflow_task;

struct task_link {
  dataflow_task* task = nullptr;
  task_link* next = nullptr;
};

/// Its links belong to the store that add() was given.
class task_list {
 public:
  [[nodiscard]] bool is_empty() const noexcept { return first_ == 0; }
  /// The task that was added last; nullptr: the list is empty.
  [[nodiscard]] dataflow_task* newest() const noexcept {
    if (is_empty()) return nullptr;
    return names_task() ? as_task() : as_link()->task;
  }
  /// The list without its newest task, of which there must be one. It shares the links.
  [[nodiscard]] task_list rest() const noexcept {
    task_list others;
    if (!names_task()) others.first_ = reinterpret_cast<std::uintptr_t>(as_link()->next);
    return others;
  }
  /// Newest first.
  template <class Use>
  void for_each(const Use& use) const {
    for (task_list left = *this; !left.is_empty(); left = left.rest()) use(*left.newest());
  }
  /// Throws std::bad_alloc.
  template <class Links>
  void add(dataflow_task& one, Links& links) {
    if (is_empty()) {
      first_ = reinterpret_cast<std::uintptr_t>(&one) | task_mark;
      return;
    }
    task_link* const link = links.take();
    *link = {&one, reinterpret_cast<task_link*>(first_)};
    first_ = reinterpret_cast<std::uintptr_t>(link);
  }
  /// Removes the newest task, of which there must be one.
  template <class Links>
  dataflow_task& take(Links& links) noexcept {
    dataflow_task& taken = *newest();
    const task_list others = rest();
    if (!names_task()) links.give(as_link());
    *this = others;
    return taken;
  }

 private:
  static constexpr std::uintptr_t task_mark = 1;  // tasks and links lie at even addresses

  [[nodiscard]] bool names_task() const noexcept { return (first_ & task_mark) != 0; }
  [[nodiscard]] dataflow_task* as_task() const noexcept { return reinterpret_cast<dataflow_task*>(first_ - task_mark); }
  [[nodiscard]] task_link* as_link() const noexcept { return reinterpret_cast<task_link*>(first_); }

  std::uintptr_t first_ = 0;  // 0: empty; a marked task, which is the last one; else a link, whose next is such a word
};

}  // namespace nearfork::detail
