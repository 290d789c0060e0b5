// The part of a task web that is about tasks nested in others: see nested_scope.hpp.
#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "runtime/webs/call_site_text.hpp"
#include "runtime/webs/nested_scope.hpp"
#include "runtime/webs/task_web.hpp"

namespace nearfork {

using detail::access_parts;

namespace {

std::uintptr_t begin_of(const access_parts& what) noexcept {
  return reinterpret_cast<std::uintptr_t>(what.data);
}
std::uintptr_t end_of(const access_parts& what) noexcept {
  return begin_of(what) + (what.pieces - 1) * what.stride_bytes + what.bytes;
}
bool is_empty(const access_parts& what) noexcept {
  return what.bytes == 0 || what.pieces == 0;
}

data_cell::grant needed_for(const access_parts& what) noexcept {
  return what.kind == access_kind::read ? data_cell::grant::read : data_cell::grant::write;
}

}  // namespace

std::string task_web::misuse_of_parent(const dataflow_task& one, std::span<const access> accesses,
                                       dataflow_task& parent) const {
  const data_cells& cells = parent.kind->nested(parent)->cells;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const access_parts& what = accesses[i].parts();
    if (what.stream != nullptr)
      return "nearfork: the task of " + to_text(one.where()) + ", which is nested in the task of " +
             to_text(parent.where()) + ", names a stream (access " + std::to_string(i + 1) +
             "); nested tasks name no streams: create the task by dataflow::task()";
    if (what.buffer != nullptr || is_empty(what)) continue;
    bool is_granted = true;
    bands_.for_each_range_now(what, [&](std::uintptr_t begin, std::uintptr_t end) {
      is_granted = is_granted && cells.grant(needed_for(what), begin, end);
    });
    if (!is_granted)
      return "nearfork: the task of " + to_text(one.where()) + (what.kind == access_kind::read ? " reads" : " writes") +
             " data that its parent, the task of " + to_text(parent.where()) + ", does not name for that (access " +
             std::to_string(i + 1) + "); name them in the parent's accesses, weakly if it does not touch them itself";
  }
  return {};
}

end_task& task_web::make_end(const dataflow_task& like) {
  auto& made = *::new (blocks_.take(sizeof(end_task))) end_task(like.where());
  made.priority = like.priority;
  made.pending = 1;
  ++unfinished_;
  return made;
}

/// Accesses that the parent waits for come first: afterwards its own ends hide what was before them.
void task_web::add_parent(dataflow_task& one, std::span<const access> accesses) {
  auto made = std::make_unique<nested_scope>(&copy_cut, this, cell_store_);
  made->ends.reserve(accesses.size());
  nested_scope& scope = *(one.kind->nested(one) = made.release());
  scope.next = std::exchange(open_scopes_, &scope);
  if (scope.next != nullptr) scope.next->previous = &scope;
  access_ranges changes;
  for (const access& each : accesses) {
    const access_parts& what = each.parts();
    if (what.kind != access_kind::read && !is_empty(what)) changes.add({begin_of(what), end_of(what)});
  }
  changes.sort();
  opened_ = &scope;
  opened_changes_ = &changes;
  const struct closed_at_end {
    task_web& web;
    ~closed_at_end() {
      web.opened_->ends.for_each([](const access_range& each) { each.task->of_opened_scope = false; });
      web.opened_ = nullptr;
      web.opened_changes_ = nullptr;
      web.waits_ = nullptr;
    }
  } closed{*this};
  for (const bool weak : {false, true})
    for (const access& each : accesses) {
      const access_parts& what = each.parts();
      if (what.weak != weak || is_empty(what)) continue;
      end_task& end = make_end(one);  // starts no sooner than the parent has returned
      end.of_opened_scope = true;
      scope.ends.add({begin_of(what), end_of(what), &end});
      if (notes_ != nullptr) [[unlikely]] {
        notes_->add(end);
        notes_->add_dependence(end.place, one.place);
      }
      waits_ = weak ? nullptr : &one;
      depend_on_pieces(end, what);
    }
  scope.ends.sort();
}

/// [NS2] What the parent would wait for in this cell.
void task_web::open_cell(data_cell& around, const access_parts& what) {
  for (data_cell* const each : opened_->cells.cover(around.begin, around.end)) {
    if (each->granted == data_cell::grant::nothing) {
      copy_kept(around, *each);
      each->granted = data_cell::grant::nothing;
    }
    each->granted = std::max(each->granted, needed_for(what));
  }
}

/// The same for the cells that begin in a block, as one: nested tasks that read one of them wait for those that changed
/// any. A parent that reads n elements would else open n cells.
void task_web::open_block(const read_block& around, std::uintptr_t end) {
  const std::uintptr_t first = now_->blocks.byte_at(around.place.begin);
  const std::uintptr_t behind = first + around.place.size;
  const std::uintptr_t begin = now_->next_begin(first, end);
  if (begin >= behind) return;
  for (data_cell* const each : opened_->cells.cover(begin, std::min(end, now_->next_begin(behind, end)))) {
    if (each->granted != data_cell::grant::nothing) continue;
    each->kind = access_kind::read;
    each->before = copy_of(around.changers);
    each->granted = data_cell::grant::read;
  }
}

/// Of what no access of the parent that is being added changes, no nested task changes a byte, and none of the parent's
/// ends is among those that changed it. So that part is opened in blocks, and the rest cell by cell.
void task_web::depend_on_opened_read(dataflow_task& one, std::uintptr_t begin, std::uintptr_t end,
                                     const access_parts& what) {
  if (is_band_address(begin)) {
    const bool changes = opened_changes_->any_meets(begin_of(what), end_of(what));
    return depend_on_range(one, begin, end, what, changes ? opening::cells : opening::blocks);
  }
  opened_changes_->cut(
      begin, end, [&](std::uintptr_t from, std::uintptr_t to) { depend_on_range(one, from, to, what, opening::cells); },
      [&](std::uintptr_t from, std::uintptr_t to) { depend_on_range(one, from, to, what, opening::blocks); });
}

void task_web::depend_in_parent(const kept_tasks& others) {
  others.for_each([&](dataflow_task& each) {
    if (!each.of_opened_scope) depend(*waits_, each);
  });
}

/// [NS1] The ends of the parent's accesses wait for `one`, and for the ends of its own accesses.
void task_web::hold_open(nested_scope& around, dataflow_task& one, std::span<const access> accesses) {
  for (const access& each : accesses) {
    const access_parts& what = each.parts();
    if (what.buffer != nullptr || is_empty(what)) continue;
    around.ends.for_each_that_meets(begin_of(what), end_of(what), [&](access_range& met) {
      if (std::exchange(met.held_by, added_) != added_) depend(*met.task, one);
    });
  }
  if (one.kind->nested == nullptr) return;
  one.kind->nested(one)->ends.for_each([&](const access_range& own) {
    around.ends.for_each_that_meets(own.begin, own.end, [&](const access_range& met) { depend(*met.task, *own.task); });
  });
}

void task_web::end_scope(dataflow_task& one) noexcept {
  const std::unique_ptr<nested_scope> scope(std::exchange(one.kind->nested(one), nullptr));
  if (scope == nullptr) return;
  scope->ends.for_each([&](const access_range& each) {
    if (one.is_lost()) each.task->skipped = true;
    if (--each.task->pending == 0) start(*each.task, turn::next);
  });
  forget(scope->cells);
  (scope->previous == nullptr ? open_scopes_ : scope->previous->next) = scope->next;
  if (scope->next != nullptr) scope->next->previous = scope->previous;
}

}  // namespace nearfork
