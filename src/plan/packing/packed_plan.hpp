// The plan of a packing: which tasks are subtree roots, where each has its home, and what there is to tell of it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "plan/packing/packing.hpp"
#include "plan/plans/plan.hpp"

namespace nearfork {

/// What is known of a region's tasks, by node of its tree.
struct task_facts {
  const task_tree& tree;
  std::vector<double> bytes{};         // of the task and all below it; empty: not known
  std::vector<std::uint16_t> homes{};  // any_domain: it spans several; empty: nobody asks
  std::vector<double> widths{};        // of its share of the data; empty: nobody asks
  std::uint32_t domains = 0;
};

/// Parent-first above the roots, child-first inside.
[[nodiscard]] plan plan_of(const task_facts& facts, const packing& roots);

/// Number and bytes of the subtrees, and how the work is shared out.
[[nodiscard]] plan_explanation explanation_of(std::string_view policy, plan_decision decision, const task_facts& facts,
                                              const packing& roots);

/// Plain stealing, and why.
[[nodiscard]] plan plain_plan(std::string_view policy, plan_decision decision, bool settled);

}  // namespace nearfork
