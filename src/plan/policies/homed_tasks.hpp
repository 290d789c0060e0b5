// What LAWS and its relatives know of tasks that have their homes by their share of the data, and their first packing.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/model/machine.hpp"
#include "plan/packing/packed_plan.hpp"
#include "plan/packing/packing.hpp"
#include "plan/profile/profile.hpp"

namespace nearfork {

/// Domain i is home to the tasks whose shares lie within [borders[i], borders[i + 1]]. Tasks that span several domains
/// have no home and stay above the roots; a leaf that does goes where most of it is. The profile must outlive the
/// facts.
[[nodiscard]] task_facts homed_tasks(const machine& where, const profile& measured, std::vector<double> borders);

[[nodiscard]] may_be_root has_home(const task_facts& facts);

/// LAWS 3.3.1: the highest tasks that have a home and fit its cache. If neither bytes nor caches are known, the highest
/// tasks that have a home. Not fewer than there are domains, because other domains can help only with whole subtrees.
[[nodiscard]] packing first_packing(const machine& where, const task_facts& facts);
[[nodiscard]] packing whole_subtrees(const task_facts& facts);

/// How many domains a plan should use, from the first one on. Where a tree has fewer tasks at once than the machine has
/// cores, some cores are idle in any case. If they are those of the last domains, tasks that share data are near each
/// other: steals, calls and the lines at the borders of tasks stay within a domain. Simulated, 6p-ir of 4 MiB, which
/// has 8 leaves: on sgi-uv2000 an iteration takes 103 us in one domain and 187 us in eight.
/// Fewer than all only if their caches hold the region's data, and their cores take no more rounds over the first
/// packing's subtrees than those of all domains would: a domain runs its subtrees one after the other.
[[nodiscard]] std::uint32_t used_domains(const machine& where, const profile& measured);

}  // namespace nearfork
