// Memory-side caches: fast memory before the memory of a node, which keeps lines of that memory alone, as the HBM of
// Knights Landing does in cache mode. Direct-mapped: a line has one place, and takes it from the line that was there.
//
// Its places are those of the node's memory, modulo its size. Pages lie in the node's memory one after the other, in
// the order in which they were used first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/programs/task_graph.hpp"

namespace nearfork::sim {

class side_caches {
 public:
  /// `lines_of_node`: the size of each node's cache; 0: it has none. Empty: no node has one.
  side_caches(const std::vector<std::uint64_t>& lines_of_node, std::uint64_t pages, std::uint32_t lines_of_page)
      : lines_of_page_(lines_of_page), frames_(lines_of_node.empty() ? 0 : pages) {
    for (const std::uint64_t lines : lines_of_node)
      caches_.push_back({lines, 0, std::vector<place>(std::min(lines, pages * lines_of_page))});
  }

  [[nodiscard]] bool empty() const noexcept { return caches_.empty(); }
  [[nodiscard]] bool has(std::uint32_t node) const noexcept { return caches_[node].lines > 0; }

  struct outcome {
    bool hit;
    bool drove_out_changed;  // a line that is newer than memory
  };
  /// Reads or writes a whole line of the node's memory, which is in the node's cache afterwards. Only if has(node).
  outcome touch(std::uint32_t node, std::uint32_t line, access_kind kind) {
    const bool is_written = kind == access_kind::write;
    place& at = place_of(node, line);
    if (at.number == line + 1) {
      at.changed = at.changed || is_written;
      return {true, false};
    }
    const bool drove_out_changed = at.changed;
    at = {line + 1, is_written};
    return {false, drove_out_changed};
  }

 private:
  static constexpr std::uint32_t nowhere = 0xffffffff;
  struct place {
    std::uint32_t number = 0;  // of the line, plus 1; 0: vacant
    bool changed = false;
  };
  struct node_cache {
    std::uint64_t lines = 0;
    std::uint32_t pages = 0;  // of the node that were used
    std::vector<place> places{};
  };
  struct frame {
    std::uint32_t number = 0;  // within its node
    std::uint32_t node = nowhere;
  };

  place& place_of(std::uint32_t node, std::uint32_t line) {
    node_cache& cache = caches_[node];
    frame& page = frames_[line / lines_of_page_];
    if (page.node != node) page = {cache.pages++, node};
    const std::uint64_t in_node = std::uint64_t{page.number} * lines_of_page_ + line % lines_of_page_;
    return cache.places[in_node % cache.lines];
  }

  std::uint32_t lines_of_page_;
  std::vector<frame> frames_;  // by page
  std::vector<node_cache> caches_;
};

}  // namespace nearfork::sim
