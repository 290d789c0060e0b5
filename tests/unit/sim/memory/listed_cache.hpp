// A cache as in a textbook: each row is a list, the most recently used line first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/memory/line_cache.hpp"

namespace nearfork::sim {

class listed_cache {
 public:
  listed_cache(std::uint32_t sets, std::uint32_t ways) : ways_(ways), rows_(sets) {}

  line_cache::outcome touch(std::uint32_t line) {
    auto& row = rows_[line % rows_.size()];
    const auto found = std::find(row.begin(), row.end(), line);
    line_cache::outcome what{found != row.end(), line_cache::no_line};
    if (what.hit) row.erase(found);
    row.push_front(line);
    if (row.size() > ways_) {
      what.evicted = row.back();
      row.pop_back();
    }
    return what;
  }
  bool remove(std::uint32_t line) { return std::erase(rows_[line % rows_.size()], line) > 0; }
  [[nodiscard]] bool holds(std::uint32_t line) const {
    const auto& row = rows_[line % rows_.size()];
    return std::find(row.begin(), row.end(), line) != row.end();
  }

 private:
  std::size_t ways_;
  std::vector<std::deque<std::uint32_t>> rows_;
};

}  // namespace nearfork::sim
