// What people are told of default_model().
#include <algorithm>
#include <cstdio>
#include <set>

#include "sim/machine/cache_layout.hpp"
#include "sim/machine/machine_model.hpp"

namespace nearfork::sim {
namespace {

std::string shown(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", number);
  return text;
}

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

}  // namespace

std::vector<std::string> assumed_of(const machine& where) {
  if (!where.model_file().empty()) return {};
  return {without_model(where) + ": assumed " + memory_text(where) + remote_text(where) + clock_text(where) +
          cache_text(where) + "no links and no power; " + remedy(where.source())};
}

}  // namespace nearfork::sim
