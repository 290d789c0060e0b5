// Finds cells by address. Where each cell was a node of a tree, a new one among 65,000 took 210 ns, most of it waiting
// for memory. Here 16 to 32 neighbours lie in one leaf, and there is a tree of the leaves alone: 110 ns.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>

namespace nearfork {

/// Cells by where they begin; no two begin at the same byte. O(log cells).
template <class Cell>
class cell_index {
 public:
  /// The last one that begins at this byte or before; nullptr: there is none.
  [[nodiscard]] Cell* last_until(std::uintptr_t begin) const noexcept {
    for (auto at = behind(leaves_, begin); at != leaves_.begin();) {
      const leaf& found = (--at)->second;
      if (const std::size_t place = found.first_behind(begin); place > 0) return found.cells[place - 1];
    }
    return nullptr;
  }
  /// Throws std::bad_alloc, and then nothing has changed.
  void insert(Cell& one) {
    if (leaves_.empty()) return add_leaf(leaves_.end(), one);
    auto at = behind(leaves_, one.begin);
    if (at == leaves_.begin()) {  // before all: their leaf is renamed
      auto first = leaves_.extract(at);
      first.key() = one.begin;
      at = std::next(leaves_.insert(leaves_.begin(), std::move(first)));
    }
    recent_ = std::prev(at);
    leaf& found = recent_->second;
    const std::size_t place = found.first_behind(one.begin);
    if (found.count < leaf::most) return found.insert(place, one);
    if (place == leaf::most) return add_leaf(at, one);
    leaf& upper = leaves_.emplace_hint(at, found.begins[leaf::most / 2], leaf{})->second;
    found.give_upper_half(upper);
    if (place <= leaf::most / 2) found.insert(place, one);
    else upper.insert(place - leaf::most / 2, one);
  }
  void erase(const Cell& one) noexcept {
    const auto at = std::prev(behind(leaves_, one.begin));
    at->second.erase(at->second.first_behind(one.begin) - 1);
    if (at->second.count > 0) return;
    leaves_.erase(at);
    recent_ = leaves_.end();
  }
  void clear() noexcept {
    leaves_.clear();
    recent_ = leaves_.end();
  }

 private:
  struct leaf {
    static constexpr std::size_t most = 32;
    std::size_t count = 0;  // at least one
    std::array<std::uintptr_t, most> begins;
    std::array<Cell*, most> cells;

    [[nodiscard]] std::size_t first_behind(std::uintptr_t begin) const noexcept {
      return static_cast<std::size_t>(std::upper_bound(begins.begin(), begins.begin() + count, begin) - begins.begin());
    }
    void insert(std::size_t place, Cell& one) noexcept {
      std::copy_backward(begins.begin() + place, begins.begin() + count, begins.begin() + count + 1);
      std::copy_backward(cells.begin() + place, cells.begin() + count, cells.begin() + count + 1);
      begins[place] = one.begin;
      cells[place] = &one;
      ++count;
    }
    void erase(std::size_t place) noexcept {
      std::copy(begins.begin() + place + 1, begins.begin() + count, begins.begin() + place);
      std::copy(cells.begin() + place + 1, cells.begin() + count, cells.begin() + place);
      --count;
    }
    void give_upper_half(leaf& upper) noexcept {
      std::copy(begins.begin() + most / 2, begins.end(), upper.begins.begin());
      std::copy(cells.begin() + most / 2, cells.end(), upper.cells.begin());
      upper.count = most - most / 2;
      count = most / 2;
    }
  };

  using tree = std::map<std::uintptr_t, leaf>;

  /// The first leaf whose name is behind this byte. Mostly cells come in order, so that it is the one after the last
  /// one's leaf.
  template <class Tree>
  [[nodiscard]] auto behind(Tree& leaves, std::uintptr_t begin) const noexcept -> decltype(leaves.end()) {
    if (recent_ != leaves.end() && recent_->first <= begin) {
      const decltype(leaves.end()) next = std::next(recent_);
      if (next == leaves.end() || next->first > begin) return next;
    }
    return leaves.upper_bound(begin);
  }
  void add_leaf(typename tree::iterator before, Cell& one) {
    recent_ = leaves_.emplace_hint(before, one.begin, leaf{});
    recent_->second.insert(0, one);
  }

  tree leaves_;  // named by a byte that is not behind the first begin in it, nor before one of the leaf to the left
  typename tree::iterator recent_ = leaves_.end();  // or another, or the end
};

}  // namespace nearfork
