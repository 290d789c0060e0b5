// How the data of a region are spread over all memory nodes: BATS, Eq. 1 and 2.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/model/machine.hpp"
#include "plan/plans/data_parts.hpp"
#include "plan/plans/plan_explanation.hpp"

namespace nearfork {

enum class node_weighing : std::uint8_t {
  by_bandwidth,  // equally if the machine does not say the bandwidth of each node
  equally,
};

enum class node_order : std::uint8_t {
  system,  // as the system numbers them, which on machines with HBM is all DRAM first
  domain,  // the nodes of each domain side by side
};

/// The nodes that hold data, in order, with their weights; nodes without memory are left out.
struct weighed_nodes {
  std::vector<node_id> nodes{};
  std::vector<double> weights{};
  bool bandwidths_known = true;
};
[[nodiscard]] weighed_nodes weigh_nodes(const machine& where, node_weighing how, node_order order);

/// One part for each node, as large as its weight says. Empty: no node has memory.
[[nodiscard]] data_parts parts_of(const weighed_nodes& spread);

/// Tells which part of the data each node has, if several have one.
void tell_parts(const machine& where, const data_parts& parts, traffic_summary& to);

}  // namespace nearfork
