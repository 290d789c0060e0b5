// What LAWS and its relatives know of tasks that have their homes by their share of the data, and their first packing.
#pragma once

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

}  // namespace nearfork
