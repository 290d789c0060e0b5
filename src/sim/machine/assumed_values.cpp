// What people are told of default_model().
#include <algorithm>
#include <set>

#include "base/text/number_text.hpp"
#include "sim/machine/cache_layout.hpp"
#include "sim/machine/machine_model.hpp"
#include "sim/machine/model_values.hpp"

namespace nearfork::sim {
namespace {

/// "each memory node"; "3 of 8 memory nodes".
std::string nodes_text(std::size_t some, std::size_t all) {
  return (some == all ? "each" : std::to_string(some) + " of " + std::to_string(all)) + " memory node" +
         (some == all ? "" : "s");
}

/// What the description lacks of bandwidths and latencies. Empty: nothing.
std::string memory_text(const machine& where) {
  const auto& nodes = where.nodes();
  const std::size_t all = node_count(where);
  const auto lacking = [&](auto value) {
    return nodes.empty() ? all : static_cast<std::size_t>(std::ranges::count(nodes, 0U, [&](const memory_node& one) {
      return (one.*value).value_or(0);
    }));
  };
  const std::size_t speeds = lacking(&memory_node::bandwidth_mib_per_s);
  const std::size_t latencies = lacking(&memory_node::latency_ns);
  const std::string speed = shown(assumed_gb_per_s) + " GB/s";
  const std::string latency = std::to_string(assumed_latency_ns) + " ns";
  std::string text;
  if (speeds == latencies && speeds > 0) return speed + " and " + latency + " for " + nodes_text(speeds, all) + ", ";
  if (speeds > 0) text += speed + " for " + nodes_text(speeds, all) + ", ";
  if (latencies > 0) text += latency + " for " + nodes_text(latencies, all) + ", ";
  return text;
}

std::string remote_text(const machine& where) {
  if (node_count(where) < 2) return {};
  if (where.parts().node_distances.empty())
    return "remote memory half as late again in the same package and twice as late in another, ";
  return "remote memory as much later as the distance table says, ";
}

std::string clock_text(const machine& where) {
  const bool knows_all =
      std::ranges::all_of(where.core_kinds(), [](const core_kind& kind) { return kind.max_mhz.value_or(0) > 0; });
  if (knows_all && !where.core_kinds().empty()) return "cores at their greatest clocks, ";
  return "cores " + std::string(where.core_kinds().size() > 1 ? "whose clock is not known " : "") + "at " +
         shown(core_model{}.mhz / 1000.0) + " GHz, ";
}

/// "L1/L2/L3 that answer in 1.5/4.5/18 ns, ", of the levels that the machine has.
std::string cache_text(const machine& where) {
  const std::vector<std::uint64_t> hit_ps = core_model{}.hit_ps;
  std::set<unsigned> levels;
  for (const cache_instance& one : caches_of(where).caches) levels.insert(std::max(1U, one.level));
  std::string names;
  std::string times;
  for (const unsigned level : levels) {
    names += (names.empty() ? "L" : "/L") + std::to_string(level);
    times += (times.empty() ? "" : "/") +
             shown(static_cast<double>(hit_ps[std::min<std::size_t>(level, hit_ps.size()) - 1]) / 1000);
  }
  return names.empty() ? "" : names + " that answer in " + times + " ns, ";
}

std::string without_model(const machine& where) {
  switch (where.source()) {
    case machine_source::xml_file: return "no model beside " + where.parts().described_by;
    case machine_source::synthetic: return "a synthetic machine has no model";
    case machine_source::live: return "no model of this machine";
  }
  return {};
}

const char* remedy(machine_source source) {
  switch (source) {
    case machine_source::xml_file:
      return "nearfork topo --measure there makes a .model file, or write one (docs/MACHINES.md)";
    case machine_source::synthetic: return "an XML file with a .model file beside it says better (docs/MACHINES.md)";
    case machine_source::live:
      return "lstopo box.xml and nearfork topo --measure -o box.model describe it (docs/MACHINES.md)";
  }
  return "";
}

template <class Number>
std::string listed_with(const char* prefix, const std::vector<Number>& numbers) {
  std::string text;
  for (const Number one : numbers) text += (text.empty() ? "" : ", ") + std::string(prefix) + std::to_string(one);
  return text;
}

bool has_caches(const machine& where) {
  return std::ranges::any_of(where.domains(), [](const domain& one) { return !one.caches.empty(); });
}

/// What the description lacks, and no model can say.
void add_gaps(const machine& where, std::vector<std::string>& to) {
  const auto& sizeless = where.parts().remarks.levels_without_size;
  if (!sizeless.empty())
    to.push_back(listed_with("L", sizeless) + " of a size that is not known (cache_size=0): left out");
  if (!has_caches(where)) to.emplace_back("no cache is described: each access goes to memory");
  if (!where.nodes().empty() && node_bytes_of(where).empty())
    to.emplace_back("no memory node has a size: none is ever full");
}

/// What the description says, and the simulator does not use without a model.
void add_unused(const machine& where, std::vector<std::string>& to) {
  const auto& lines = where.parts().remarks.line_bytes;
  const std::uint32_t used = default_model(where).line_bytes;
  if (std::ranges::any_of(lines, [&](unsigned one) { return one != used; }))
    to.push_back("caches have lines of " + listed_with("", lines) + " bytes: simulated with " + std::to_string(used));
  if (const std::uint64_t bytes = where.parts().remarks.memory_side_bytes; bytes > 0)
    to.push_back("memory-side caches of " + size_text(bytes) +
                 " bytes together are not simulated: side_cache_mib of a model describes them");
}

}  // namespace

std::vector<std::string> assumed_of(const machine& where) {
  std::vector<std::string> lines;
  if (where.model_file().empty()) {
    lines.push_back(without_model(where) + ": assumed " + memory_text(where) + remote_text(where) + clock_text(where) +
                    cache_text(where) + "no links and no power; " + remedy(where.source()));
    add_unused(where, lines);
  }
  add_gaps(where, lines);
  return lines;
}

}  // namespace nearfork::sim
