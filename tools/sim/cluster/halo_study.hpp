// heat on a cluster, simulated: each rank has a block of rows, and sends its first and last row to its neighbours in
// each iteration. What a rank computes is simulated by the engine of `nearfork sim`, once for all ranks that have as
// many rows.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/sim/campaign.hpp"
#include "tools/sim/cluster/cluster_machine.hpp"
#include "tools/sim/simulated_machine.hpp"

namespace nearfork::tools {

enum class cluster_scaling : std::uint8_t {
  strong,  // all nodes share the rows of one node
  weak,    // each node has that many
};

struct halo_request {
  cluster_machine cluster{};
  cluster_scaling scaling = cluster_scaling::strong;
  std::vector<std::uint32_t> nodes{};  // ascending; empty: the powers of two up to those of the cluster, and all
  std::string size{};                  // of the workload heat
  std::vector<std::string> policies{};
  std::uint64_t iterations = 30;
  std::uint64_t seed = 1;
  std::uint32_t workers = 0;  // of each node
};

/// An iteration in steady state, in nanoseconds. All of it is simulated.
struct halo_row {
  std::uint32_t nodes = 1;
  std::string policy;
  std::uint64_t rows = 0;   // of a rank; the largest number
  double computing_ns = 0;  // of a rank alone
  double border_ns = 0;     // the part of it that needs messages
  std::uint64_t message_bytes = 0;
  double blocking_ns = 0;   // with messages that ranks wait for first
  double suspended_ns = 0;  // with messages while the inside is computed
};

struct halo_results {
  halo_request asked;
  std::vector<halo_row> rows;  // by nodes, then by policy
  bool interrupted = false;
  std::vector<std::string> assumed{};  // of a node, as sim::assumed_of()
};

/// Runs simulations: simulate_all(), or simulate_among() ranks.
using campaign_runner = std::function<std::vector<simulation_outcome>(const std::vector<simulation_job>&)>;

/// Throws: nearfork::error if the cluster has no such nodes, a rank would have fewer than three rows, or study_from()
/// refuses a rank's part.
[[nodiscard]] halo_results simulate_halo(const halo_request& asked, const campaign_runner& run);
/// The same, by the threads of this process.
[[nodiscard]] halo_results simulate_halo(const halo_request& asked, const campaign_watcher& watch,
                                         const campaign_stop& stops);

[[nodiscard]] std::string halo_text(const halo_results& of);
/// Speed-ups over nodes as lines, for each policy with blocking and with suspended waits.
[[nodiscard]] std::string halo_chart(const halo_results& of);
[[nodiscard]] std::string halo_json(const halo_results& of);
[[nodiscard]] std::string halo_csv(const halo_results& of);

}  // namespace nearfork::tools
