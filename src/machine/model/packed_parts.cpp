#include "machine/model/packed_parts.hpp"

#include <concepts>
#include <tuple>
#include <type_traits>

#include "base/packed.hpp"

namespace nearfork {
namespace {

template <class Given, class Part>
concept constant_or_not = std::same_as<std::remove_const_t<Given>, Part>;

}  // namespace

// If a field is missing here, this does not compile: each binding names all of them.

auto fields(constant_or_not<cache_level> auto& of) {
  auto& [level, size_bytes, shared_by_cores] = of;
  return std::tie(level, size_bytes, shared_by_cores);
}
auto fields(constant_or_not<pu> auto& of) {
  auto& [os, core] = of;
  return std::tie(os, core);
}
auto fields(constant_or_not<core> auto& of) {
  auto& [os, domain, package, kind, pus, caches] = of;
  return std::tie(os, domain, package, kind, pus, caches);
}
auto fields(constant_or_not<domain> auto& of) {
  auto& [package, cores, caches, nodes, home, nearest] = of;
  return std::tie(package, cores, caches, nodes, home, nearest);
}
auto fields(constant_or_not<memory_node> auto& of) {
  auto& [os, kind, capacity_bytes, bandwidth_mib_per_s, latency_ns, domains] = of;
  return std::tie(os, kind, capacity_bytes, bandwidth_mib_per_s, latency_ns, domains);
}
auto fields(constant_or_not<package> auto& of) {
  auto& [os, domains] = of;
  return std::tie(os, domains);
}
auto fields(constant_or_not<core_kind> auto& of) {
  auto& [name, efficiency, cores, max_mhz] = of;
  return std::tie(name, efficiency, cores, max_mhz);
}
auto fields(constant_or_not<machine_parts> auto& of) {
  auto& [source, described_by, model, packages, domains, cores, pus, nodes, core_kinds, node_distances, cpu_quota,
         cores_are_domains, known_as, model_file, present_pus, affinity, remarks] = of;
  return std::tie(source, described_by, model, packages, domains, cores, pus, nodes, core_kinds, node_distances,
                  cpu_quota, cores_are_domains, known_as, model_file, present_pus, affinity, remarks);
}
auto fields(constant_or_not<cache_remarks> auto& of) {
  auto& [levels_without_size, line_bytes, memory_side_bytes] = of;
  return std::tie(levels_without_size, line_bytes, memory_side_bytes);
}
auto fields(constant_or_not<affinity_source> auto& of) {
  auto& [refused, is_from_proc] = of;
  return std::tie(refused, is_from_proc);
}

std::string packed_parts(const machine_parts& parts) {
  return packed(parts);
}

machine_parts unpacked_parts(std::string_view bytes) {
  return unpacked<machine_parts>(bytes);
}

}  // namespace nearfork
