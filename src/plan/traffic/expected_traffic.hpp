// How near a subtree's data would be in each domain, by its share of the data and where the data are placed. What
// threads know without counters.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/model/machine.hpp"
#include "plan/packing/packing.hpp"
#include "plan/plans/data_parts.hpp"
#include "plan/profile/profile.hpp"
#include "plan/profile/subtree_traffic.hpp"

namespace nearfork {

/// Of each subtree in each domain, in parts of all data. Parts name their nodes; chunks that move count as if they had
/// stayed. O(subtrees * parts * domains).
[[nodiscard]] std::vector<subtree_traffic> expected_traffic(const machine& where, const profile& measured,
                                                            const packing& subtrees, const data_parts& placed);

}  // namespace nearfork
