// What the tasks that are nested in one task depend on: the data cells of the parent's accesses, which begin as the
// cells around the parent were before it; and for each access its *end*, a task without a body, which stands for the
// access in the cells around the parent.
//
// [NS1] An end is ready when the parent has returned, the nested tasks that touch its data have ended, and what came
//      before the parent has, too. So a task that waits for the end waits for all that the access stands for.
// [NS2] A nested task waits for what the parent would have waited for in the cells that it touches, never for an end of
//      its own parent. So no two wait for each other.
#pragma once

#include <nearfork/detail/dataflow/dataflow_task.hpp>

#include "runtime/cells/access_ranges.hpp"
#include "runtime/cells/data_cells.hpp"

namespace nearfork {

class nested_scope {
 public:
  nested_scope(data_cells::copy_cell copy, void* owner, cell_store& store) : cells(copy, owner, store) {}

  data_cells cells;
  access_ranges ends;  // of all pieces of each access
  nested_scope* previous = nullptr;
  nested_scope* next = nullptr;  // that is open
};

/// The end of an access: nothing to call.
class end_task final : public detail::dataflow_task {
 public:
  explicit end_task(const call_site& parent) noexcept : dataflow_task(kind_of_end, parent) {}

 private:
  static void call_nothing(dataflow_task& /*self*/) noexcept {}
  static constexpr detail::dataflow_kind kind_of_end{
      .call = &call_nothing, .drop = nullptr, .arguments = nullptr, .nested = nullptr, .bytes = sizeof(dataflow_task)};
};

}  // namespace nearfork
