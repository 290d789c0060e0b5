// A runtime's way to placed memory: which node belongs to each of its domains, and how much may be moved at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "machine/model/machine.hpp"
#include "memory/system/region_memory.hpp"
#include "plan/course/data_course.hpp"

namespace nearfork {

/// Who wants data to follow plans. The default policy is content with what can be had, also in strict mode.
enum class wanted_by : std::uint8_t { named_policy, default_policy };

class data_placing {
 public:
  /// `memory`: nullptr for the process's memory, once there is one. `where`: the domains that have workers. `real`: the
  /// nodes of `where` are those of the memory.
  data_placing(region_memory* memory, const machine& where, bool real, std::uint64_t most_moved_bytes,
               wanted_by who = wanted_by::named_policy);

  /// False: all domains share one node, or have no real one. Then nothing is ever bound or moved.
  [[nodiscard]] bool places() const noexcept { return !nodes_.empty(); }
  /// O(1) where no block lives, else O(blocks). The same holds for count_iteration() and bring().
  [[nodiscard]] region_data data_of(std::string_view region) const {
    const region_memory* const in_use = memory();
    return in_use != nullptr ? in_use->data_of(region) : region_data{};
  }
  void count_iteration(std::string_view region) const {
    if (region_memory* const in_use = memory(); in_use != nullptr && places()) in_use->count_iteration(region);
  }
  move_outcome bring(std::string_view region, const data_step& step) const;

  /// The region's blocks and where `parts` put them; no blocks: nothing is placed.
  [[nodiscard]] data_layout layout_for(std::string_view region, const data_parts& parts) const;

  [[nodiscard]] bool has_own_memory() const noexcept { return own_ != nullptr; }
  /// nullptr: there is no memory yet.
  [[nodiscard]] region_memory* memory() const noexcept {
    return own_ != nullptr ? own_ : used_memory.blocks.load(seam::memory_order_acquire);
  }

 private:
  /// nullopt: the policy knew other domains, and its parts do not fit.
  [[nodiscard]] std::optional<split_wish> wish_for(std::string_view region, const data_parts& parts) const;

  region_memory* own_;
  std::vector<node_id> nodes_;  // by domain; empty: see places()
  std::uint64_t most_moved_bytes_;
  wanted_by who_;
};

}  // namespace nearfork
