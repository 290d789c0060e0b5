// A cluster from its text: equal machines, each behind one link to a switch.
#pragma once

#include <cstdint>
#include <string>

#include "sim/cluster/halo_run.hpp"

namespace nearfork::tools {

struct cluster_machine {
  std::uint32_t nodes = 1;
  std::string node;  // as for machine_to_simulate()
  sim::network_link link{};
};

/// How such a text looks, for messages and help.
inline constexpr const char* cluster_form = "'8 x epyc-7763, link 25 GB/s 1.5 us'";

inline constexpr std::uint32_t most_cluster_nodes = 65536;

/// NODES x MACHINE, link BANDWIDTH GB/s LATENCY us (or ns). The machine's text may have commas: the last ", link "
/// counts. Pure: whether there is such a machine is not asked. Throws: nearfork::error that says what is wrong.
[[nodiscard]] cluster_machine cluster_from(const std::string& text);

}  // namespace nearfork::tools
