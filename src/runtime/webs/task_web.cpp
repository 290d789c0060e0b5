#include "runtime/webs/task_web.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "runtime/webs/flow_record.hpp"

namespace nearfork {

using detail::access_parts;

namespace {

/// A write of more cells makes one cell of them. Fewer stay cut: a task that reads the border of its neighbour's block
/// would cut them again.
constexpr std::size_t most_cells_of_a_write = 64;
/// Other accesses of no more cells are noted cell by cell: to look for blocks takes as long as some tens of cells.
constexpr std::size_t most_cells_by_themselves = 64;
/// Nor are the cells of one band of a tile, if there are no more.
constexpr std::size_t most_cells_of_a_part = 8;

}  // namespace

/// Its end changes nothing any more for tasks that come later. What is noted has all the same that they wait for it.
bool task_web::is_over(const dataflow_task& one) const noexcept {
  return one.is_done() && !one.is_lost() && notes_ == nullptr;
}

// --- adding ---

void task_web::add_plain(dataflow_task& one, std::span<const access> accesses) {
  ++unfinished_;
  ++added_;
  adding_ = &one;
  one.pending = 1;  // so that no task that ends meanwhile starts it
  const started_at_end end{*this, one};
  for (const access& each : accesses) cells_.expect(reinterpret_cast<std::uintptr_t>(each.parts().data));
  try {
    if (one.priority != 0) [[unlikely]]
      ready_.accept_priorities();
    if (notes_ != nullptr) [[unlikely]]
      notes_->add(one);
    for (const access& each : accesses) {
      const access_parts& what = each.parts();
      if (what.kind == access_kind::commutative) one.excludes = true;
      depend_on_memory(one, what);
    }
  } catch (...) {
    end_incomplete(one, accesses);
    throw;
  }
}

/// Where the task is noted in a cell, it waits for all that it must wait for there. So tasks that come later may wait
/// for it, and go on as if it were not there. That does not hold for who waits for what it should write.
void task_web::end_incomplete(dataflow_task& one, std::span<const access> accesses) noexcept {
  const auto is_in_memory = [](const access& each) {
    return each.parts().buffer == nullptr && each.parts().stream == nullptr;
  };
  one.left_out = one.kind->nested == nullptr && std::ranges::all_of(accesses, is_in_memory);
  if (!one.left_out) one.skipped = true;
  if (notes_ != nullptr) notes_->become_incomplete();
}

void task_web::add(dataflow_task& one, std::span<const access> accesses, dataflow_task* parent, std::uint32_t own) {
  ++unfinished_;
  ++added_;
  adding_ = &one;
  one.pending = 1;  // so that no task that ends meanwhile starts it
  for (const access& each : accesses) {
    if (each.parts().kind == access_kind::commutative) one.excludes = true;
    if (each.parts().kind == access_kind::reduction) one.folds = true;
    if (each.parts().buffer != nullptr) each.parts().buffer->add_holder();
  }
  const started_at_end end{*this, one};
  const struct graph_again {
    task_web& web;
    ~graph_again() { web.now_ = &web.cells_; }
  } cells_of_graph{*this};
  try {
    if (one.priority != 0) ready_.accept_priorities();
    if (notes_ != nullptr) [[unlikely]]
      notes_->add(one);
    if (parent != nullptr) now_ = &parent->kind->nested(*parent)->cells;
    if (one.kind->nested != nullptr) add_parent(one, accesses);
    if (parent != nullptr) hold_open(*parent->kind->nested(*parent), one, accesses);
    if (one.kind->nested != nullptr) return;
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      const access_parts& what = accesses[i].parts();
      if (what.stream != nullptr) layer_->join(one, i, what, own);
      else if (what.buffer == nullptr) depend_on_memory(one, what);
      else if (what.kind == access_kind::read) read_buffer(one, *what.buffer);
      else write_buffer(one, one.kind->arguments(one)[i]);
      if (what.rule != nullptr) copy_for(one, i, what);
    }
  } catch (...) {
    end_incomplete(one, accesses);
    throw;
  }
}

inline void task_web::depend_on_memory(dataflow_task& one, const access_parts& what) {
  if (what.bytes == 0) return;
  auto begin = reinterpret_cast<std::uintptr_t>(what.data);
  if (what.pieces == 1) [[likely]]
    if (data_cell* const exact = now_->find_exact(begin, begin + what.bytes)) return depend_on_cell(one, *exact, what);
  depend_on_pieces(one, what);
}

void task_web::depend_on_pieces(dataflow_task& one, const access_parts& what) {
  if (now_ == &cells_ && cells_.size() >= purge_at_) purge();
  cells_of_access_ = 0;
  const auto begin = reinterpret_cast<std::uintptr_t>(what.data);
  if (what.pieces == 1 && bands_.is_empty()) return depend_on_piece(one, begin, begin + what.bytes, what);
  if (what.stride_bytes != what.bytes || what.pieces == 1) return depend_by_bands(one, what);
  access_parts without_gaps = what;  // is one range: 128 pieces took 12 us, a range 0.2
  without_gaps.bytes *= what.pieces;
  without_gaps.pieces = 1;
  depend_on_pieces(one, without_gaps);
}

