#include "runtime/webs/data_cells.hpp"

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
  auto at = behind(begin);
  if (at != by_begin_.begin()) {
    const auto left = std::prev(at);
    if (left->second.begin == begin) at = left;
    else if (left->second.end > begin) {
      cut(left, begin);
      at = std::next(left);
    }
  }
  while (begin < end) {
    if (at == by_begin_.end() || at->second.begin > begin) {
      const std::uintptr_t next = at == by_begin_.end() ? end : std::min(end, at->second.begin);
      covered_.push_back(&make(at, begin, next));
      begin = next;
      continue;
    }
    if (at->second.end > end) cut(at, end);
    covered_.push_back(&at->second);
    begin = at->second.end;
    ++at;
  }
  return covered_;
}

/// The first cell that begins behind this byte. Most accesses to new bytes come in order, and make their cells one
/// behind the other: then it is found without a search.
data_cells::tree::iterator data_cells::behind(std::uintptr_t begin) {
  if (newest_ != by_begin_.end() && newest_->first <= begin) {
    const auto next = std::next(newest_);
    if (next == by_begin_.end() || next->first > begin) return next;
  }
  return by_begin_.upper_bound(begin);
}

void data_cells::begin_cell(std::uintptr_t begin, std::uintptr_t end) {
  if (find(begin) != nullptr) return;
  const auto next = by_begin_.upper_bound(begin);
  if (next != by_begin_.begin() && std::prev(next)->second.end > begin) return cut(std::prev(next), begin);
  make(next, begin, next == by_begin_.end() ? end : std::min(end, next->first));
}

void data_cells::cut_at(std::uintptr_t border) {
  if (find(border) != nullptr) return;
  const auto next = by_begin_.upper_bound(border);
  if (next != by_begin_.begin() && std::prev(next)->second.end > border) cut(std::prev(next), border);
}

void data_cells::fill(std::uintptr_t begin, std::uintptr_t end) {
  auto next = by_begin_.upper_bound(begin);
  if (next != by_begin_.begin()) begin = std::max(begin, std::prev(next)->second.end);
  for (; begin < end; ++next) {
    const std::uintptr_t until = next == by_begin_.end() ? end : std::min(end, next->first);
    if (begin < until) make(next, begin, until);
    if (next == by_begin_.end()) return;
    begin = next->second.end;
  }
}

void data_cells::merge(const std::vector<data_cell*>& cells) {
  data_cell& whole = *cells.front();
  const std::uintptr_t end = cells.back()->end;
  for (std::size_t i = 1; i < cells.size(); ++i) {
    erase_from_table(*cells[i]);
    by_begin_.erase(cells[i]->begin);
  }
  newest_ = by_begin_.end();
  whole.end = end;
}

bool data_cells::grant(data_cell::grant least, std::uintptr_t begin, std::uintptr_t end) const noexcept {
  auto at = by_begin_.upper_bound(begin);
  if (at != by_begin_.begin()) --at;
  for (; begin < end; ++at) {
    if (at == by_begin_.end() || at->second.begin > begin || at->second.end <= begin || at->second.granted < least)
      return false;
    begin = at->second.end;
  }
  return true;
}

void data_cells::cut(tree::iterator one, std::uintptr_t at) {
  data_cell& left = one->second;
  data_cell& right = make(std::next(one), at, left.end);
  left.end = at;
  least_bytes_ = std::min(least_bytes_, at - left.begin);
  copy_(owner_, left, right);
}

data_cell& data_cells::make(tree::iterator before, std::uintptr_t begin, std::uintptr_t end) {
  if (2 * (by_begin_.size() + 1) > table_.size()) grow_table();
  newest_ = by_begin_.emplace_hint(before, begin, data_cell{.begin = begin, .end = end});
  data_cell& made = newest_->second;
  put(made);
  least_bytes_ = std::min(least_bytes_, end - begin);
  if (!blocks.is_empty()) [[unlikely]]
    made.block = blocks.chain_at(begin);  // [RB1]
  return made;
}

void data_cells::put(data_cell& one) noexcept {
  std::size_t i = slot_of(one.begin);
  while (table_[i] != nullptr) i = (i + 1) & (table_.size() - 1);
  table_[i] = &one;
}

/// Moves later entries of the run back, so that no gap ends a search too early.
void data_cells::erase_from_table(const data_cell& one) noexcept {
  const std::size_t mask = table_.size() - 1;
  std::size_t gap = slot_of(one.begin);
  while (table_[gap] != &one) gap = (gap + 1) & mask;
  for (std::size_t i = (gap + 1) & mask; table_[i] != nullptr; i = (i + 1) & mask) {
    const std::size_t wanted = slot_of(table_[i]->begin);
    if (((i - wanted) & mask) < ((i - gap) & mask)) continue;
    table_[gap] = table_[i];
    gap = i;
  }
  table_[gap] = nullptr;
}

void data_cells::grow_table() {
  std::vector<data_cell*> before(std::max(least_slots, 2 * table_.size()), nullptr);
  table_.swap(before);
  shift_ = 64 - static_cast<unsigned>(std::countr_zero(table_.size()));
  for (data_cell* const one : before)
    if (one != nullptr) put(*one);
}

void data_cells::have_slots(std::size_t slots) noexcept {
  if (slots == 0) return;
  table_.resize(slots);
  std::ranges::fill(table_, nullptr);
  shift_ = 64 - static_cast<unsigned>(std::countr_zero(slots));
}

}  // namespace nearfork
