#include "sim/machine/machine_model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include <nearfork/error.hpp>

#include "sim/machine/cache_layout.hpp"
#include "sim/machine/link_network.hpp"
#include "sim/machine/model_reader.hpp"
#include "sim/machine/model_values.hpp"

namespace nearfork::sim {
namespace {

constexpr double bytes_of_mib = 1 << 20;
constexpr std::uint32_t local_distance = 10;
constexpr std::uint32_t least_line_bytes = 16;  // as in models
constexpr std::uint32_t most_line_bytes = 1024;

bool in_package_of(const machine& where, const memory_node& node, package_id package) {
  return std::any_of(node.domains.begin(), node.domains.end(),
                     [&](domain_id d) { return where.at(d).package == package; });
}

[[noreturn]] void refuse(const machine& where, std::uint32_t node, const std::string& what, const model_key& bounds) {
  throw error("nearfork: " + where.provenance() + ": NUMA node " + std::to_string(number_of(where.nodes()[node].os)) +
              " has " + what + "; the simulator takes " + shown(bounds.least) + " to " + shown(bounds.most) + " " +
              std::string(bounds.unit) + "; correct the description, or write a model (docs/MACHINES.md)");
}

/// Latencies and bandwidths have the bounds that they have in a model.
const model_key& bounds_of(std::string_view key) {
  return *std::ranges::find(model_keys(), key, &model_key::name);
}

std::uint64_t local_ns(const machine& where, std::uint32_t node) {
  const std::uint64_t ns = where.nodes()[node].latency_ns.value_or(assumed_latency_ns);
  const model_key& bounds = bounds_of("memory_ns");
  if (const auto number = static_cast<double>(ns); number < bounds.least || number > bounds.most)
    refuse(where, node, "a latency of " + std::to_string(ns) + " ns", bounds);
  return ns;
}

/// How far memory is, and how far a domain's own memory is in the same unit: 10 in tables of the firmware; others hold
/// nanoseconds.
struct relative_distance {
  std::uint64_t there;
  std::uint64_t own;
};
relative_distance relative_distance_to(const machine& where, domain_id from, std::uint32_t node) {
  if (const auto seat = seat_of(where.at(from))) {
    const std::uint32_t own = where.node_distance(*seat, *seat).value_or(0);
    const auto there = where.node_distance(*seat, node_id{node});
    if (own > 0 && there) return {std::max(own, *there), own};
  }
  return {distance_to(where, from, node), local_distance};
}

std::uint64_t memory_ps(const machine& where, domain_id from, std::uint32_t node) {
  if (where.nodes().empty()) return assumed_latency_ns * 1000;
  const std::uint64_t local_ps = local_ns(where, node) * 1000;
  if (is_local(where, from, node)) return local_ps;
  const relative_distance distance = relative_distance_to(where, from, node);
  const std::uint64_t ps = local_ps * distance.there / distance.own;
  const model_key& bounds = bounds_of("memory_ns");
  if (static_cast<double>(ps) > bounds.most * 1000)
    refuse(where, node,
           "a distance of " + std::to_string(distance.there) + " from a domain whose own memory is at " +
               std::to_string(distance.own) + ", so a latency of " + std::to_string(ps / 1000) + " ns",
           bounds);
  return ps;
}

std::uint64_t line_ps(const machine& where, std::uint32_t node, std::uint32_t line_bytes) {
  const std::uint64_t told = where.nodes().empty() ? 0 : where.nodes()[node].bandwidth_mib_per_s.value_or(0);
  if (told == 0) return line_ps_at(assumed_gb_per_s, line_bytes);
  const double gb_per_s = static_cast<double>(told) * bytes_of_mib / 1e9;
  const model_key& bounds = bounds_of("node_gb_s");
  if (gb_per_s < bounds.least || gb_per_s > bounds.most)
    refuse(where, node, "a bandwidth of " + std::to_string(told) + " MiB/s", bounds);
  return line_ps_at(gb_per_s, line_bytes);
}

/// The size of the machine's lines, if all its caches have one that the simulator knows.
std::optional<std::uint32_t> described_line_bytes(const machine& where) {
  const auto& sizes = where.parts().remarks.line_bytes;
  if (sizes.size() != 1 || !std::has_single_bit(sizes[0]) || sizes[0] < least_line_bytes || sizes[0] > most_line_bytes)
    return std::nullopt;
  return sizes[0];
}

double speed_of(const core_model& kind, std::uint32_t mhz) {
  return mhz * kind.work_per_cycle;
}

bool agree_on_ways(const machine& where, const machine_model& model) {
  const cache_layout layout = caches_of(where);
  const auto ways = [&](const cache_instance& of, unsigned kind) {
    return at_level(model.kinds[kind].associativity, of.level);
  };
  for (std::size_t c = 0; c < layout.of_core.size(); ++c)
    for (const std::uint32_t i : layout.of_core[c]) {
      const cache_instance& one = layout.caches[i];
      if (ways(one, where.cores()[c].kind) != ways(one, one.kind)) return false;
    }
  return true;
}

[[noreturn]] void misfit(const machine& where, const machine_model& model, const std::string& what) {
  throw error("nearfork: the model (" + model.from + ") does not fit " + where.provenance() + ": " + what);
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

std::vector<std::uint32_t> first_touch_nodes(const machine& where) {
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t d = 0; d < where.domains().size(); ++d) nodes.push_back(first_touch_node(where, domain_id{d}));
  return nodes;
}

std::optional<node_id> seat_of(const domain& one) {
  if (one.home) return one.home;
  return one.nodes.empty() ? std::nullopt : std::optional(one.nodes.front());
}

std::uint32_t distance_to(const machine& where, domain_id from, std::uint32_t node) {
  if (where.nodes().empty()) return local_distance;
  if (const auto seat = seat_of(where.at(from)))
    if (const auto told = where.node_distance(*seat, node_id{node})) return std::max(local_distance, *told);
  if (is_local(where, from, node)) return local_distance;
  return in_package_of(where, where.nodes()[node], where.at(from).package) ? 15 : 20;
}

std::vector<std::uint64_t> node_bytes_of(const machine& where) {
  std::vector<std::uint64_t> bytes;
  for (const memory_node& one : where.nodes()) bytes.push_back(one.capacity_bytes);
  if (std::ranges::all_of(bytes, [](std::uint64_t of_node) { return of_node == 0; })) bytes.clear();
  return bytes;
}

std::uint64_t line_ps_at(double gb_per_s, std::uint32_t line_bytes) {
  return static_cast<std::uint64_t>(std::llround(line_bytes * 1e3 / gb_per_s));
}

std::uint32_t core_mhz(const machine& where, const machine_model& model, core_id core) {
  if (!model.core_mhz.empty()) return model.core_mhz[index_of_id(core)];
  return model.kinds[where.at(core).kind].mhz;
}

double core_slowness(const machine& where, const machine_model& model, core_id core) {
  double reference = model.reference_speed;
  if (reference == 0)
    for (const core_model& kind : model.kinds) reference = std::max(reference, speed_of(kind, kind.mhz));
  return reference / speed_of(model.kinds[where.at(core).kind], core_mhz(where, model, core));
}

bool can_share_power(const machine_model& model) noexcept {
  return model.power && std::ranges::all_of(model.kinds, [](const core_model& kind) { return kind.most_mhz > 0; });
}

void require_fit(const machine& where, const machine_model& model) {
  const auto require = [&](bool fits, const char* what) {
    if (!fits) misfit(where, model, what);
  };
  const std::size_t nodes = node_count(where);
  for (const core& one : where.cores()) require(one.kind < model.kinds.size(), "there are more kinds of cores");
  for (const core_model& kind : model.kinds) {
    require(kind.mhz > 0, "a kind of cores has a clock of zero");
    require(kind.work_per_cycle > 0 && std::isfinite(kind.work_per_cycle), "a kind of cores does no work in a cycle");
    require(kind.smt_speedup >= 1 && std::isfinite(kind.smt_speedup), "a core does less with more hardware threads");
    require(!kind.hit_ps.empty(), "a kind of cores has no latency of any cache");
    require(!kind.associativity.empty() && std::ranges::min(kind.associativity) > 0, "a cache has no ways");
  }
  require(model.line_bytes > 0 && model.page_bytes >= model.line_bytes, "a page is shorter than a line");
  require(agree_on_ways(where, model), "kinds of cores that share a cache differ in its ways");
  require(model.core_mhz.empty() || model.core_mhz.size() == where.cores().size(), "not every core has a clock");
  for (const std::uint32_t mhz : model.core_mhz) require(mhz > 0, "a core has a clock of zero");
  require(model.memory_ps.size() == where.domains().size() * nodes, "not every pair of domain and node has a latency");
  require(model.write_ps.empty() || model.write_ps.size() == model.memory_ps.size(),
          "not every pair of domain and node has a latency of writes");
  require(model.node_line_ps.size() == nodes, "not every node has a bandwidth");
  require(model.node_bytes.empty() || model.node_bytes.size() == nodes, "not for every node is said how large it is");
  require(model.side_caches.empty() || model.side_caches.size() == nodes,
          "not for every node is said what memory-side cache it has");
  require(model.side_ps.size() == (model.side_caches.empty() ? 0 : model.memory_ps.size()),
          "not every pair of domain and node has a latency of memory-side caches");
  require(!model.power || model.power->cores.size() == model.kinds.size(), "not every kind of cores has its power");
  (void)link_network(model.between);  // throws if a link ends nowhere
  if (model.between.links.empty()) return;
  require(model.between.seat_of_domain.size() == where.domains().size(), "not every domain has a seat");
  require(model.between.seat_of_node.size() == nodes, "not every node has a seat");
}

machine_model model_of(const machine& where) {
  return where.model_file().empty() ? default_model(where) : load_model_file(where, where.model_file());
}

machine_model default_model(const machine& where) {
  machine_model made;
  made.line_bytes = described_line_bytes(where).value_or(made.line_bytes);
  for (const core_kind& kind : where.core_kinds()) {
    made.kinds.emplace_back();
    if (kind.max_mhz.value_or(0) > 0) made.kinds.back().mhz = *kind.max_mhz;
  }
  if (made.kinds.empty()) made.kinds.emplace_back();
  for (std::uint32_t d = 0; d < where.domains().size(); ++d)
    for (std::uint32_t node = 0; node < node_count(where); ++node)
      made.memory_ps.push_back(memory_ps(where, domain_id{d}, node));
  for (std::uint32_t node = 0; node < node_count(where); ++node)
    made.node_line_ps.push_back(line_ps(where, node, made.line_bytes));
  made.node_bytes = node_bytes_of(where);
  return made;
}

}  // namespace nearfork::sim
