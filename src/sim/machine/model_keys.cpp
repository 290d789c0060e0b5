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
      {"work_per_cycle", "[CORE_KIND]", "", "loads, stores and arithmetic that a core does in a cycle", 0.01, 100},
      {"vector_work", "[CORE_KIND]", "",
       "how many times more in loops that compilers make vector instructions of; 1 if not said", 1, 100},
      {"wrong_guess_ns", "[CORE_KIND]", "ns", "a branch that was guessed wrong; 6 if not said", 0, 1000},
      {"misses_at_once", "[CORE_KIND]", "", "accesses of a core that overlap: each costs its latency divided by this",
       1, 1024},
      {"hit_cycles", "LEVEL [CORE_KIND]", "cycles", "a hit in this level (L1, L2, ...), in the core's cycles", 1,
       10000},
      {"hit_ns", "LEVEL [CORE_KIND]", "ns", "the same in time, for caches with a clock of their own", 0.01, 10000},
      {"ways", "LEVEL", "", "associativity", 1, 1024},
      {"memory_ns", "MEMORY_KIND DISTANCE", "ns", "from a core to memory at that distance of the machine's table", 1,
       100000},
      {"memory_ns", "NODE NODE", "ns", "from cores of the first node to memory of the second, by OS index", 1, 100000},
      {"node_gb_s", "MEMORY_KIND or NODE", "1e9 bytes/s", "what the memory of a node delivers", 0.01, 100000},
      {"seats", "", "", "what links lie between: packages or nodes", 0, 0},
      {"links", "NAME", "", "pairs of seats by OS index: 0-1 0-2", 0, 0},
      {"link_gb_s", "NAME", "1e9 bytes/s", "what each of these links carries, one way", 0.01, 100000},
      {"link_ns", "NAME", "ns", "what each of them adds to memory_ns where that is not said for the distance", 0,
       100000},
      {"invalidation_ns", "", "ns", "what a write waits until other caches have given up the line", 0, most_ns},
      {"core_busy_w", "[CORE_KIND]", "W", "a core that works, at core_ghz", 0, most_w},
      {"core_idle_w", "[CORE_KIND]", "W", "a core that does not", 0, most_w},
      {"package_w", "", "W", "a package beside its cores, its memory included", 0, most_w},
      {"fork_ns", "", "ns", "a child that is forked where no plan is asked", 0, most_ns},
      {"planned_fork_ns", "", "ns", "a child that a plan or a profile knows", 0, most_ns},
      {"steal_ns", "DISTANCE", "ns", "a steal where thief and victim meet at core, cache, node, package, machine", 0,
       most_ns},
      {"failed_look_ns", "", "ns", "a victim or pool that was found empty", 0, most_ns},
      {"pool_ns", "", "ns", "a push to a pool, or a take", 0, most_ns},
      {"suspend_ns", "", "ns", "a join that must wait leaves its stack", 0, most_ns},
      {"resume_ns", "", "ns", "and is gone on with", 0, most_ns},
      {"notice_ns", "", "ns", "until a searching worker sees new work", 0, most_ns},
      {"spin_ns", "", "ns", "how long a worker searches before it parks", 0, 1e9},
      {"wake_ns", "", "ns", "from the call to the first look of a parked worker", 0, most_ns},
      {"notify_ns", "", "ns", "the call, for the one who calls", 0, most_ns},
  };
  return keys;
}

}  // namespace nearfork::sim
