// Where the workers of the locality policies look. Common to all: work in progress first (own deque, the low
// pool with what was suspended), the own domain before others, roots from outside last. What no plan places may be
// stolen by anybody, nearest victims first, but only while no plan is followed: otherwise whole subtrees alone change
// their domain.
#pragma once

#include "plan/plans/policy.hpp"

namespace nearfork {

/// A-CAB 3.3: the head of a domain without a subtree in progress fetches the next one, here or elsewhere.
[[nodiscard]] search_order bitier_order();

/// LAWS 3.4: the same; but in the profiling iteration every worker takes from its own domain's pool, and nobody from
/// others', so that first touch places each page where its tasks will be.
[[nodiscard]] search_order triple_level_order(phase now);

/// LAWS without packing: there is no subtree to keep a cache for, so no domain is ever busy and no worker is special;
/// domains that have run dry help others out, nearest first.
[[nodiscard]] search_order home_order();

}  // namespace nearfork
