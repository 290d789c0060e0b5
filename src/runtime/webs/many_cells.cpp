// The part of a task web that is about ranges of many cells: reads of them, see read_blocks.hpp; updates in any order,
// which make one cell of them; and ends for lists of tasks that many others wait for.
#include "runtime/cells/read_blocks.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <new>
#include <utility>

#include "runtime/webs/task_web.hpp"

namespace nearfork {

using detail::access_parts;

namespace {

/// At the borders of a range up to so many cells are read one by one: smaller blocks would cost more.
constexpr std::uintptr_t most_cells_beside_blocks = 8;
/// Accesses of many cells that visit no more cells a task than this are precise, and cheap enough: a visit takes 15 ns.
constexpr std::uint64_t cells_a_task = 8;
constexpr std::uint64_t cells_at_first = 1'024;

}  // namespace

/// Puts one end, which waits for all of them, in place of all tasks but the newest. So m tasks that n tasks wait for
/// make m + n dependences in place of m * n. No end may wait for the task that is being added, which would wait for it;
/// and none for the ends of a parent that is being added, which wait for the parent.
void task_web::join_others(kept_tasks& list, std::uint32_t least) {
  if (list.others == nullptr || list.count < least) return;
  for (const task_link* each = list.others; each != nullptr; each = each->next)
    if (each->task == adding_ || each->task->of_opened_scope) return;
  end_task& end = make_end(*list.newest);
  const started_at_end now{*this, end};
  try {
    if (notes_ != nullptr) [[unlikely]]
      notes_->add(end);
    for (const task_link* each = list.others; each != nullptr; each = each->next) depend(end, *each->task);
  } catch (...) {
    end_incomplete(end, {});
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

/// Adds the tasks of a list. The newest one last: if it is the task that is being added, it stays the newest, which no
/// end waits for.
void task_web::keep_all(kept_tasks& list, const kept_tasks& more) {
  for (const task_link* each = more.others; each != nullptr; each = each->next) keep(list, *each->task);
  if (more.newest != nullptr) keep(list, *more.newest);
}

// --- reads ---

/// True if precise accesses of many cells, with these cells, have taken more than the tasks of the graph are worth.
bool task_web::visits_too_many(std::size_t cells) noexcept {
  visited_ += cells;
  return visited_ > cells_at_first + cells_a_task * added_;
}

/// [RB2]
void task_web::take_over_readers(data_cell& cell) {
  for (read_block* each = cell.block; each != nullptr; each = each->around) {
    if (each->read_at <= cell.seen_at) continue;
    if (cell.kind != access_kind::read) {
      let_go(cell.before);
      cell.before = std::exchange(cell.group, {});
      cell.kind = access_kind::read;
      cell.rule = nullptr;
      if (cell.alone != nullptr) let_go_of(*std::exchange(cell.alone, nullptr));
    }
    join_others(each->readers);
    keep_all(cell.group, each->readers);
  }
  cell.seen_at = now_->blocks.now();
}

/// [RB3]
void task_web::note_change(const data_cell& cell, dataflow_task& one) {
  for (read_block* each = cell.block; each != nullptr; each = each->around) {
    each->changed = true;
    keep(each->changers, one);
  }
}

/// A list that is read again unchanged will be read more often.
void task_web::read_whole(dataflow_task& one, read_block& what) {
  join_others(what.changers, std::exchange(what.changed, false) ? most_others : 2);
  what.changers.for_each([&](dataflow_task& each) { depend(one, each); });
  if (waits_ != nullptr) depend_in_parent(what.changers);
  keep(what.readers, one);
  what.read_at = now_->blocks.tick();
}

read_block& task_web::block_at(const block_place& place, dataflow_task& reader) {
  if (read_block* const found = now_->blocks.find(place)) return *found;
  read_block& made = now_->blocks.add(place);
  const std::uintptr_t begin = now_->blocks.byte_at(place.begin);
  const std::uintptr_t end = begin + place.size;
  try {
    bool is_changer = false;
    now_->for_each_between(begin, end, [&](const data_cell& cell) {
      (cell.kind == access_kind::read ? cell.before : cell.group).for_each([&](dataflow_task& task) {
        if (&task == &reader) is_changer = true;
        else keep(made.changers, task);
      });
    });
    if (is_changer) keep(made.changers, reader);  // as the newest, which no end waits for
  } catch (...) {
    let_go(made.changers);
    now_->blocks.drop(made);
    (void)now_->blocks.chain_at(begin);
    throw;
  }
  now_->for_each_between(begin, end, [&](data_cell& cell) {
    read_block** at = &cell.block;
    while (*at != nullptr && (*at)->place.size < place.size) at = &(*at)->around;
    *at = &made;
  });
  return made;
}

void task_web::read_cells(dataflow_task& one, std::uintptr_t begin, std::uintptr_t end, const access_parts& what) {
  if (begin >= end) return;
  now_->fill(begin, end);
  now_->for_each_between(begin, end, [&](data_cell& cell) { depend_on_cell(one, cell, what); });
}

/// Of many cells: block by block.
void task_web::read_range(dataflow_task& one, std::uintptr_t begin, std::uintptr_t end, const access_parts& what) {
  now_->begin_cell(begin, end);  // [RB1]
  now_->cut_at(end);
  const std::uintptr_t unit = std::bit_ceil(
      std::max<std::uintptr_t>(1, std::min(most_cells_beside_blocks * now_->least_bytes(), (end - begin) / 8)));
  read_blocks& blocks = now_->blocks;
  blocks.expect(begin);
  const std::uintptr_t last = blocks.at(end) & ~(unit - 1);
  std::uintptr_t at = (blocks.at(begin) + unit - 1) & ~(unit - 1);
  read_cells(one, begin, std::min(end, blocks.byte_at(at)), what);
  while (at < last) {
    const std::uintptr_t size = std::min(at & (~at + 1), std::bit_floor(last - at));
    read_block& block = block_at({at, size}, one);
    if (opened_ != nullptr) open_block(block, end);
    read_whole(one, block);
    at += size;
  }
  read_cells(one, blocks.byte_at(at), end, what);
}

// --- updates in any order ---

/// The cells become one. Those that joined the group of some cells so far are ordered before those that join it later:
/// those would else wait for different tasks in each cell.
void task_web::update_range(dataflow_task& one, const std::vector<data_cell*>& cells, const access_parts& what) {
  kept_tasks earlier;
  bool is_earlier = false;
  auto alone = std::make_unique<exclusion>(exclusion{.users = 1});
  try {
    for (data_cell* const each : cells) {
      if (each->block != nullptr) take_over_readers(*each);
      each->group.for_each([&](dataflow_task& task) {
        if (&task == &one) is_earlier = true;
        else keep(earlier, task);
      });
    }
    join_others(earlier);
    earlier.for_each([&](dataflow_task& each) { depend(one, each); });
    if (is_earlier) keep(earlier, one);
  } catch (...) {
    let_go(earlier);
    throw;
  }
  for (data_cell* const each : cells) {
    let_go_of(*each);
    each->alone = nullptr;
  }
  now_->merge(cells);
  data_cell& whole = *cells.front();
  whole.kind = what.kind;
  whole.rule = what.rule;
  whole.before = earlier;
  whole.alone = alone.release();
  keep(whole.group, one);
  note_change(whole, one);
  exclude(one, *whole.alone);
}

// --- blocks that end ---

void task_web::forget(read_block& one) noexcept {
  let_go(one.readers);
  let_go(one.changers);
}

/// Before the cells are dropped.
void task_web::forget_blocks(data_cells& of) noexcept {
  of.blocks.drop_if([&](read_block& each) {
    forget(each);
    return true;
  });
}

/// Blocks whose tasks are all over.
void task_web::drop_idle_blocks() noexcept {
  if (cells_.blocks.is_empty()) return;
  cells_.blocks.for_each([&](read_block& each) { each.is_idle = is_idle(each.readers) && is_idle(each.changers); });
  const auto skip_idle = [](read_block*& from) {
    while (from != nullptr && from->is_idle) from = from->around;
  };
  cells_.for_each_between(0, ~std::uintptr_t{0}, [&](data_cell& each) { skip_idle(each.block); });
  cells_.blocks.for_each([&](read_block& each) { skip_idle(each.around); });
  cells_.blocks.drop_if([&](read_block& each) {
    if (each.is_idle) forget(each);
    return each.is_idle;
  });
}

}  // namespace nearfork
