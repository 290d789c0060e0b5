// What the description of a machine does not say, and the simulator must know: latencies, bandwidths, links, clocks,
// power, how many misses a core has under way at once, what acts of the scheduler cost.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "machine/model/machine.hpp"
#include "sim/machine/cost_model.hpp"

namespace nearfork::sim {

/// Of one core; milliwatts at its nominal clock.
struct core_power {
  std::uint64_t busy_mw = 0;
  std::uint64_t idle_mw = 0;
};

/// Cores of one kind. Picoseconds, so that a hit in a private cache is not rounded to nothing.
struct core_model {
  std::uint32_t mhz = 2'500;  // nominal: what the rest is said for
  /// How much of a program a core does in one cycle, in loads, stores and arithmetic; half the width of server cores.
  double work_per_cycle = 2;
  /// How many times more in loops that compilers make vector instructions of. Kept for who makes programs: what they say that
  /// a task computes is time.
  double vector_work = 1;
  std::uint64_t wrong_guess_ps = 6'000;  // a branch that goes another way than was guessed: 15 cycles; for the same
  /// By cache level, the first being L1; further out the last one holds. Load to use on server cores of the last ten
  /// years: 4 to 5, 12 to 15 and 40 to 70 cycles.
  std::vector<std::uint64_t> hit_ps{1'500, 4'500, 18'000, 30'000};
  /// How many accesses of a core overlap: its line fill buffers kept half busy by the prefetchers. An access costs its
  /// latency divided by this.
  double memory_level_parallelism = 8;
};

/// A seat is where links end: a package, or a NUMA node with its cores. Lines go both ways at once, each way at the
/// link's bandwidth.
struct link_model {
  std::uint32_t one = 0;
  std::uint32_t other = 0;
  std::uint64_t line_ps = 0;  // how long the link is busy with one line, one way; 0: no time
  /// What it adds to the latency of memory, where known; machine_model::memory_ps has that in it already.
  std::optional<std::uint64_t> latency_ps{};
};

/// Without links, everybody reaches all memory without anything in between.
struct interconnect {
  std::uint32_t seats = 0;
  std::vector<std::uint32_t> seat_of_domain{};
  std::vector<std::uint32_t> seat_of_node{};
  std::vector<link_model> links{};
};

struct power_model {
  std::vector<core_power> cores;  // by core kind
  std::uint64_t package_mw = 0;   // each package beside its cores, memory included
};

struct machine_model {
  std::string from = "defaults";  // the model file that it was read from
  std::uint32_t line_bytes = 64;
  std::uint32_t page_bytes = 4096;
  /// Ways of the caches by level, the first being L1; further out the last one holds. A cache of fewer lines has a
  /// single set. hwloc seldom knows it.
  std::vector<std::uint32_t> associativity{16};
  std::vector<core_model> kinds;  // in the order of machine::core_kinds()
  /// At which clock each core runs; empty: all at the nominal one of their kind. Computation and hits in all but the
  /// outermost cache take as much longer as the clock is slower; the outermost cache and memory have clocks of their own.
  std::vector<std::uint32_t> core_mhz{};
  /// MHz times work per cycle of the core on which a program's computation takes as long as the program says; 0: the
  /// fastest kind of this machine at its nominal clock.
  double reference_speed = 0;
  /// A write to a line that others hold waits for them to give it up.
  std::uint64_t invalidation_ps = 80'000;
  /// By domain, then by node: from a core of the domain to the node's memory, nobody else being about.
  std::vector<std::uint64_t> memory_ps;
  /// By node: how long its memory is busy with one line; 64 bytes at 20 GB/s are 3200.
  std::vector<std::uint64_t> node_line_ps;
  interconnect between{};
  std::optional<power_model> power{};  // none: nothing is known, and no energy is reported
  cost_model costs{};
};

/// With the defaults above, the latencies and bandwidths that the machine knows, and for nodes that say nothing 90 ns
/// for local memory, as much more for remote memory as the distance table has it (without one: half as much again in
/// the same package, twice as much in another), and 20 GB/s. No links, no power.
[[nodiscard]] machine_model default_model(const machine& where);

/// What the machine's own model file says (machine::model_file(), docs/MACHINES.md); without one, default_model(). Throws
/// nearfork::error if the file cannot be read or is wrong.
[[nodiscard]] machine_model model_of(const machine& where);

/// The clock of a core, and how many times longer than the program says its computation takes there.
[[nodiscard]] std::uint32_t core_mhz(const machine& where, const machine_model& model, core_id core);
[[nodiscard]] double core_slowness(const machine& where, const machine_model& model, core_id core);

/// Throws nearfork::error if the model does not fit the machine: a table that is too short, a clock of zero, a link
/// that ends nowhere, no way from some cores to some memory.
void require_fit(const machine& where, const machine_model& model);

/// The node that a domain's first touch takes pages from: its own, or else the nearest. Machines without any node count
/// as having one.
[[nodiscard]] std::uint32_t first_touch_node(const machine& where, domain_id domain);
[[nodiscard]] inline std::uint32_t node_count(const machine& where) noexcept {
  return where.nodes().empty() ? 1 : static_cast<std::uint32_t>(where.nodes().size());
}
/// Memory at the cores of a domain, and not only near them.
[[nodiscard]] bool is_local(const machine& where, domain_id domain, std::uint32_t node);
/// SLIT distance from the domain's own node; where the machine has no table: 10 for local memory, 15 in the same package,
/// 20 beyond.
[[nodiscard]] std::uint32_t distance_to(const machine& where, domain_id from, std::uint32_t node);
/// The node that stands for a domain in the distance table.
[[nodiscard]] std::optional<node_id> seat_of(const domain& one);
/// How long one line takes at `gb_per_s` (1e9 bytes), rounded to picoseconds.
[[nodiscard]] std::uint64_t line_ps_at(double gb_per_s, std::uint32_t line_bytes);

}  // namespace nearfork::sim
