// Lists of tasks whose records are kept: of those that accessed some data last.
#pragma once

#include <cstdint>

#include <nearfork/detail/dataflow/dataflow_task.hpp>
#include <nearfork/detail/dataflow/task_list.hpp>

namespace nearfork {

using detail::dataflow_task;
using detail::task_link;

struct kept_tasks {
  dataflow_task* newest = nullptr;  // most lists have no other, and need no link
  task_link* others = nullptr;      // none without a newest
  std::uint32_t count = 0;          // of the others
  std::uint32_t prune_at = 8;       // then the others are searched for tasks that are done

  template <class Use>
  void for_each(const Use& use) const {
    if (newest != nullptr) use(*newest);
    for (const task_link* each = others; each != nullptr; each = each->next) use(*each->task);
  }
};

}  // namespace nearfork
