// Makes the order of an iteration's dataflow tasks from what graphs noted.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "recording/flow_order.hpp"
#include "runtime/recording/iteration_log.hpp"

namespace nearfork {

/// The place of numbers that no task of the tree has.
inline constexpr std::uint32_t no_place = std::numeric_limits<std::uint32_t>::max();

/// `place_of`: by number, the task's place in the tree, breadth first. Sorts: n log n in tasks, edges and exclusions.
[[nodiscard]] recordings::flow_order flow_of(std::span<const detail::noted_flow> flows,
                                             std::span<const std::uint32_t> place_of);

}  // namespace nearfork
