#include "sim/machine_model.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace nearfork::sim {
namespace {

constexpr std::uint64_t default_latency_ns = 90;
constexpr std::uint64_t default_mib_per_s = 19073;  // 20 GB/s
constexpr std::uint32_t local_distance = 10;

/// The node that stands for a domain in the distance table.
std::optional<node_id> seat_of(const domain& one) {
  if (one.home) return one.home;
  return one.nodes.empty() ? std::nullopt : std::optional(one.nodes.front());
}

bool in_package_of(const machine& where, const memory_node& node, package_id package) {
  return std::any_of(node.domains.begin(), node.domains.end(),
                     [&](domain_id d) { return where.at(d).package == package; });
}

std::uint32_t distance_to(const machine& where, domain_id from, std::uint32_t node) {
  if (is_local(where, from, node)) return local_distance;
  if (const auto seat = seat_of(where.at(from)))
    if (const auto told = where.node_distance(*seat, node_id{node})) return std::max(local_distance, *told);
  return in_package_of(where, where.nodes()[node], where.at(from).package) ? 15 : 20;
}

std::uint64_t memory_ps(const machine& where, domain_id from, std::uint32_t node) {
  if (where.nodes().empty()) return default_latency_ns * 1000;
  return where.nodes()[node].latency_ns.value_or(default_latency_ns) * 1000 * distance_to(where, from, node) /
         local_distance;
}

std::uint64_t line_ps(const machine& where, std::uint32_t node, std::uint32_t line_bytes) {
  const std::uint64_t told = where.nodes().empty() ? 0 : where.nodes()[node].bandwidth_mib_per_s.value_or(0);
  const double bytes_per_s = static_cast<double>(told == 0 ? default_mib_per_s : told) * (1 << 20);
  return static_cast<std::uint64_t>(std::llround(line_bytes * 1e12 / bytes_per_s));
}

}  // namespace

bool is_local(const machine& where, domain_id domain, std::uint32_t node) {
  if (where.nodes().empty()) return true;
  const auto& local = where.at(domain).nodes;
  return std::find(local.begin(), local.end(), node_id{node}) != local.end();
}

std::uint32_t first_touch_node(const machine& where, domain_id domain) {
  const auto& local = where.at(domain).nodes;
  if (!local.empty()) return static_cast<std::uint32_t>(index_of_id(local.front()));
  std::uint32_t nearest = 0;
  for (std::uint32_t node = 1; node < where.nodes().size(); ++node)
    if (distance_to(where, domain, node) < distance_to(where, domain, nearest)) nearest = node;
  return nearest;
}

machine_model default_model(const machine& where) {
  machine_model made;
  for (std::uint32_t d = 0; d < where.domains().size(); ++d)
    for (std::uint32_t node = 0; node < node_count(where); ++node)
      made.memory_ps.push_back(memory_ps(where, domain_id{d}, node));
  for (std::uint32_t node = 0; node < node_count(where); ++node)
    made.node_line_ps.push_back(line_ps(where, node, made.line_bytes));
  return made;
}

}  // namespace nearfork::sim
