// What the simulator must know and the description of a machine does not say: latencies, bandwidths, links, clocks,
// power, how many misses a core overlaps, and the costs of the scheduler's acts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "machine/model/machine.hpp"
#include "sim/machine/cost_model.hpp"

namespace nearfork::sim {

/// The power of one core, in milliwatts at its nominal clock.
struct core_power {
  std::uint64_t busy_mw = 0;
  std::uint64_t idle_mw = 0;
};

/// Cores of one kind. Times are in picoseconds, so that a hit in a private cache is not rounded to nothing.
struct core_model {
  std::uint32_t mhz = 2'500;  // nominal clock, which the other values are for
  /// The clocks that the core can have; 0: its clock is fixed.
  std::uint32_t least_mhz = 0;
  std::uint32_t most_mhz = 0;
  /// How much of a program a core does in one cycle, in loads, stores and arithmetic: half the width of server cores.
  double work_per_cycle = 2;
  /// The factor for loops that compilers turn into vector instructions. It is for makers of programs: a program gives
  /// the computation of a task as time.
  double vector_work = 1;
  std::uint64_t wrong_guess_ps = 6'000;  // a mispredicted branch, 15 cycles; also for makers of programs
  /// By cache level, L1 first. Levels beyond the last value have the last value. From load to use on server cores of
  /// the last ten years: 4 to 5, 12 to 15 and 40 to 70 cycles.
  std::vector<std::uint64_t> hit_ps{1'500, 4'500, 18'000, 30'000};
  /// The ways of its caches, also by level. A cache with fewer lines has a single set. hwloc seldom knows the ways.
  std::vector<std::uint32_t> associativity{16};
  /// How many accesses of a core overlap: prefetchers keep its line fill buffers half busy. An access costs its latency
  /// divided by this.
  double memory_level_parallelism = 8;
  /// The same without prefetchers: for lines that lie apart.
  double scattered_parallelism = 8;
  /// How many times as much two or more busy hardware threads of a core compute as one. Marr et al., "Hyper-Threading
  /// Technology Architecture and Microarchitecture" (Intel Technology Journal 6, 2002), measured 1.21 for transactions
  /// and 1.16 to 1.28 for other servers' work.
  double smt_speedup = 1.2;
};

/// A link between two seats. A seat is a package, or a NUMA node with its cores. Lines go in both directions at once,
/// in each at the link's bandwidth.
struct link_model {
  std::uint32_t one = 0;
  std::uint32_t other = 0;
  std::uint64_t line_ps = 0;  // how long one line keeps one direction busy; 0: no time
  /// What the link adds to the latency of memory, if known. machine_model::memory_ps includes it.
  std::optional<std::uint64_t> latency_ps{};
};

/// Without links all cores reach all memory directly.
struct interconnect {
  std::uint32_t seats = 0;
  std::vector<std::uint32_t> seat_of_domain{};
  std::vector<std::uint32_t> seat_of_node{};
  std::vector<link_model> links{};
  /// What each link of a route beyond the first adds to the latency between the route's ends. machine_model::memory_ps
  /// includes it.
  std::uint64_t further_link_ps = 0;
};

/// Fast memory before the memory of a node, which keeps lines of it: a memory-side cache, direct-mapped.
struct side_cache_model {
  std::uint64_t size_bytes = 0;  // 0: the node has none
  std::uint64_t line_ps = 0;     // how long one line keeps it busy
};

struct power_model {
  std::vector<core_power> cores;  // by core kind
  std::uint64_t package_mw = 0;   // per package beside its cores, memory included
};

struct machine_model {
  std::string from = "defaults";  // the model file
  std::uint32_t line_bytes = 64;
  std::uint32_t line_stands_for = 1;  // that many lines of the machine (scaled_model.hpp)
  std::uint32_t page_bytes = 4096;
  /// The level whose caches, if they are the outermost of their cores, have only lines that the caches before them
  /// evicted. 0: none; an outermost cache has all lines of the caches before it.
  unsigned exclusive_level = 0;
  std::vector<core_model> kinds;  // in the order of machine::core_kinds()
  /// The clock of each core; empty: the nominal clock of its kind. On a slower core, computation and hits in all but
  /// the outermost cache take longer in proportion. The outermost cache and memory have clocks of their own.
  std::vector<std::uint32_t> core_mhz{};
  /// MHz times work per cycle of the reference core, on which computation takes as long as the program says. 0: the
  /// fastest kind of this machine at its nominal clock.
  double reference_speed = 0;
  /// How long a write waits until other holders have given up the line.
  std::uint64_t invalidation_ps = 80'000;
  /// How long a core takes to have another clock. Mazouz et al., "Evaluation of CPU frequency transition latency"
  /// (Computer Science - Research and Development 29, 2014), measured 20 to 70 us on Intel's cores of 2009 to 2013.
  std::uint64_t clock_change_ps = 50'000'000;
  /// By domain, then by node: the latency from a core of the domain to the node's memory, without other load.
  std::vector<std::uint64_t> memory_ps;
  /// The same for a line that is written and that no cache has, with the write of the changed line whose place it
  /// takes. Empty: as memory_ps, and as long again if there is such a changed line.
  std::vector<std::uint64_t> write_ps{};
  /// By node: how long one line keeps its memory busy. 64 bytes at 20 GB/s are 3200.
  std::vector<std::uint64_t> node_line_ps;
  /// By node: its memory; empty: not known, and no node is ever full.
  std::vector<std::uint64_t> node_bytes{};
  /// By node; empty: none has one.
  std::vector<side_cache_model> side_caches{};
  /// By domain, then by node: the latency of a line that the node's memory-side cache has. Any other line takes as
  /// long, and then as long as memory_ps says.
  std::vector<std::uint64_t> side_ps{};
  interconnect between{};
  std::optional<power_model> power{};  // nullopt: not known, and no energy is reported
  cost_model costs{};

