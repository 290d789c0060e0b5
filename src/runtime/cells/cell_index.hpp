// Finds cells by address. Where each cell was a node of a tree, a new one among 65,000 took 210 ns, most of it waiting
// for memory. Here 16 to 32 neighbours lie in one leaf, 16 to 32 leaves in one branch, and the branches in one row.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/cells/link_store.hpp"
#include "runtime/cells/sorted_places.hpp"

namespace nearfork {

/// Cells by where they begin; no two begin at the same byte. O(log cells), and O(cells / 500) for one in 500.
template <class Cell>
class cell_index {
  struct leaf : sorted_places<Cell*, 32> {
    leaf* previous = nullptr;  // by address
    leaf* next = nullptr;      // by address, or free
  };
  /// The begin of a leaf is a byte that is not behind the first cell in it, nor before one of the leaf to the left.
  struct branch : sorted_places<leaf*, 32> {
    branch* next = nullptr;  // free
  };

 public:
  /// What indexes are made of. Several may share them.
  struct parts {
    explicit parts(web_memory& memory) noexcept : leaves(memory), branches(memory) {}
    link_store<leaf> leaves;
    link_store<branch> branches;
  };
  explicit cell_index(parts& of) noexcept : parts_(of) {}

  /// The last one that begins at this byte or before; nullptr: there is none.
  [[nodiscard]] Cell* last_until(std::uintptr_t begin) const noexcept {
    if (is_before_all(begin)) return nullptr;
    const leaf& found = leaf_of(begin);
    if (const std::size_t count = found.count_until(begin); count > 0) return found.values[count - 1];
    const leaf* const left = found.previous;
    return left == nullptr ? nullptr : left->values[left->count - 1];
  }
  /// Throws std::bad_alloc, and then nothing has changed.
  void insert(Cell& one) {
    if (row_.empty()) return add_leaf(nullptr, one.begin).insert(0, one.begin, &one);
    if (is_before_all(one.begin)) row_[0].begin = row_[0].at->begins[0] = one.begin;
    leaf& found = leaf_of(one.begin);
    const std::size_t place = found.count_until(one.begin);
    if (!found.is_full()) return found.insert(place, one.begin, &one);
    if (place == found.count) return add_leaf(&found, one.begin).insert(0, one.begin, &one);
    leaf& upper = add_leaf(&found, found.begins[found.lower_half]);
    found.give_upper_half(upper);
    if (place <= found.count) found.insert(place, one.begin, &one);
    else upper.insert(place - found.count, one.begin, &one);
  }
  void erase(const Cell& one) noexcept {
    leaf& found = leaf_of(one.begin);
    found.erase(found.count_until(one.begin) - 1);
    if (found.count == 0) drop(found, one.begin);
  }
  void clear() noexcept {
    for (const entry& each : row_) {
      for (std::size_t i = 0; i < each.at->count; ++i) parts_.leaves.give(each.at->values[i]);
      parts_.branches.give(each.at);
    }
    row_.clear();
    forget_fingers();
  }

 private:
  struct entry {
    std::uintptr_t begin;
    branch* at;
  };
  /// Where a leaf is noted.
  struct noted {
    std::size_t branch;
    std::size_t place;
  };
  /// A leaf that was found lately, and the bytes that it is for. Tasks mostly name some arrays in turn, each in order.
  struct finger {
    std::uintptr_t begin = 1;
    std::uintptr_t end = 0;
    leaf* found = nullptr;
    [[nodiscard]] bool has(std::uintptr_t byte) const noexcept { return begin <= byte && byte < end; }
  };

  [[nodiscard]] bool is_before_all(std::uintptr_t begin) const noexcept {
    return row_.empty() || begin < row_.front().begin;
  }
  /// Of a byte that is not before all.
  [[nodiscard]] leaf& leaf_of(std::uintptr_t begin) const noexcept {
    for (const finger& each : fingers_)
      if (each.has(begin)) return *each.found;
    return find_leaf(begin);
  }
  __attribute__((noinline)) leaf& find_leaf(std::uintptr_t begin) const noexcept {
    const noted at = place_of(begin);
    const branch& around = *row_[at.branch].at;
    finger& next = fingers_[std::exchange(next_finger_, (next_finger_ + 1) % fingers_.size())];
    next = {.begin = around.begins[at.place], .end = ~std::uintptr_t{0}, .found = around.values[at.place]};
    if (at.place + 1 < around.count) next.end = around.begins[at.place + 1];
    else if (at.branch + 1 < row_.size()) next.end = row_[at.branch + 1].begin;
    return *next.found;
  }
  [[nodiscard]] noted place_of(std::uintptr_t begin) const noexcept {
    const auto behind = std::ranges::upper_bound(row_, begin, {}, &entry::begin);
    const auto found = static_cast<std::size_t>(behind - row_.begin()) - 1;
    return {found, row_[found].at->count_until(begin) - 1};
  }
  void forget_fingers() noexcept { fingers_.fill({}); }

  /// Without cells, for bytes from `begin` on. Right behind `left`; nullptr: it is the first of all. Throws
  /// std::bad_alloc, and then nothing has changed.
  leaf& add_leaf(leaf* left, std::uintptr_t begin) {
    if (row_.size() == row_.capacity()) row_.reserve(8 + 2 * row_.size());
    parts_.branches.have_one();
    leaf& made = *parts_.leaves.take();
    made.count = 0;
    made.previous = left;
    made.next = left == nullptr ? nullptr : left->next;
    if (left != nullptr) left->next = &made;
    if (made.next != nullptr) made.next->previous = &made;
    note(left == nullptr ? noted{0, 0} : behind(place_of(left->begins[0])), begin, made);
    forget_fingers();
    return made;
  }
  /// The place behind this one, where there is room.
  [[nodiscard]] noted behind(noted left) noexcept {
    const noted next{left.branch, left.place + 1};
    branch& around = *row_[left.branch].at;
    if (!around.is_full()) return next;
    if (next.place == around.count) return {next.branch + 1, 0};
    branch& upper = *parts_.branches.take();
    around.give_upper_half(upper);
    add_branch(left.branch + 1, upper.begins[0], upper);
    return next.place <= around.count ? next : noted{next.branch + 1, next.place - around.count};
  }
  void add_branch(std::size_t at, std::uintptr_t begin, branch& made) noexcept {
    row_.insert(row_.begin() + static_cast<std::ptrdiff_t>(at), entry{begin, &made});
  }
  /// A place that is the first of a branch is that of a new branch.
  void note(noted at, std::uintptr_t begin, leaf& made) noexcept {
    if (at.place == 0) {
      branch& fresh = *parts_.branches.take();
      fresh.count = 0;
      add_branch(at.branch, begin, fresh);
    }
    row_[at.branch].at->insert(at.place, begin, &made);
  }
  void drop(leaf& empty, std::uintptr_t begin) noexcept {
    if (empty.previous != nullptr) empty.previous->next = empty.next;
    if (empty.next != nullptr) empty.next->previous = empty.previous;
    const noted at = place_of(begin);
    branch& around = *row_[at.branch].at;
    around.erase(at.place);
    parts_.leaves.give(&empty);
    if (around.count > 0) row_[at.branch].begin = around.begins[0];
    else {
      row_.erase(row_.begin() + static_cast<std::ptrdiff_t>(at.branch));
      parts_.branches.give(&around);
    }
    forget_fingers();
  }

  parts& parts_;
  std::vector<entry> row_;
  mutable std::array<finger, 4> fingers_{};
  mutable std::size_t next_finger_ = 0;
};

}  // namespace nearfork
