// Ranges of many cells that tasks read as a whole, again and again, while other tasks change single cells. To note each
// reader in each cell would take the square of the number of tasks: 4000 readers and 4000 writers in turn took 3.1 s
// so, and take 3.2 ms.
//
// [RR1] The tasks that read a range as a whole are noted in the range. A cell of the range takes them over when it is
//      accessed next; until then its own notes are those of the time before.
// [RR2] Each task that changes a cell of a range is noted in the range, too, and is never taken out before it is over.
//      So a task that reads the whole waits for `changers` alone. Those that a later change of the same cell has
//      replaced make it wait no longer: the later one waits for them.
// [RR3] A cell belongs to one range or none, and all cells between the borders of a range belong to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "runtime/webs/data_cells.hpp"

namespace nearfork {

struct read_range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::uint32_t reads = 0;  // of the whole
  kept_tasks readers{};     // of the whole
  kept_tasks changers{};
};

class read_ranges {
 public:
  using tree = std::map<std::uintptr_t, read_range>;

  /// The range of exactly these bytes; nullptr: there is none.
  [[nodiscard]] read_range* find(std::uintptr_t begin, std::uintptr_t end) noexcept {
    if (all_.empty()) [[likely]]
      return nullptr;
    const auto found = all_.find(begin);
    return found != all_.end() && found->second.end == end ? &found->second : nullptr;
  }
  /// True if the same bytes were asked for before, and no others since that have the same entry: a range pays when it
  /// is read again. Throws std::bad_alloc.
  [[nodiscard]] bool is_read_again(std::uintptr_t begin, std::uintptr_t end) {
    if (read_once_.empty()) read_once_.resize(entries);
    const std::uint64_t mixed = (static_cast<std::uint64_t>(begin) ^ end << 20) * 0x9E3779B97F4A7C15U;
    return std::exchange(read_once_[mixed >> (64 - entry_bits)], {begin, end}) == std::pair{begin, end};
  }
  /// No other range may meet these bytes. Throws std::bad_alloc.
  [[nodiscard]] read_range& add(std::uintptr_t begin, std::uintptr_t end) {
    return all_.insert_or_assign(begin, read_range{.begin = begin, .end = end}).first->second;
  }
  /// The caller has let go of its tasks, and its cells no longer name it.
  void drop(read_range& one) noexcept { all_.erase(one.begin); }
  /// The same for all ranges for which drop(range) is true.
  template <class Drop>
  void drop_if(const Drop& drop) {
    for (auto at = all_.begin(); at != all_.end();) at = drop(at->second) ? all_.erase(at) : std::next(at);
  }

 private:
  // A graph of tiles may read some hundred ranges in turn.
  static constexpr unsigned entry_bits = 10;
  static constexpr std::size_t entries = std::size_t{1} << entry_bits;

  tree all_;
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> read_once_;  // by a hash; empty: none was read
};

}  // namespace nearfork
