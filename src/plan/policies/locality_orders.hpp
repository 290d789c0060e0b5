// Where the workers of the locality policies look. Common to all: work in progress first (own deque, mailbox, the low
// pool with suspended fibers), the own domain before others, and roots from outside last. Tasks that no plan places may
// be stolen by all workers, nearest victims first if nothing else is said, but only while no plan is followed. Else
// only whole subtrees change their domain.
#pragma once

#include <cstdint>

#include "plan/plans/policy.hpp"

namespace nearfork {

/// A-CAB 3.3: the head of a domain without a subtree in progress fetches the next subtree, here or elsewhere.
[[nodiscard]] search_order bitier_order();

/// The same. But tasks that no plan places are stolen as under `random`, whose victims are all workers alike: A-CAB 3.1
/// has the first iteration so.
[[nodiscard]] search_order traditional_bitier_order();

/// As bitier_order(). But in the profiling iteration every worker takes from its own domain's pool, and no worker from
/// others', as triple_level_order() has it.
[[nodiscard]] search_order even_bitier_order(phase now);

/// LAWS 3.4: the same. But in the profiling iteration every worker takes from its own domain's pool, and no worker from
/// others', so that first touch places each page where its tasks will be.
[[nodiscard]] search_order triple_level_order(phase now);

/// What keeps workers in their domain while a plan is followed.
enum class crossing_limits : std::uint8_t { plan, plan_and_abundance };

/// SAWS V.B: as triple_level_order(). But a worker that finds no work in its domain crosses to other domains only if
/// the plan lets it and, if the limits say so, only while work abounds. Then it also steals from any deque there,
/// those of the other side first.
[[nodiscard]] search_order selective_order(phase now, crossing_limits limits);

/// LAWS without packing: there is no subtree to keep a cache for, so no domain is ever busy and no worker is special.
/// Domains without work help others, nearest first.
[[nodiscard]] search_order home_order();

/// As triple_level_order(), for domains whose cores share no cache: they run many subtrees at a time. Each worker
/// begins them at a place of its own in the domain's pool.
[[nodiscard]] search_order own_caches_order();

/// BATS 7.2: the own deque, the domain's high and its low pool, its other deques; then, if the plan lets it, other
/// domains' low pools before their high ones, and any deque. BATS' low pool is our weak one: suspended work, which the
/// paper does not have, comes before all subgraphs.
///
/// The paper names a domain's deques before its pools. Then all its workers are in one subgraph, which lies in one kind
/// of memory, while the other kind idles. So each worker begins a subgraph at a place of its own in the pool. Simulated
/// on xeon-phi-7210, an iteration of heat with 15 GB takes 144 ms so, 167 ms in the paper's order.
[[nodiscard]] search_order five_level_order();

}  // namespace nearfork
