#include "machine/model/machine.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <nearfork/error.hpp>

#include "base/text/message_text.hpp"

namespace nearfork {
namespace {

/// Only the closest node counts: a tier that all domains share does not bring two of them together.
std::optional<node_id> closest_node(const domain& one) {
  if (one.home) return one.home;
  return one.nodes.empty() ? std::nullopt : std::optional(one.nodes.front());
}

bool share_node(const domain& a, const domain& b) {
  return closest_node(a) && closest_node(a) == closest_node(b);
}

}  // namespace

std::string_view name_of(memory_kind kind) noexcept {
  switch (kind) {
    case memory_kind::dram: return "DRAM";
    case memory_kind::hbm: return "HBM";
    case memory_kind::cxl: return "CXL";
    case memory_kind::nvm: return "NVM";
    case memory_kind::device: return "device";
  }
  return "?";
}

machine::machine(machine_parts parts) : parts_(std::move(parts)) {
  if (!parts_.cores.empty()) return;
  throw error("nearfork: " + provenance() +
              (parts_.source == machine_source::live
                   ? " has no core that this process may use; check affinity (taskset) and cpuset"
                   : " has no core with a hardware thread (PU) that may be used; describe one"));
}

steal_distance machine::distance(pu_id a, pu_id b) const {
  const core& one = at(at(a).core);
  const core& other = at(at(b).core);
  if (at(a).core == at(b).core) return steal_distance::core;
  if (one.domain == other.domain) return steal_distance::cache;
  if (one.package != other.package) return steal_distance::machine;
  return share_node(at(one.domain), at(other.domain)) ? steal_distance::node : steal_distance::package;
}

std::optional<std::uint32_t> machine::node_distance(node_id from, node_id to) const {
  if (parts_.node_distances.empty()) return std::nullopt;
  return parts_.node_distances.at(index_of_id(from) * parts_.nodes.size() + index_of_id(to));
}

unsigned machine::suggested_workers() const noexcept {
  const auto cores = static_cast<double>(parts_.cores.size());
  const double granted = parts_.cpu_quota ? std::min(cores, std::ceil(*parts_.cpu_quota)) : cores;
  return std::max(1U, static_cast<unsigned>(granted));
}

std::string machine::provenance() const {
  if (!parts_.known_as.empty()) return "machine " + parts_.known_as;
  switch (parts_.source) {
    case machine_source::live: return "live (" + parts_.described_by + ")";
    case machine_source::xml_file: return "XML file " + parts_.described_by;
    case machine_source::synthetic: return "synthetic " + parts_.described_by;
  }
  return {};
}

std::string machine::summary() const {
  double gib = 0;
  for (const memory_node& node : parts_.nodes) gib += static_cast<double>(node.capacity_bytes) / (1 << 30);
  char memory[32];
  std::snprintf(memory, sizeof memory, "%.1f GiB", gib);
  return shape() + ", " + memory;
}

std::string machine::shape() const {
  return (parts_.model.empty() ? "" : parts_.model + ": ") + counted(parts_.packages.size(), "package") + ", " +
         counted(parts_.domains.size(), "cache domain") + ", " + counted(parts_.cores.size(), "core") + ", " +
         counted(parts_.pus.size(), "PU") + ", " + counted(parts_.nodes.size(), "NUMA node");
}

}  // namespace nearfork
