// How many domains a plan uses where the tree has fewer tasks at once than the machine has cores. Some cores are idle
// then in any case. If they are those of the last domains, tasks that share data are near each other: steals, calls and
// the lines at the borders of tasks stay within a domain. Simulated, 6p-ir of 4 MiB, which has 8 leaves: on sgi-uv2000
// an iteration takes 103 us in one domain and 187 us in eight.
#pragma once

#include <cstdint>

#include "machine/model/machine.hpp"
#include "plan/profile/profile.hpp"

namespace nearfork {

/// The number of domains, from the first one on. Fewer than the machine has only if their caches hold the region's data
/// and their cores take no more rounds over the first packing's subtrees than those of all domains would: a domain runs
/// its subtrees one after the other.
[[nodiscard]] std::uint32_t used_domains(const machine& where, const profile& measured);

}  // namespace nearfork
