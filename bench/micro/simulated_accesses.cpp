// How many line accesses the simulator handles in a second, on one core: all from the first cache, all from memory, and
// the papers' heat under stealing, which mixes both. Each case checks its counts.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <nearfork/config.hpp>

#include "machine/model/machine.hpp"
#include "plan/plans/policy.hpp"
#include "sim/engine/region_run.hpp"
#include "sim/programs/program.hpp"

namespace {

using namespace nearfork;
using namespace nearfork::sim;

struct shown {
  const char* what;
  program of;
  std::size_t iterations;
  const char* policy;
};

/// One leaf that sweeps over `bytes`.
program swept(std::uint64_t bytes) {
  task_graph graph{task_tree()};
  const data_access all[] = {{0, bytes, access_kind::read}};
  graph.set_work(tree_root, 0, 0, all);
  program made{.name = "sweep", .input_bytes = 0, .graphs = {}, .course = {0}};
  made.graphs.push_back(std::move(graph));
  return made;
}

void show(const machine& where, const shown& one) {
  const auto how = make_policy(one.policy);
  const auto began = std::chrono::steady_clock::now();
  const region_run run = run_region(one.of, where, *how, {.iterations = one.iterations});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  std::uint64_t accesses = 0;
  std::uint64_t from_memory = 0;
  for (const iteration_report& each : run.iterations) {
    accesses += each.memory.accesses;
    from_memory += each.memory.local + each.memory.remote;
    if (each.memory.level[2].misses() != each.memory.local + each.memory.remote) std::exit(1);
  }
  std::printf("%-32s %6.1f million line accesses a second, %.0f%% of them from memory\n", one.what,
              static_cast<double>(accesses) / seconds / 1e6,
              100 * static_cast<double>(from_memory) / static_cast<double>(accesses));
}

}  // namespace

int main() {
  const auto where = load_machine("package:4 numa:1 l3:1(size=6MB) l2:4(size=512KB) l1:1(size=64KB) core:1 pu:1");
  show(*where, {"in L1", swept(32 << 10), 100'000, "random"});
  show(*where, {"in L3", swept(4 << 20), 300, "random"});
  show(*where, {"beyond L3", swept(64 << 20), 20, "random"});
  const grid_shape heat{.rows = 4096, .row_bytes = 8192, .leaf_rows = 16};
  show(*where, {"heat, 64 MiB, random", regular_grid(heat), 20, "random"});
  show(*where, {"heat, 64 MiB, laws", regular_grid(heat), 20, "laws"});
  const grid_shape small{.rows = 1024, .row_bytes = 8192, .leaf_rows = 16};
  show(*where, {"heat, 16 MiB, random", regular_grid(small), 60, "random"});
}
