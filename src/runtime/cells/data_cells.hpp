// Which tasks accessed which bytes last. The bytes are cut into cells, so that each access covers whole cells.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <nearfork/detail/dataflow/access_parts.hpp>
#include <nearfork/detail/dataflow/dataflow_task.hpp>

#include "runtime/cells/kept_tasks.hpp"
#include "runtime/cells/ordered_cells.hpp"
#include "runtime/cells/read_blocks.hpp"
#include "runtime/cells/reduction_copies.hpp"

namespace nearfork::detail {

/// Lets one task at a time touch some data.
struct exclusion {
  dataflow_task* holder = nullptr;
  dataflow_task* waiting = nullptr;
  std::uint64_t asked_by = 0;               // the newest task that must have it, counted as they are added; 0: none
  std::uint32_t users = 0;                  // cells and tasks
  std::unique_ptr<shared_copies> copies{};  // for accumulations
};
struct exclusion_link {
  exclusion* what = nullptr;
  exclusion_link* next = nullptr;
};

}  // namespace nearfork::detail

namespace nearfork {

using detail::access_kind;
using detail::exclusion;
using detail::exclusion_link;

/// Some bytes, and the last two groups of tasks that access them. The tasks of a group do not depend on each other, but
/// on all of the group before.
struct data_cell {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  data_cell* previous = nullptr;
  data_cell* next = nullptr;  // by address; gaps may lie between
  access_kind kind = access_kind::write;
  /// What nested tasks may do, in the cells of their parent's accesses.
  enum class grant : std::uint8_t { nothing, read, write } granted = grant::nothing;
  const detail::reduction_rule* rule = nullptr;
  exclusion* alone = nullptr;
  kept_tasks group{};
  kept_tasks before{};          // empty if no task can join the group
  read_block* block = nullptr;  // the smallest one that it belongs to
  std::uint64_t seen_at = 0;    // by the clock of the blocks: when it took over their readers
};

/// What the cells of a graph are made of.
using cell_store = ordered_cells<data_cell>::store;

class data_cells {
 public:
  /// Copies what a cell keeps, for the second half of a cell that is cut. If it throws, that half keeps nothing.
  using copy_cell = void (*)(void* owner, data_cell& from, data_cell& to);
  data_cells(copy_cell copy_one, void* owner, cell_store& store) : copy_(copy_one), owner_(owner), all_(store) {}
  data_cells(const data_cells&) = delete;
  data_cells& operator=(const data_cells&) = delete;

