#include "runtime/cells/data_cells.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace nearfork {

bool data_cells::follow(std::uintptr_t begin, std::uintptr_t end) {
  while (begin < end) {
    data_cell* const next = find(begin);
    if (next == nullptr || next->end > end) return false;
    covered_.push_back(next);
    begin = next->end;
  }
  return true;
}

const std::vector<data_cell*>& data_cells::cover(std::uintptr_t begin, std::uintptr_t end) {
  covered_.clear();
  if (follow(begin, end)) return covered_;
  covered_.clear();
  data_cell* left = all_.last_until(begin);
  if (left != nullptr && left->begin == begin) left = left->previous;
  else if (left != nullptr && left->end > begin) cut(*left, begin);
  for (; begin < end; begin = left->end) {
    data_cell* const next = all_.behind(left);
    if (next == nullptr || next->begin > begin)
      left = &make(left, begin, next == nullptr ? end : std::min(end, next->begin));
    else {
      if (next->end > end) cut(*next, end);
      left = next;
    }
    covered_.push_back(left);
  }
  return covered_;
}

void data_cells::begin_cell(std::uintptr_t begin, std::uintptr_t end) {
  if (find(begin) != nullptr) return;
  data_cell* const left = all_.last_until(begin);
  if (left != nullptr && left->end > begin) return cut(*left, begin);
  const data_cell* const next = all_.behind(left);
  make(left, begin, next == nullptr ? end : std::min(end, next->begin));
}

void data_cells::cut_at(std::uintptr_t border) {
  if (find(border) != nullptr) return;
  data_cell* const left = all_.last_until(border);
  if (left != nullptr && left->end > border) cut(*left, border);
}

void data_cells::fill(std::uintptr_t begin, std::uintptr_t end) {
  data_cell* left = all_.last_until(begin);
  if (left != nullptr) begin = std::max(begin, left->end);
  while (begin < end) {
    data_cell* const next = all_.behind(left);
    const std::uintptr_t until = next == nullptr ? end : std::min(end, next->begin);
    if (begin < until) make(left, begin, until);
    if (next == nullptr) return;
    begin = next->end;
    left = next;
  }
}

void data_cells::copy(std::uintptr_t begin, std::uintptr_t end, std::uintptr_t to) {
  if (!blocks.is_empty()) fill(begin, end);  // a block may be all that knows who reads the bytes between cells
  data_cell* from = all_.first_behind(begin);
  data_cell* left = all_.last_until(to);
  for (; from != nullptr && from->begin < end; from = from->next) {
    data_cell& made = make(left, to + (std::max(begin, from->begin) - begin), to + (std::min(end, from->end) - begin));
    try {
      copy_(owner_, *from, made);
    } catch (...) {
      drop(made);
      throw;
    }
    left = &made;
  }
}

void data_cells::merge(const std::vector<data_cell*>& cells) {
  data_cell& whole = *cells.front();
  const std::uintptr_t end = cells.back()->end;
  for (std::size_t i = 1; i < cells.size(); ++i) drop(*cells[i]);
  whole.end = end;
}

bool data_cells::grant(data_cell::grant least, std::uintptr_t begin, std::uintptr_t end) const noexcept {
  const data_cell* at = all_.last_until(begin);
  for (; begin < end; at = at->next) {
    if (at == nullptr || at->begin > begin || at->end <= begin || at->granted < least) return false;
    begin = at->end;
  }
  return true;
}

void data_cells::cut(data_cell& one, std::uintptr_t at) {
  data_cell& right = make(&one, at, one.end);
  try {
    copy_(owner_, one, right);
  } catch (...) {
    drop(right);
    throw;
  }
  one.end = at;
  least_bytes_ = std::min(least_bytes_, at - one.begin);
}

data_cell& data_cells::make(data_cell* left, std::uintptr_t begin, std::uintptr_t end) {
  if (2 * (size() + 1) > table_.size()) grow_table();
  data_cell& made = all_.add(left, {.begin = begin, .end = end});
  put(made);
  least_bytes_ = std::min(least_bytes_, end - begin);
  if (!blocks.is_empty()) [[unlikely]]
    made.block = blocks.chain_at(begin);  // [RB1]
  return made;
}

void data_cells::drop(data_cell& one) noexcept {
  erase_from_table(one);
  all_.drop(one);
}

void data_cells::put(data_cell& one) noexcept {
  std::size_t i = slot_of(one.begin);
  while (table_[i].cell != nullptr) i = (i + 1) & (table_.size() - 1);
  table_[i] = {one.begin, &one};
}

/// Moves later entries of the run back, so that no gap ends a search too early.
void data_cells::erase_from_table(const data_cell& one) noexcept {
  const std::size_t mask = table_.size() - 1;
  std::size_t gap = slot_of(one.begin);
  while (table_[gap].cell != &one) gap = (gap + 1) & mask;
  for (std::size_t i = (gap + 1) & mask; table_[i].cell != nullptr; i = (i + 1) & mask) {
    const std::size_t wanted = slot_of(table_[i].begin);
    if (((i - wanted) & mask) < ((i - gap) & mask)) continue;
    table_[gap] = table_[i];
    gap = i;
  }
  table_[gap] = {};
}

void data_cells::grow_table() {
  std::vector<slot> before(std::max(least_slots, 2 * table_.size()));
  table_.swap(before);
  shift_ = 64 - static_cast<unsigned>(std::countr_zero(table_.size()));
  for (const slot& each : before)
    if (each.cell != nullptr) put(*each.cell);
}

void data_cells::have_slots(std::size_t slots) noexcept {
  if (slots == 0) return;
  table_.resize(slots);
  std::ranges::fill(table_, slot{});
  shift_ = 64 - static_cast<unsigned>(std::countr_zero(slots));
}

}  // namespace nearfork
