// The plan of a packing: which tasks are subtree roots, where each has its home, and the explanation.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "plan/packing/packing.hpp"
#include "plan/plans/plan.hpp"
#include "plan/profile/subtree_bytes.hpp"

namespace nearfork {

/// What is known of a region's tasks, computed for the tasks that are asked about.
struct task_facts {
  const task_tree& tree;
  bytes_of_task bytes{};                           // of a task with all below it; empty: not known
  std::function<std::uint16_t(tree_node)> home{};  // any_domain: the task spans several; empty: not needed
  std::function<double(tree_node)> width{};        // of a task's share of the data; empty: not needed
  std::uint32_t domains = 0;
  std::uint32_t homes = 0;  // of these domains, those that are home to some of the data
};

/// The plan of a packing: parent-first above the roots, child-first inside.
[[nodiscard]] plan plan_of(const task_facts& facts, const packing& roots);

/// Explains a packing: number and bytes of its subtrees, and how the work is shared out.
[[nodiscard]] plan_explanation explanation_of(std::string_view policy, plan_decision decision, const task_facts& facts,
                                              const packing& roots);

/// A plan of plain stealing, with the reason.
[[nodiscard]] plan plain_plan(std::string_view policy, plan_decision decision, bool settled);
/// Plain stealing for good, because it is faster than the plan that `why` explains.
[[nodiscard]] plan stays_plain(plan_explanation why);

}  // namespace nearfork
