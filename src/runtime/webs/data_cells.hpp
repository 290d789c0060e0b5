// Which tasks accessed which bytes last. The bytes are cut into cells, so that each access covers whole cells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include <nearfork/detail/dataflow/access_parts.hpp>
#include <nearfork/detail/dataflow/dataflow_task.hpp>

#include "runtime/webs/link_store.hpp"

namespace nearfork::detail {

/// Lets one task at a time touch some data.
struct exclusion {
  dataflow_task* holder = nullptr;
  dataflow_task* waiting = nullptr;
  std::uint32_t users = 0;  // cells and tasks
};
struct exclusion_link {
  exclusion* what = nullptr;
  exclusion_link* next = nullptr;
};

}  // namespace nearfork::detail

namespace nearfork {

using detail::access_kind;
using detail::dataflow_task;
using detail::exclusion;
using detail::exclusion_link;
using detail::task_link;

/// Tasks whose records a cell keeps.
struct kept_tasks {
  dataflow_task* newest = nullptr;  // most lists have no other, and need no link
  task_link* others = nullptr;      // none without a newest
  std::uint32_t count = 0;          // of the others
  std::uint32_t prune_at = 8;       // then the others are searched for tasks that are done

  template <class Use>
  void for_each(const Use& use) const {
    if (newest != nullptr) use(*newest);
    for (const task_link* each = others; each != nullptr; each = each->next) use(*each->task);
  }
};

struct read_range;

/// Some bytes, and the last two groups of tasks that access them. The tasks of a group do not depend on each other, but
/// on all of the group before.
struct data_cell {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  access_kind kind = access_kind::write;
  const detail::reduction_rule* rule = nullptr;
  /// What nested tasks may do, in the cells of their parent's accesses.
  enum class grant : std::uint8_t { nothing, read, write } granted = grant::nothing;
  exclusion* alone = nullptr;
  kept_tasks group{};
  kept_tasks before{};  // empty if no task can join the group
  // See read_ranges.hpp.
  read_range* range = nullptr;
  std::uint32_t reads_seen = 0;  // of the range as a whole
};

class data_cells {
 public:
  /// Copies what a cell keeps, for the second half of a cell that is cut.
  using copy_cell = void (*)(void* owner, data_cell& from, data_cell& to);
  data_cells(copy_cell copy, void* owner) : copy_(copy), owner_(owner) {}

  /// The cell of exactly these bytes; nullptr: there is none.
  [[nodiscard]] data_cell* find_exact(std::uintptr_t begin, std::uintptr_t end) noexcept {
    data_cell* const found = find(begin);
    return found != nullptr && found->end == end ? found : nullptr;
  }
  /// The cells that together are these bytes. Cuts cells at the borders, and makes cells where there are none.
  /// Valid until the next call. Throws std::bad_alloc.
  [[nodiscard]] const std::vector<data_cell*>& cover(std::uintptr_t begin, std::uintptr_t end);
  /// Makes one cell of cells that lie side by side; all but the first keep nothing any more.
  void merge(const std::vector<data_cell*>& cells);
  /// All of these bytes are in cells that grant at least this.
  [[nodiscard]] bool grant(data_cell::grant least, std::uintptr_t begin, std::uintptr_t end) const noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return by_begin_.size(); }
  /// Those that begin in these bytes.
  template <class Use>
  void for_each_between(std::uintptr_t begin, std::uintptr_t end, const Use& use) {
    for (auto at = by_begin_.lower_bound(begin); at != by_begin_.end() && at->first < end; ++at) use(at->second);
  }
  /// Drops the cells for which drop(cell) is true. drop() has ended what such a cell keeps.
  template <class Drop>
  void drop_if(const Drop& drop) {
    for (auto at = by_begin_.begin(); at != by_begin_.end();)
      at = drop(at->second) ? by_begin_.erase(at) : std::next(at);
    fill_table(table_.size());
  }

 private:
  using tree = std::map<std::uintptr_t, data_cell>;

  [[nodiscard]] std::size_t slot_of(std::uintptr_t begin) const noexcept {
    return static_cast<std::size_t>((static_cast<std::uint64_t>(begin) * 0x9E3779B97F4A7C15U) >> shift_);
  }
  [[nodiscard]] data_cell* find(std::uintptr_t begin) const noexcept {
    if (table_.empty()) return nullptr;
    for (std::size_t i = slot_of(begin); table_[i] != nullptr; i = (i + 1) & (table_.size() - 1))
      if (table_[i]->begin == begin) return table_[i];
    return nullptr;
  }
  /// The same as cover() for cells that are there already, and whose borders suit. False: they are not.
  [[nodiscard]] bool follow(std::uintptr_t begin, std::uintptr_t end);
  void cut(tree::iterator one, std::uintptr_t at);
  data_cell& make(tree::iterator before, std::uintptr_t begin, std::uintptr_t end);
  void erase_from_table(const data_cell& one) noexcept;
  void put(data_cell& one) noexcept;
  void fill_table(std::size_t slots);

  const copy_cell copy_;
  void* const owner_;
  tree by_begin_;
  std::vector<data_cell*> table_;  // by begin; open addressing, at most half full
  unsigned shift_ = 64;
  std::vector<data_cell*> covered_;
};

}  // namespace nearfork
