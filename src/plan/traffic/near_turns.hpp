// How a domain's part of the data is spread over the memory nodes near it, so that all of them are read at once.
//
// BATS gives each node one piece (node_parts.hpp). A domain that works through its part in order, as under LAWS, would
// then read one node at a time. Here the nodes of a domain get its pages in turn, by bandwidth (BATS, Eq. 1;
// page_stripes.hpp). So locality and bandwidth are both had: tasks stay in the domain that holds their data.
//
// Some memory has bandwidth to give but answers late (CXL). It is worth using only by programs that the bandwidth of
// the other nodes holds back.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/model/machine.hpp"
#include "plan/plans/data_parts.hpp"

namespace nearfork {

/// Which of the nodes near a domain hold its data.
enum class near_nodes : std::uint8_t {
  early,  // those that answer about as soon as the earliest one
  all,
};

/// True if some domain has several such nodes. False if the machine does not say their bandwidths.
[[nodiscard]] bool has_several(const machine& where, near_nodes which);

/// Domain i works on [borders[i], borders[i + 1]) of the data, which its nodes get in turn. There is a border more than
/// there are domains.
[[nodiscard]] data_parts parts_in_turn(const machine& where, std::vector<double> borders, near_nodes which);

/// The bandwidth of all nodes that hold data, in bytes a nanosecond; 0: not known.
[[nodiscard]] double bandwidth_near(const machine& where, near_nodes which);

}  // namespace nearfork
