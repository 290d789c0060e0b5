#include "tools/reproduce/drebes_latency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "sim/memory/memory_hierarchy.hpp"
#include "tools/reproduce/drebes_runs.hpp"

namespace nearfork::tools {
namespace {

constexpr std::uint64_t swept_bytes = 1U << 30;

struct paper_latency {
  const char* machine;
  const char* distance;
  std::uint32_t node;  // seen from the first core
  double read_ms;
  double write_ms;
};
/// The table of distances says which nodes these are; node 1 of the Opteron is in the package of node 0.
constexpr paper_latency latencies[] = {
    {"opteron-6282", "local", 0, 1288.5, 2256.9},
    {"opteron-6282", "1 hop (on-package)", 1, 2328.4, 2717.6},
    {"opteron-6282", "1 hop (off-package)", 2, 2781.4, 3934.6},
    {"opteron-6282", "2 hops", 3, 5601.6, 5601.3},
    {"sgi-uv2000", "local", 0, 934.82, 1307.4},
    {"sgi-uv2000", "1 hop", 1, 4563.1, 5282.38},
    {"sgi-uv2000", "2 hops", 2, 5820.48, 6473.38},
    {"sgi-uv2000", "3 hops", 6, 6991.24, 7673.14},
};

double sweep_ms(const simulated_machine& where, std::uint32_t node, sim::access_kind kind) {
  constexpr std::uint32_t lines_at_once = 128;
  sim::memory_hierarchy memory(*where.what, where.model, swept_bytes);
  for (std::uint64_t page = 0; page < swept_bytes / memory.page_bytes(); ++page) memory.pages().place(page, node);
  std::uint64_t now_ps = 0;
  for (std::uint64_t line = 0; line < swept_bytes / memory.line_bytes(); line += lines_at_once) {
    const auto toll =
        memory.touch(core_id{0}, static_cast<std::uint32_t>(line), lines_at_once, kind, sim::access_order::chain);
    now_ps = std::max(now_ps + toll.latency_ps, memory.serve(now_ps));
  }
  return static_cast<double>(now_ps) / 1e9;
}

}  // namespace

result_table latency_table() {
  result_table made{.id = "drebes-latency", .title = "Drebes et al., Tables 1 and 2: 2^24 lines of memory, in ms"};
  made.columns = {{"machine"},  {"distance"},  {"reads", 1},         {"paper: reads", 1},
                  {"off %", 1}, {"writes", 1}, {"paper: writes", 1}, {"off by %", 1}};
  for (const paper_latency& one : latencies) {
    const simulated_machine where = scaled_machine(machine_to_simulate(one.machine));
    const double read = sweep_ms(where, one.node, sim::access_kind::read);
    const double write = sweep_ms(where, one.node, sim::access_kind::write);
    made.rows.push_back({std::string(one.machine), std::string(one.distance), read, one.read_ms,
                         100 * (read / one.read_ms - 1), write, one.write_ms, 100 * (write / one.write_ms - 1)});
  }
  return made;
}

std::string latency_verdict(const result_table& table) {
  double most = 0;
  for (const auto& row : table.rows)
    most = std::max({most, std::abs(std::get<double>(row[4])), std::abs(std::get<double>(row[7]))});
  return fmt::format("tables 1 and 2: all 16 numbers are {}within 5% of the paper's ({:.1f}% at most)",
                     most <= 5 ? "" : "NOT ", most);
}

}  // namespace nearfork::tools
