// What the description of a machine does not say, and the simulator must know: latencies, bandwidths, how many misses
// a core has under way at once.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/machine.hpp"

namespace nearfork::sim {

/// Picoseconds, so that a hit in a private cache is not rounded to nothing.
struct machine_model {
  std::uint32_t line_bytes = 64;
  std::uint32_t page_bytes = 4096;
  /// Of every cache; hwloc seldom knows it. A cache of fewer lines has a single set.
  std::uint32_t associativity = 16;
  /// By cache level, the first being L1; further out the last one holds. Load to use on server cores of the last ten
  /// years: 4 to 5, 12 to 15 and 40 to 70 cycles.
  std::vector<std::uint64_t> hit_ps{1'500, 4'500, 18'000, 30'000};
  /// How many accesses of a core overlap: its line fill buffers kept half busy by the prefetchers. An access costs its
  /// latency divided by this.
  double memory_level_parallelism = 8;
  /// A write to a line that others hold waits for them to give it up.
  std::uint64_t invalidation_ps = 80'000;
  /// By domain, then by node: from a core of the domain to the node's memory, nobody else being about.
  std::vector<std::uint64_t> memory_ps;
  /// By node: how long its memory is busy with one line; 64 bytes at 20 GB/s are 3200.
  std::vector<std::uint64_t> node_line_ps;
};

/// With the defaults above, the latencies and bandwidths that the machine knows, and for nodes that say nothing 90 ns
/// for local memory, as much more for remote memory as the distance table has it (without one: half as much again in
/// the same package, twice as much in another), and 20 GB/s.
[[nodiscard]] machine_model default_model(const machine& where);

/// The node that a domain's first touch takes pages from: its own, or else the nearest. Machines without any node count
/// as having one.
[[nodiscard]] std::uint32_t first_touch_node(const machine& where, domain_id domain);
[[nodiscard]] inline std::uint32_t node_count(const machine& where) noexcept {
  return where.nodes().empty() ? 1 : static_cast<std::uint32_t>(where.nodes().size());
}
/// Memory at the cores of a domain, and not only near them.
[[nodiscard]] bool is_local(const machine& where, domain_id domain, std::uint32_t node);

}  // namespace nearfork::sim
