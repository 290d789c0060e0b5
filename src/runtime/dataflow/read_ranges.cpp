// The part of a task web that is about data which many tasks read as a whole: see read_ranges.hpp, and ends for lists
// of tasks that many others wait for.
#include "runtime/webs/read_ranges.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "runtime/dataflow/task_web.hpp"

namespace nearfork {

/// Puts one end, which waits for all of them, in place of all tasks but the newest. So m tasks that n tasks wait for
/// make m + n dependences in place of m * n. No end may wait for the task that is being added, which would wait for it;
/// and none for the ends of a parent that is being added, which wait for the parent.
void task_web::join_others(kept_tasks& list) {
  if (list.others == nullptr || list.count < most_others || opened_ != nullptr) return;
  for (const task_link* each = list.others; each != nullptr; each = each->next)
    if (each->task == adding_) return;
  end_task& end = make_end(*list.newest);
  const started_at_end now{*this, end};
  try {
    if (notes_ != nullptr) [[unlikely]]
      notes_->add(end);
    for (const task_link* each = list.others; each != nullptr; each = each->next) depend(end, *each->task);
  } catch (...) {
    end_incomplete(end);
    throw;
  }
  ++end.holders;
  for (task_link* each = std::exchange(list.others->next, nullptr); each != nullptr;) {
    let_go(*each->task);
    links_.give(std::exchange(each, each->next));
  }
  let_go(*std::exchange(list.others->task, &end));
  list.count = 1;
  list.prune_at = most_others;
}

/// [RR1]
void task_web::take_over_readers(data_cell& cell) {
  read_range& whole = *cell.range;
  if (cell.reads_seen == whole.reads) return;
  if (cell.kind != access_kind::read) {
    let_go(cell.before);
    cell.before = std::exchange(cell.group, {});
    cell.kind = access_kind::read;
    cell.rule = nullptr;
    if (cell.alone != nullptr) let_go_of(*std::exchange(cell.alone, nullptr));
  }
  join_others(whole.readers);
  // The newest one last: if it is the task that is being added, it stays the newest, which no end waits for.
  for (const task_link* each = whole.readers.others; each != nullptr; each = each->next) keep(cell.group, *each->task);
  keep(cell.group, *whole.readers.newest);
  cell.reads_seen = whole.reads;
}

/// [RR2]
void task_web::read_as_whole(dataflow_task& one, read_range& whole) {
  join_others(whole.changers);
  whole.changers.for_each([&](dataflow_task& each) { depend(one, each); });
  keep(whole.readers, one);
  ++whole.reads;
}

/// `cells`: all of the range, as they were before `one`, which reads them all.
read_range& task_web::make_range(const std::vector<data_cell*>& cells, dataflow_task& one) {
  for (const data_cell* const each : cells)
    if (each->range != nullptr) end_range(*each->range);
  read_range& made = ranges_.add(cells.front()->begin, cells.back()->end);
  try {
    bool is_changer = false;
    for (const data_cell* const each : cells)
      (each->kind == access_kind::read ? each->before : each->group).for_each([&](dataflow_task& task) {
        if (&task == &one) is_changer = true;
        else keep(made.changers, task);
      });
    if (is_changer) keep(made.changers, one);  // as the newest, which no end waits for
  } catch (...) {
    let_go(made.changers);
    ranges_.drop(made);
    throw;
  }
  for (data_cell* const each : cells) {
    each->range = &made;
    each->reads_seen = 0;
  }
  return made;
}

/// Its cells take over what is noted in the range.
void task_web::end_range(read_range& whole) {
  cells_.for_each_between(whole.begin, whole.end, [this](data_cell& each) { take_over_readers(each); });
  forget(whole);
  ranges_.drop(whole);
}

void task_web::forget(read_range& whole) noexcept {
  cells_.for_each_between(whole.begin, whole.end, [](data_cell& each) { each.range = nullptr; });
  let_go(whole.readers);
  let_go(whole.changers);
}

/// [RR3] Before cells become one that lies not within one range.
void task_web::end_ranges_across(const std::vector<data_cell*>& cells) {
  for (const data_cell* const each : cells)
    if (each->range != cells.front()->range) {
      for (data_cell* const other : cells)
        if (other->range != nullptr) end_range(*other->range);
      return;
    }
}

}  // namespace nearfork
