// How often lines of each page came from memory, and what that tells of the chunks of a program's data.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/profile/gauging.hpp"
#include "sim/memory/pages/page_map.hpp"

namespace nearfork::sim {

/// Pages of one array that follow plans.
struct followed_array {
  std::uint64_t first_page = 0;
  std::uint64_t pages = 0;
};

class page_heat {
 public:
  /// From now on lines are counted, from 0.
  void begin(std::uint64_t pages) { lines_.assign(pages, 0); }
  /// From now on none are.
  void end() noexcept { lines_.clear(); }
  void add(std::uint64_t page, std::uint32_t lines = 1) noexcept {
    if (!lines_.empty()) [[unlikely]]
      lines_[page] += lines;
  }

  /// What is counted so far, sampled as on threads. Pages that lie nowhere are no chunk's.
  [[nodiscard]] gauging gauged(std::span<const followed_array> arrays, const page_map& pages) const;

 private:
  std::vector<std::uint32_t> lines_;  // by page; empty: not counted
};

}  // namespace nearfork::sim
