// A runtime's way to placed memory: which node belongs to each of its domains, and how much may be moved at once.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "machine/machine.hpp"
#include "memory/placed_memory.hpp"
#include "plan/data_course.hpp"

namespace nearfork {

class data_placing {
 public:
  /// `where`: the domains in which there are workers. `real`: its nodes are those of `memory`.
  data_placing(placed_memory& memory, const machine& where, bool real, std::uint64_t most_moved_bytes);

  /// False: the domains have one node together, or none that is real, and nothing is ever bound or moved.
  [[nodiscard]] bool places() const noexcept { return !nodes_.empty(); }
  /// O(1) where no block lives, else O(blocks); so are the others.
  [[nodiscard]] region_data data_of(std::string_view region) const { return memory_->data_of(region); }
  void count_iteration(std::string_view region) const {
    if (places()) memory_->count_iteration(region);
  }
  move_outcome bring(std::string_view region, const data_step& step) const;

 private:
  placed_memory* memory_;
  std::vector<node_id> nodes_;  // by domain; empty: see places()
  std::uint64_t most_moved_bytes_;
};

}  // namespace nearfork