void task_web::depend_on_piece(dataflow_task& one, std::uintptr_t begin, std::uintptr_t end, const access_parts& what) {
  if (data_cell* const exact = now_->find_exact(begin, end)) return depend_on_cell(one, *exact, what);
  if (what.kind == access_kind::read && opened_ != nullptr) [[unlikely]]
    return depend_on_opened_read(one, begin, end, what);
  depend_on_range(one, begin, end, what, opening::blocks);
}

void task_web::depend_on_range(dataflow_task& one, std::uintptr_t begin, std::uintptr_t end, const access_parts& what,
                               opening by) {
  const bool reads = what.kind == access_kind::read && by == opening::blocks;
  if (reads && !now_->blocks.is_empty()) {
    read_blocks& blocks = now_->blocks;
    if (blocks.find(largest_block(blocks.at(begin), blocks.at(end))) != nullptr)
      return read_range(one, begin, end, what);
  }
  const auto& cells = now_->cover(begin, end);
  cells_of_access_ += cells.size();
  if (cells_of_access_ > most_cells_by_themselves && cells.size() > most_cells_of_a_part &&
      what.kind != access_kind::write && (reads || what.kind != access_kind::read) && visits_too_many(cells.size()))
    return reads ? read_range(one, begin, end, what) : update_range(one, cells, what);
  for (data_cell* const each : cells) depend_on_cell(one, *each, what);
  if (what.kind != access_kind::write || cells.size() <= most_cells_of_a_write) return;
  for (std::size_t i = 1; i < cells.size(); ++i) let_go(cells[i]->group);
  now_->merge(cells);
}

void task_web::depend_on_cell(dataflow_task& one, data_cell& cell, const access_parts& what) {
  if (cell.block != nullptr) [[unlikely]]
    take_over_readers(cell);
  if (opened_ != nullptr) [[unlikely]]
    open_cell(cell, what);
  const bool joins = what.kind == cell.kind && what.kind != access_kind::write && what.rule == cell.rule;
  if (joins) {
    if (cell.before.count >= most_others) [[unlikely]]
      join_others(cell.before);
    depend_on_all(one, cell.before);
  } else {
    const bool alone = what.kind == access_kind::commutative || what.kind == access_kind::reduction;
    std::unique_ptr<exclusion> made(alone ? new exclusion{.users = 1} : nullptr);
    depend_on_all(one, cell.group);
    let_go(cell.before);
    if (what.kind == access_kind::write) let_go(cell.group);
    else cell.before = std::exchange(cell.group, {});
    cell.kind = what.kind;
    cell.rule = what.rule;
    let_go(std::exchange(cell.alone, made.release()));
  }
  keep(cell.group, one);
  if (cell.block != nullptr && what.kind != access_kind::read) [[unlikely]]
    note_change(cell, one);
  if (cell.alone != nullptr) exclude(one, *cell.alone);
}

inline void task_web::depend_on_all(dataflow_task& one, const kept_tasks& others) {
  others.for_each([&](dataflow_task& each) { depend(one, each); });
  if (waits_ != nullptr) [[unlikely]]
    depend_in_parent(others);
}

void task_web::depend(dataflow_task& one, dataflow_task& on) {
  if (&one == &on) return;
  if (notes_ != nullptr) [[unlikely]]
    notes_->add_dependence(one.place, on.place);
  if (on.is_done()) {
    if (on.is_lost()) one.skipped = true;
    return;
  }
  if (on.successors.newest() == &one) return;
  on.successors.add(one, links_);
  ++one.pending;
}

// --- what cells keep ---

/// Makes the newest one of the others.
__attribute__((noinline)) void task_web::keep_also(kept_tasks& list) {
  if (list.count >= list.prune_at) prune(list);
  task_link* const link = links_.take();
  *link = {list.newest, list.others};
  list.others = link;
  ++list.count;
}

__attribute__((noinline)) void task_web::let_go_of_others(kept_tasks& list) noexcept {
  for (task_link* each = list.others; each != nullptr;) {
    let_go(*each->task);
    links_.give(std::exchange(each, each->next));
  }
  list = {};
}

void task_web::prune(kept_tasks& list) noexcept {
  for (task_link** at = &list.others; *at != nullptr;) {
    if (!is_over(*(*at)->task)) {
      at = &(*at)->next;
      continue;
    }
    let_go(*(*at)->task);
    links_.give(std::exchange(*at, (*at)->next));
    --list.count;
  }
  list.prune_at = list.count < 4 ? 8 : 2 * list.count;
}

void task_web::let_go_of(data_cell& cell) noexcept {
  let_go(cell.group);
  let_go(cell.before);
  let_go(cell.alone);
}

kept_tasks task_web::copy_of(const kept_tasks& list) {
  kept_tasks copy;
  try {
    for (const task_link* each = list.others; each != nullptr; each = each->next) keep(copy, *each->task);
    if (list.newest != nullptr) keep(copy, *list.newest);
  } catch (...) {
    let_go(copy);
    throw;
  }
  return copy;
}