  /// The cell of exactly these bytes; nullptr: there is none.
  [[nodiscard]] data_cell* find_exact(std::uintptr_t begin, std::uintptr_t end) noexcept {
    data_cell* const found = find(begin);
    return found != nullptr && found->end == end ? found : nullptr;
  }
  /// The cells that together are these bytes. Cuts cells at the borders, and makes cells where there are none.
  /// Valid until the next call. Throws std::bad_alloc.
  [[nodiscard]] const std::vector<data_cell*>& cover(std::uintptr_t begin, std::uintptr_t end);
  /// Makes a cell begin here. Cuts the cell that has this byte, or makes one of at most these bytes.
  void begin_cell(std::uintptr_t begin, std::uintptr_t end);
  /// Cuts the cell that has this byte and the one before.
  void cut_at(std::uintptr_t border);
  /// Makes cells where there are none, and cuts none.
  void fill(std::uintptr_t begin, std::uintptr_t end);
  /// What is known of [begin, end) is kept from `to` on, too, where there are no cells. Throws std::bad_alloc, and then
  /// a part of it is kept there.
  void copy(std::uintptr_t begin, std::uintptr_t end, std::uintptr_t to);
  /// The begin of the first cell that begins at or behind this byte; `otherwise`: there is none.
  [[nodiscard]] std::uintptr_t next_begin(std::uintptr_t from, std::uintptr_t otherwise) const noexcept {
    const data_cell* const next = all_.first_from(from);
    return next == nullptr ? otherwise : next->begin;
  }
  /// An access of these bytes is about to come: others may be meanwhile.
  void expect(std::uintptr_t begin) const noexcept {
    if (!table_.empty()) __builtin_prefetch(&table_[slot_of(begin)], 1);
  }
  /// Of all cells since all were dropped; not 0.
  [[nodiscard]] std::uintptr_t least_bytes() const noexcept { return least_bytes_; }
  /// Makes one cell of cells that lie side by side; all but the first keep nothing any more.
  void merge(const std::vector<data_cell*>& cells);
  /// All of these bytes are in cells that grant at least this.
  [[nodiscard]] bool grant(data_cell::grant least, std::uintptr_t begin, std::uintptr_t end) const noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
  /// How many begin in these bytes, and at most `most`. O(most).
  [[nodiscard]] std::size_t count_between(std::uintptr_t begin, std::uintptr_t end, std::size_t most) const noexcept {
    std::size_t count = 0;
    for (const data_cell* at = all_.first_from(begin); count < most && at != nullptr && at->begin < end; at = at->next)
      ++count;
    return count;
  }
  /// Those that begin in these bytes.
  template <class Use>
  void for_each_between(std::uintptr_t begin, std::uintptr_t end, const Use& use) {
    for (data_cell* at = all_.first_from(begin); at != nullptr && at->begin < end; at = at->next) use(*at);
  }
  /// Calls end_cell(cell) for the cells that begin in these bytes, and drops them.
  template <class End>
  void drop_between(std::uintptr_t begin, std::uintptr_t end, const End& end_cell) {
    for (data_cell* at = all_.first_from(begin); at != nullptr && at->begin < end;) {
      data_cell& one = *std::exchange(at, at->next);
      end_cell(one);
      drop(one);
    }
  }
  /// Drops the cells for which drop(cell) is true. drop() has ended what such a cell keeps.
  template <class Drop>
  void drop_if(const Drop& drop) {
    const std::size_t before = size();
    for (data_cell* each = all_.first(); each != nullptr;) {
      data_cell& one = *std::exchange(each, each->next);
      if (drop(one)) all_.drop(one);
    }
    if (size() == before) return;
    have_slots(needs_smaller_table() ? slots_for(size()) : table_.size());
    for (data_cell* each = all_.first(); each != nullptr; each = each->next) put(*each);
    if (size() == 0) least_bytes_ = no_cells;
  }
  /// Calls end(cell) for each cell and drops all. O(cells): a table for many more has a smaller one afterwards.
  template <class End>
  void drop_all(const End& end) {
    if (size() == 0) return;
    have_slots(needs_smaller_table() ? slots_for(size()) : table_.size());
    all_.drop_all(end);
    least_bytes_ = no_cells;
  }

  read_blocks blocks;  // that these cells belong to

 private:
  struct slot {
    std::uintptr_t begin = 0;
    data_cell* cell = nullptr;
  };
  static constexpr std::uintptr_t no_cells = std::uintptr_t{1} << 40;
  static constexpr std::size_t least_slots = 64;

  [[nodiscard]] std::size_t slot_of(std::uintptr_t begin) const noexcept {
    return static_cast<std::size_t>((static_cast<std::uint64_t>(begin) * 0x9E3779B97F4A7C15U) >> shift_);
  }
  [[nodiscard]] data_cell* find(std::uintptr_t begin) const noexcept {
    if (table_.empty()) return nullptr;
    for (std::size_t i = slot_of(begin); table_[i].cell != nullptr; i = (i + 1) & (table_.size() - 1))
      if (table_[i].begin == begin) return table_[i].cell;
    return nullptr;
  }
  /// The same as cover() for cells that are there already, and whose borders suit. False: they are not.
  [[nodiscard]] bool follow(std::uintptr_t begin, std::uintptr_t end);
  void cut(data_cell& one, std::uintptr_t at);
  data_cell& make(data_cell* left, std::uintptr_t begin, std::uintptr_t end);
  void drop(data_cell& one) noexcept;
  void erase_from_table(const data_cell& one) noexcept;
  void put(data_cell& one) noexcept;
  void grow_table();
  [[nodiscard]] static std::size_t slots_for(std::size_t cells) noexcept {
    return std::max(least_slots, 2 * std::bit_ceil(cells + 1));
  }
  [[nodiscard]] bool needs_smaller_table() const noexcept { return table_.size() > 8 * slots_for(size()); }
  /// Empty ones, not more than there are.
  void have_slots(std::size_t slots) noexcept;

  const copy_cell copy_;
  void* const owner_;
  ordered_cells<data_cell> all_;
  std::vector<slot> table_;  // by begin; open addressing, at most half full
  unsigned shift_ = 64;
  std::uintptr_t least_bytes_ = no_cells;
  std::vector<data_cell*> covered_;
};

}  // namespace nearfork
