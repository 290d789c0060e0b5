// The part of a task web that is about tiles: see tile_bands.hpp.
#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/cells/tile_bands.hpp"
#include "runtime/webs/nested_scope.hpp"
#include "runtime/webs/task_web.hpp"

namespace nearfork {

void task_web::depend_by_bands(dataflow_task& one, const detail::access_parts& what) {
  bands_.for_each_range(what,
                        [&](std::uintptr_t begin, std::uintptr_t end) { depend_on_piece(one, begin, end, what); });
}

/// Each in turn is that of the task that is added.
template <class Use>
void task_web::known_in_cells::for_each_cells(const Use& use) const {
  const struct as_before {
    task_web& web;
    data_cells* before;
    ~as_before() { web.now_ = before; }
  } again{web, web.now_};
  const auto in = [&](data_cells& cells) { use(*(web.now_ = &cells)); };
  in(web.cells_);
  for (nested_scope* each = web.open_scopes_; each != nullptr; each = each->next) in(each->cells);
}

void task_web::known_in_cells::copy(std::uintptr_t begin, std::uintptr_t end, std::uintptr_t to) {
  for_each_cells([&](data_cells& cells) { cells.copy(begin, end, to); });
}

void task_web::known_in_cells::settle(std::uintptr_t begin, std::uintptr_t end) {
  for_each_cells([&](data_cells& cells) {
    if (!cells.blocks.is_empty()) cells.fill(begin, end);
    cells.cut_at(begin);
    cells.cut_at(end);
  });
}

void task_web::known_in_cells::add_borders(std::uintptr_t begin, std::uintptr_t end,
                                           std::vector<std::uintptr_t>& to) const {
  for_each_cells([&](data_cells& cells) {
    cells.for_each_between(begin, end, [&](const data_cell& each) {
      to.push_back(each.begin);
      to.push_back(each.end);
    });
  });
}

std::size_t task_web::known_in_cells::count(std::uintptr_t begin, std::uintptr_t end, std::size_t most) const noexcept {
  std::size_t count = 0;
  for_each_cells([&](const data_cells& cells) { count += cells.count_between(begin, end, most - count); });
  return count;
}

void task_web::known_in_cells::forget(std::uintptr_t begin, std::uintptr_t end) noexcept {
  for_each_cells(
      [&](data_cells& cells) { cells.drop_between(begin, end, [&](data_cell& each) { web.let_go_of(each); }); });
}

}  // namespace nearfork
