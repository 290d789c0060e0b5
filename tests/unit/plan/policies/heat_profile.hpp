// A profiled iteration of a program like the papers' heat: it halves down to the leaves, and only leaves touch data.
#pragma once

#include <cstdint>

#include "plan/profile/profile.hpp"
#include "unit/plan/profile/random_tree.hpp"

namespace nearfork {

/// 2^depth leaves of equal size; a nanosecond for each four bytes.
inline profile heat_profile(std::uint32_t depth, std::uint64_t bytes, cost_source source = cost_source::cache_misses,
                            std::uint64_t input_bytes = 0) {
  profile measured(regular_tree(2, depth), source, input_bytes);
  const std::uint64_t leaf_bytes = bytes >> depth;
  for (std::uint32_t i = 0; i < measured.tree().size(); ++i)
    if (measured.tree().is_leaf(tree_node{i}))
      measured.record(tree_node{i}, {source == cost_source::time ? 0 : leaf_bytes, leaf_bytes / 4});
  measured.complete();
  return measured;
}

}  // namespace nearfork