/// m tasks in one cell that n tasks cut would make m * n dependences. Throws std::bad_alloc, and then `to` keeps
/// nothing.
void task_web::copy_kept(data_cell& from, data_cell& to) {
  if (from.block != nullptr) take_over_readers(from);
  join_others(from.group);
  join_others(from.before);
  kept_tasks group = copy_of(from.group);
  try {
    to.before = copy_of(from.before);
  } catch (...) {
    let_go(group);
    throw;
  }
  to.group = group;
  to.granted = from.granted;
  to.kind = from.kind;
  to.rule = from.rule;
  to.alone = from.alone;
  if (to.alone != nullptr) ++to.alone->users;
}

/// For data_cells.
void task_web::copy_cut(void* self, data_cell& from, data_cell& to) {
  auto& me = *static_cast<task_web*>(self);
  me.copy_kept(from, to);
  if (to.block == nullptr) return;
  to.seen_at = me.now_->blocks.now();  // `from` has taken over what is noted in blocks that only `to` belongs to
  try {
    (to.kind == access_kind::read ? to.before : to.group).for_each([&](dataflow_task& each) {
      me.note_change(to, each);
    });
  } catch (...) {
    me.let_go_of(to);
    throw;
  }
}

bool task_web::is_idle(const kept_tasks& list) const noexcept {
  bool idle = true;
  list.for_each([&](const dataflow_task& each) { idle = idle && is_over(each); });
  return idle;
}

void task_web::purge() noexcept {
  purge_at_ = 2 * purge_at_;
  if (notes_ != nullptr) return;                                 // all of it is needed
  if (std::exchange(ended_at_purge_, ended_) == ended_) return;  // so is all since the last time
  drop_idle_blocks();
  cells_.drop_if([&](data_cell& each) {
    if (each.block != nullptr) return false;  // readers of the block may be noted there alone
    if (!is_idle(each.group) || !is_idle(each.before)) return false;
    let_go_of(each);
    return true;
  });
  bands_.drop_unknown();
  purge_at_ = cells_.size() < 512 ? 1024 : 2 * cells_.size();
}

void task_web::forget_all() noexcept {
  forget(cells_);
  bands_.drop_all();
  added_ = 0;
  visited_ = 0;
}

void task_web::forget(data_cells& of) noexcept {
  forget_blocks(of);
  of.drop_all([this](data_cell& each) { let_go_of(each); });
}

// --- running ---

void task_web::become_ready(dataflow_task& one, turn when) noexcept {
  if (one.flow_accesses == 0 || one.skipped || one.next_step != dataflow_task::step::body) [[likely]]
    return ready_.add(one, when);
  one.next = nullptr;
  (first_activated_ == nullptr ? first_activated_ : last_activated_->next) = &one;
  last_activated_ = &one;
  ++activated_;
}

dataflow_task* task_web::take_activated(std::uint32_t& count) noexcept {
  count = std::exchange(activated_, 0);
  return std::exchange(first_activated_, nullptr);
}

void task_web::start(dataflow_task& one, turn when) noexcept {
  const bool alone = one.next_step == dataflow_task::step::fold || (one.excludes && !one.skipped);
  if (!alone || try_exclude(one)) become_ready(one, when);
}

void task_web::end(dataflow_task& one, task_end how) noexcept {
  if (how == task_end::failed) one.failed = true;
  if (how == task_end::skipped) one.skipped = true;
  if (one.next_step == dataflow_task::step::body && one.folds && leave_copies(one) && !try_fold_at_once(one)) {
    one.next_step = dataflow_task::step::fold;
    return start(one, turn::next);
  }
  finish(one);
}

void task_web::finish(dataflow_task& one) noexcept {
  one.next_step = dataflow_task::step::done;
  if (one.exclusions != nullptr) end_exclusions(one);
  if (replays_) {
    if (one.kind->arguments != nullptr) note_buffers(one);
    return script_->end(one, [this](dataflow_task& next) { start(next, turn::next); });
  }
  --unfinished_;
  ++ended_;
  if (one.kind->nested != nullptr) end_scope(one);
  if (one.kind->arguments != nullptr) end_arguments(one);
  while (!one.successors.is_empty()) {
    dataflow_task& next = one.successors.take(links_);
    if (one.is_lost()) next.skipped = true;
    if (--next.pending == 0) start(next, turn::next);
  }
  if (one.holders == 0 && !is_in_script(one)) blocks_.give(&one, block_bytes_of(one));
}

// --- graphs that are kept ---

void task_web::begin_replay(replay_script& of) noexcept {
  script_ = &of;
  replays_ = true;
  of.begin([this](dataflow_task& first) { start(first, turn::last); });
}

void task_web::give_up(const replay_script& of) noexcept {
  for (dataflow_task* const each : of.tasks()) {
    forget_exclusions(*each);
    if (each->kind->arguments != nullptr)
      for (detail::dataflow_argument& one : each->kind->arguments(*each)) end_copy(one);
    blocks_.give(each, block_bytes_of(*each));
  }
}

}  // namespace nearfork
