// A campaign of simulations that several ranks share.
#pragma once

#include "tools/sim/campaign.hpp"
#include "tools/sim/ranks/rank_exchange.hpp"

namespace nearfork::tools {

/// As simulate_all(), by all ranks: each simulates every n-th job, and rank 0 gets all outcomes, which are those of
/// simulate_all(). The other ranks get none. Jobs of a goal other than time are simulated by rank 0. `ranks` may be
/// nullptr. Throws: on rank 0 what the first failing simulation throws, or its message as nearfork::error.
[[nodiscard]] std::vector<simulation_outcome> simulate_among(rank_exchange* ranks,
                                                             const std::vector<simulation_job>& jobs, unsigned threads,
                                                             const campaign_watcher& watch = {},
                                                             const campaign_stop& stops = {});

}  // namespace nearfork::tools
