// The table of all keys of a model file. docs/MACHINES.md and all messages use it.
#include "sim/machine/model_values.hpp"

namespace nearfork::sim {
namespace {

constexpr double most_ns = 1e7;
constexpr double most_w = 1e4;

}  // namespace

const std::vector<model_key>& model_keys() {
  static const std::vector<model_key> keys{
      {"line_bytes", "", "bytes", "a cache line", 16, 1024},
      {"page_bytes", "", "bytes", "a page, which lies on one memory node as a whole", 1024, 1 << 30},
      {"core_ghz", "[CORE_KIND]", "GHz", "the clock at which cores run", 0.1, 20},
      {"core_ghz_min", "[CORE_KIND]", "GHz",
       "the lowest clock that a core can have, for policies that share out power; if not given, clocks are fixed", 0.1,
       20},
      {"core_ghz_max", "[CORE_KIND]", "GHz", "the highest clock that a core can have", 0.1, 20},
      {"dvfs_ns", "", "ns", "how long a core takes to have another clock; 50000 if not given", 0, most_ns},
      {"work_per_cycle", "[CORE_KIND]", "", "loads, stores and arithmetic that a core does in a cycle", 0.01, 100},
      {"vector_work", "[CORE_KIND]", "",
       "the factor by which work_per_cycle rises in loops that the compiler vectorises; 1 if not given", 1, 100},
      {"wrong_guess_ns", "[CORE_KIND]", "ns", "the cost of a branch that was guessed wrong; 6 if not given", 0, 1000},
      {"misses_at_once", "[CORE_KIND]", "", "accesses of a core that overlap: each costs its latency divided by this",
       1, 1024},
      {"scattered_at_once", "[CORE_KIND]", "",
       "the same for lines that lie apart, which no prefetcher foresees; misses_at_once if not given", 1, 1024},
      {"smt_speedup", "[CORE_KIND]", "",
       "how many times as much two or more busy hardware threads of a core compute as one alone; they share the core's "
       "misses_at_once; 1.2 if not given: 1.16 to 1.28 in Marr et al., Intel Technology Journal 6 (2002)",
       1, 16},
      {"hit_cycles", "LEVEL [CORE_KIND]", "cycles", "a hit in this level (L1, L2, ...), in the core's cycles", 1,
       10000},
      {"hit_ns", "LEVEL [CORE_KIND]", "ns", "a hit in this level, in time, for a cache that has its own clock", 0.01,
       10000},
      {"ways", "LEVEL [CORE_KIND]", "", "associativity", 1, 1024},
      {"exclusive", "", "",
       "the last level, if it has only lines that the levels before it evicted: a line that is found there moves back; "
       "if not given, the last level has what the levels before it have",
       0, 0},
      {"memory_ns", "MEMORY_KIND DISTANCE", "ns", "from a core to memory at that distance of the machine's table", 1,
       100000},
      {"memory_ns", "NODE NODE", "ns", "from cores of the first node to memory of the second, by OS index", 1, 100000},
      {"write_ns", "MEMORY_KIND DISTANCE", "ns",
       "a write of a line that no cache has, with the changed line that it writes back; if not given: memory_ns, and "
       "as "
       "long again where a line is written back",
       1, 100000},
      {"write_ns", "NODE NODE", "ns", "the same from cores of the first node to memory of the second, by OS index", 1,
       100000},
      {"node_gb_s", "MEMORY_KIND or NODE", "1e9 bytes/s", "the bandwidth of a node's memory", 0.01, 100000},
      {"side_cache_mib", "MEMORY_KIND or NODE", "MiB",
       "fast memory that is a direct-mapped cache of each such node's memory, line by line; if not given, none", 1,
       1e9},
      {"side_cache_ns", "MEMORY_KIND DISTANCE", "ns",
       "from a core to a line in that cache; any other line takes this, and then memory_ns", 1, 100000},
      {"side_cache_ns", "NODE NODE", "ns", "the same from cores of the first node to memory of the second, by OS index",
       1, 100000},
      {"side_cache_gb_s", "MEMORY_KIND or NODE", "1e9 bytes/s", "the bandwidth of that cache", 0.01, 100000},
      {"seats", "", "", "the ends of links: packages or nodes", 0, 0},
      {"links", "NAME", "", "pairs of seats by OS index: 0-1 0-2", 0, 0},
      {"link_gb_s", "NAME", "1e9 bytes/s", "the bandwidth of each of these links, in one direction", 0.01, 100000},
      {"link_ns", "NAME", "ns",
       "the latency that each of these links adds to memory_ns; not used where memory_ns names the distance", 0,
       100000},
      {"further_link_ns", "", "ns",
       "the latency that each link of a route beyond the first adds to memory_ns of a distance, and to the time until "
       "a "
       "searching worker sees new work; 0 if not given",
       0, 100000},
      {"invalidation_ns", "", "ns", "how long a write waits until other caches have given up the line", 0, most_ns},
      {"core_busy_w", "[CORE_KIND]", "W", "the power of a core that works, at core_ghz", 0, most_w},
      {"core_idle_w", "[CORE_KIND]", "W", "the power of a core that does not work", 0, most_w},
      {"package_w", "", "W", "the power of a package without its cores, with its memory", 0, most_w},
      {"fork_ns", "", "ns", "the fork of a child without a plan or profile", 0, most_ns},
      {"planned_fork_ns", "", "ns", "the fork of a child that a plan or a profile knows", 0, most_ns},
      {"steal_ns", "DISTANCE", "ns", "a steal where thief and victim meet at core, cache, node, package, machine", 0,
       most_ns},
      {"failed_look_ns", "", "ns", "a look at a victim or pool that is empty", 0, most_ns},
      {"pool_ns", "", "ns", "a push to a pool, or a take from a pool", 0, most_ns},
      {"suspend_ns", "", "ns", "the switch away from the stack of a join that must wait", 0, most_ns},
      {"resume_ns", "", "ns", "the switch back to that stack", 0, most_ns},
      {"notice_ns", "", "ns",
       "the time until a searching worker in the same cache sees new work; from further away, a third of what a steal "
       "takes longer there comes on top",
       0, most_ns},
      {"spin_ns", "", "ns", "how long a worker searches before it parks", 0, 1e9},
      {"wake_ns", "", "ns", "the time from the call that wakes a parked worker to its first look for work", 0, most_ns},
      {"notify_ns", "", "ns", "the time that this call costs the worker that calls", 0, most_ns},
      {"mug_ns", "", "ns", "how long it takes a worker to take over another one's task, under aaws; 2000 if not given",
       0, most_ns},
      {"move_page_ns", "", "ns",
       "what the kernel takes to move a page beside copying it; 2500 if not given: with the copy about 1 GiB/s, which "
       "kernels reach",
       0, most_ns},
  };
  return keys;
}

}  // namespace nearfork::sim
