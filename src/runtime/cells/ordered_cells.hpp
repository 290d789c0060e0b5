// Cells in the order of their bytes: a list, and an index that finds a cell by a byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "runtime/cells/cell_index.hpp"
#include "runtime/cells/link_store.hpp"

namespace nearfork {

/// No two begin at the same byte. A cell has `begin`, `previous` and `next`. Complexity: as of cell_index.
template <class Cell>
class ordered_cells {
 public:
  /// What they are made of. Several may share it.
  struct store {
    explicit store(web_memory& memory) noexcept : cells(memory), of_index(memory) {}
    link_store<Cell> cells;
    cell_index<Cell>::parts of_index;
  };
  explicit ordered_cells(store& of) noexcept : store_(of.cells), order_(of.of_index) {}
  ordered_cells(const ordered_cells&) = delete;
  ordered_cells& operator=(const ordered_cells&) = delete;

  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  /// nullptr: there is none.
  [[nodiscard]] Cell* first() const noexcept { return first_; }
  /// The last one that begins at this byte or before; nullptr: there is none.
  [[nodiscard]] Cell* last_until(std::uintptr_t begin) const noexcept { return order_.last_until(begin); }
  /// The first one that begins at this byte or behind; nullptr: there is none.
  [[nodiscard]] Cell* first_from(std::uintptr_t begin) const noexcept {
    Cell* const left = last_until(begin);
    return left != nullptr && left->begin == begin ? left : behind(left);
  }
  /// The first one that ends behind this byte; nullptr: there is none.
  [[nodiscard]] Cell* first_behind(std::uintptr_t byte) const noexcept {
    Cell* const left = last_until(byte);
    return left != nullptr && left->end > byte ? left : behind(left);
  }
  /// The next one. nullptr: before all; and there is none.
  [[nodiscard]] Cell* behind(Cell* left) const noexcept { return left == nullptr ? first_ : left->next; }

  /// Behind `left`, which is the last one that begins before it; nullptr: before all. Throws std::bad_alloc, and then
  /// nothing has changed.
  Cell& add(Cell* left, const Cell& like) {
    Cell& made = *store_.take();
    made = like;
    made.previous = left;
    made.next = behind(left);
    try {
      order_.insert(made);
    } catch (...) {
      store_.give(&made);
      throw;
    }
    link_behind(left) = &made;
    if (made.next != nullptr) made.next->previous = &made;
    ++count_;
    return made;
  }
  void drop(Cell& one) noexcept {
    order_.erase(one);
    link_behind(one.previous) = one.next;
    if (one.next != nullptr) one.next->previous = one.previous;
    --count_;
    store_.give(&one);
  }
  /// Calls end(cell) for each and drops all. O(n).
  template <class End>
  void drop_all(const End& end) {
    if (count_ == 0) return;
    Cell* last = first_;
    for (Cell* each = first_; each != nullptr; each = each->next) end(*(last = each));
    store_.give_list(std::exchange(first_, nullptr), last);
    order_.clear();
    count_ = 0;
  }

 private:
  [[nodiscard]] Cell*& link_behind(Cell* left) noexcept { return left == nullptr ? first_ : left->next; }

  link_store<Cell>& store_;
  cell_index<Cell> order_;
  Cell* first_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace nearfork
