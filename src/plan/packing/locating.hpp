// Which domain each subgraph has its home in: BATS, section 7.2.
//
// In round r undecided subgraph g runs in domain (g + r) mod M, so that the domains have equally many. Where at least
// half of what it got from memory was local it stays. If there is no such domain, it stays where most was local, but is
// the first that other domains may take.
//
// The papers' counters count for a whole socket, so one subgraph ran in a domain at a time. Here tasks are told apart,
// so all domains are always busy.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/packing/packing.hpp"
#include "plan/plans/placement.hpp"
#include "plan/profile/subtree_traffic.hpp"

namespace nearfork {

enum class locate_rule : std::uint8_t {
  first,  // the first domain where most is local, as in the paper
  best,   // of all domains the one with most local
};

struct subgraph_home {
  std::uint16_t domain = 0;            // where it runs next
  pool_class pool = pool_class::high;  // weak: no domain has most of its data
  bool decided = false;
  friend constexpr bool operator==(subgraph_home, subgraph_home) = default;
};

/// By subgraph. `seen`: all rounds, oldest first; of each subgraph in each domain the first counts.
[[nodiscard]] std::vector<subgraph_home> locate(const packing& subgraphs, std::uint32_t domains,
                                                std::span<const subtree_traffic> seen, locate_rule rule);

}  // namespace nearfork