  [[nodiscard]] std::vector<std::uint64_t> side_cache_lines() const {
    std::vector<std::uint64_t> lines;
    for (const side_cache_model& one : side_caches) lines.push_back(one.size_bytes / line_bytes);
    return lines;
  }
};

/// Has the defaults above, and the latencies and bandwidths that the machine knows. For other nodes: 90 ns for local
/// memory, 20 GB/s, and for remote memory the latency by the distance table (without a table half as much again in the
/// same package, twice as much in another). No links, no power.
[[nodiscard]] machine_model default_model(const machine& where);

inline constexpr std::uint64_t assumed_latency_ns = 90;
inline constexpr double assumed_gb_per_s = 20;
/// What default_model() assumes of the machine, with numbers, for people. One line each; empty if the machine has a
/// model file.
[[nodiscard]] std::vector<std::string> assumed_of(const machine& where);

/// The model of the machine's own model file (machine::model_file(), docs/MACHINES.md); without a file,
/// default_model().
/// Throws: nearfork::error if the file cannot be read or is wrong.
[[nodiscard]] machine_model model_of(const machine& where);

/// The clock of a core; and how many times longer its computation takes than the program says.
[[nodiscard]] std::uint32_t core_mhz(const machine& where, const machine_model& model, core_id core);
[[nodiscard]] double core_slowness(const machine& where, const machine_model& model, core_id core);

/// The value of a cache level in a table by level, such as core_model::hit_ps.
template <class Value>
[[nodiscard]] Value at_level(const std::vector<Value>& by_level, unsigned level) {
  return by_level[std::min<std::size_t>(std::max(1U, level), by_level.size()) - 1];
}

/// True if the power of the cores is known, and the clocks that they can have.
[[nodiscard]] bool can_share_power(const machine_model& model) noexcept;

/// Throws: nearfork::error if the model does not fit the machine: a table that is too short, a clock of zero, a link
/// that ends nowhere, or no route from some cores to some memory.
void require_fit(const machine& where, const machine_model& model);

/// The node from which first touch takes pages in a domain: its own, else the nearest. A machine without nodes counts
/// as having one.
[[nodiscard]] std::uint32_t first_touch_node(const machine& where, domain_id domain);
/// By domain.
[[nodiscard]] std::vector<std::uint32_t> first_touch_nodes(const machine& where);
[[nodiscard]] inline std::uint32_t node_count(const machine& where) noexcept {
  return where.nodes().empty() ? 1 : static_cast<std::uint32_t>(where.nodes().size());
}
/// True if the memory is at the cores of the domain, and not only near them.
[[nodiscard]] bool is_local(const machine& where, domain_id domain, std::uint32_t node);
/// The SLIT distance from the domain's own node. If the machine has no table: 10 for local memory, 15 in the same
/// package, 20 elsewhere.
[[nodiscard]] std::uint32_t distance_to(const machine& where, domain_id from, std::uint32_t node);
/// The node that represents a domain in the distance table.
[[nodiscard]] std::optional<node_id> seat_of(const domain& one);
/// By node; empty if the machine does not say how much memory it has.
[[nodiscard]] std::vector<std::uint64_t> node_bytes_of(const machine& where);
/// How long one line takes at `gb_per_s` (1e9 bytes), rounded to picoseconds.
[[nodiscard]] std::uint64_t line_ps_at(double gb_per_s, std::uint32_t line_bytes);

}  // namespace nearfork::sim
