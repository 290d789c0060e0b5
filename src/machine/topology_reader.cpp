// From hwloc's tree of objects to our machine: cores into domains, domains into packages, nodes beside them.
#include <algorithm>
#include <map>
#include <new>

#include "machine/hwloc_topology.hpp"

namespace nearfork {
namespace {

/// Larger than any machine there is; a hostile description shall not make us allocate for ever.
constexpr int most_pus = 1 << 16;

/// A cache below level 3 is a domain only if it joins more than a pair of cores: Apple's clusters, yes; KNL's tiles, no.
constexpr int least_cores_of_small_domain = 4;

bool is_data_cache(hwloc_obj_t object) { return hwloc_obj_type_is_dcache(object->type) != 0; }

class topology_reader {
 public:
  explicit topology_reader(hwloc_topology_t topology) : topology_(topology) {}

  machine_parts read() {
    if (hwloc_get_nbobjs_by_type(topology_, HWLOC_OBJ_PU) > most_pus)
      throw error("nearfork: the machine description has more than " + std::to_string(most_pus) + " PUs");
    read_nodes();
    read_cores();
    read_kinds();
    read_locality();
    read_distances();
    return std::move(parts_);
  }

 private:
  std::vector<hwloc_obj_t> all(hwloc_obj_type_t type) const {
    std::vector<hwloc_obj_t> found;
    for (hwloc_obj_t object = nullptr; (object = hwloc_get_next_obj_by_type(topology_, type, object)) != nullptr;)
      found.push_back(object);
    return found;
  }

  void read_nodes() {
    for (hwloc_obj_t object : all(HWLOC_OBJ_NUMANODE)) {
      node_objects_.push_back(object);
      memory_node node;
      node.os = os_index{object->os_index};
      node.capacity_bytes = object->attr->numanode.local_memory;
      parts_.nodes.push_back(node);
    }
  }

  void read_cores() {
    auto objects = all(HWLOC_OBJ_CORE);
    if (objects.empty()) objects = all(HWLOC_OBJ_PU);  // descriptions without cores: each PU is one
    for (hwloc_obj_t object : objects) add_core(object);
  }

  void add_core(hwloc_obj_t object) {
    const core_id id{static_cast<std::uint32_t>(parts_.cores.size())};
    core made;
    made.os = os_index{object->os_index};
    made.domain = domain_for(object);
    made.package = parts_.domains[index_of_id(made.domain)].package;
    unsigned index = 0;
    hwloc_bitmap_foreach_begin(index, object->cpuset) {
      made.pus.push_back(pu_id{static_cast<std::uint32_t>(parts_.pus.size())});
      parts_.pus.push_back({os_index{index}, id});
    }
    hwloc_bitmap_foreach_end();
    parts_.domains[index_of_id(made.domain)].cores.push_back(id);
    parts_.cores.push_back(std::move(made));
  }

  /// The object whose cores are one domain with this core.
  hwloc_obj_t domain_object(hwloc_obj_t core_object) const {
    hwloc_obj_t last = nullptr;
    for (hwloc_obj_t up = core_object; up != nullptr; up = up->parent)
      if (is_data_cache(up)) last = up;
    if (last != nullptr && (last->attr->cache.depth >= 3 || cores_of(last) >= least_cores_of_small_domain)) return last;
    // No shared last-level cache: the cores of one memory node, or else of one package.
    for (hwloc_obj_t up = core_object; up != nullptr; up = up->parent)
      if (up->memory_arity > 0 || up->type == HWLOC_OBJ_PACKAGE) return up;
    return hwloc_get_root_obj(topology_);
  }

  int cores_of(hwloc_obj_t object) const {
    return std::max(0, hwloc_get_nbobjs_inside_cpuset_by_type(topology_, object->cpuset, HWLOC_OBJ_CORE));
  }

  domain_id domain_for(hwloc_obj_t core_object) {
    hwloc_obj_t const object = domain_object(core_object);
    const auto [position, is_new] =
        domains_.try_emplace(object, domain_id{static_cast<std::uint32_t>(parts_.domains.size())});
    if (is_new) {
      domain made;
      made.package = package_for(core_object);
      made.caches = caches_around(core_object);
      domain_objects_.push_back(object);
      parts_.packages[index_of_id(made.package)].domains.push_back(position->second);
      parts_.domains.push_back(std::move(made));
    }
    return position->second;
  }

  package_id package_for(hwloc_obj_t inside) {
    hwloc_obj_t object = inside;
    while (object != nullptr && object->type != HWLOC_OBJ_PACKAGE) object = object->parent;
    const auto [position, is_new] =
        packages_.try_emplace(object, package_id{static_cast<std::uint32_t>(parts_.packages.size())});
    if (is_new) {
      parts_.packages.push_back({os_index{object != nullptr ? object->os_index : 0}, {}});
      if (const char* const model = object != nullptr ? hwloc_obj_get_info_by_name(object, "CPUModel") : nullptr)
        parts_.model = model;
    }
    return position->second;
  }

  std::vector<cache_level> caches_around(hwloc_obj_t core_object) const {
    std::vector<cache_level> found;
    // Level 1 may hang below the core object.
    hwloc_obj_t lowest = core_object;
    while (lowest->first_child != nullptr && lowest->type != HWLOC_OBJ_PU) lowest = lowest->first_child;
    for (hwloc_obj_t up = lowest; up != nullptr; up = up->parent)
      if (is_data_cache(up))
        found.push_back({up->attr->cache.depth, up->attr->cache.size, static_cast<unsigned>(std::max(1, cores_of(up)))});
    return found;
  }

  void read_kinds() {
    const int kinds = hwloc_cpukinds_get_nr(topology_, 0);
    if (kinds <= 0) {
      parts_.core_kinds.push_back({"uniform", -1, static_cast<unsigned>(parts_.cores.size())});
      return;
    }
    const bitmap_owner members(hwloc_bitmap_alloc());
    if (!members) throw std::bad_alloc();
    for (int i = 0; i < kinds; ++i) {
      core_kind kind{"kind " + std::to_string(i), -1, 0};
      unsigned infos = 0;
      hwloc_info_s* info = nullptr;
      if (hwloc_cpukinds_get_info(topology_, static_cast<unsigned>(i), members.get(), &kind.efficiency, &infos, &info, 0) != 0)
        continue;
      for (unsigned at = 0; at < infos; ++at)
        if (std::string_view(info[at].name) == "CoreType") kind.name = info[at].value;
      for (core& one : parts_.cores)
        if (hwloc_bitmap_isset(members.get(), number_of(parts_.pus[index_of_id(one.pus.front())].os)) != 0) {
          one.kind = static_cast<unsigned>(parts_.core_kinds.size());
          ++kind.cores;
        }
      parts_.core_kinds.push_back(kind);
    }
  }

  void read_locality() {
    for (std::size_t n = 0; n < parts_.nodes.size(); ++n) {
      for (std::size_t d = 0; d < parts_.domains.size(); ++d)
        if (hwloc_bitmap_intersects(node_objects_[n]->cpuset, domain_objects_[d]->cpuset) != 0) {
          parts_.nodes[n].domains.push_back(domain_id{static_cast<std::uint32_t>(d)});
          parts_.domains[d].nodes.push_back(node_id{static_cast<std::uint32_t>(n)});
        }
      parts_.nodes[n].bandwidth_mib_per_s = attribute(HWLOC_MEMATTR_ID_BANDWIDTH, node_objects_[n]);
      parts_.nodes[n].latency_ns = attribute(HWLOC_MEMATTR_ID_LATENCY, node_objects_[n]);
    }
    for (std::size_t n = 0; n < parts_.nodes.size(); ++n) parts_.nodes[n].kind = kind_of(n);
  }

  std::optional<std::uint64_t> attribute(hwloc_memattr_id_t which, hwloc_obj_t node) const {
    hwloc_location initiator;
    hwloc_uint64_t value = 0;
    if (hwloc_memattr_get_best_initiator(topology_, which, node, 0, &initiator, &value) != 0) return std::nullopt;
    return value;
  }

  /// What hwloc or the firmware calls it; unnamed, a node that is faster than another one beside the same
  /// cores is high-bandwidth memory, and one without cores of its own is a device's.
  memory_kind kind_of(std::size_t n) const {
    const char* const subtype = node_objects_[n]->subtype;
    const std::string_view name = subtype != nullptr ? subtype : "";
    if (name == "MCDRAM" || name == "HBM") return memory_kind::hbm;
    if (name == "NVM" || name == "CXL" || name == "SPM" || name == "GPUMemory") return memory_kind::device;
    if (name == "DRAM") return memory_kind::dram;
    const memory_node& node = parts_.nodes[n];
    if (node.domains.empty() && node.capacity_bytes > 0) return memory_kind::device;
    for (const memory_node& other : parts_.nodes)
      if (other.domains == node.domains && node.bandwidth_mib_per_s && other.bandwidth_mib_per_s &&
          *node.bandwidth_mib_per_s > *other.bandwidth_mib_per_s)
        return memory_kind::hbm;
    return memory_kind::dram;
  }

  void read_distances() {
    hwloc_distances_s* matrix = nullptr;
    unsigned found = 1;
    if (hwloc_distances_get_by_type(topology_, HWLOC_OBJ_NUMANODE, &found, &matrix, HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0 ||
        found == 0)
      return;
    const std::size_t count = parts_.nodes.size();
    if (matrix->nbobjs == count) {
      parts_.node_distances.resize(count * count);
      for (unsigned i = 0; i < count; ++i)
        for (unsigned j = 0; j < count; ++j)
          parts_.node_distances[position(matrix->objs[i]) * count + position(matrix->objs[j])] =
              static_cast<std::uint32_t>(matrix->values[i * count + j]);
    }
    hwloc_distances_release(topology_, matrix);
  }

  std::size_t position(hwloc_obj_t node) const {
    return static_cast<std::size_t>(std::find(node_objects_.begin(), node_objects_.end(), node) - node_objects_.begin());
  }

  hwloc_topology_t topology_;
  machine_parts parts_;
  std::vector<hwloc_obj_t> node_objects_;    // by node_id
  std::vector<hwloc_obj_t> domain_objects_;  // by domain_id
  std::map<hwloc_obj_t, domain_id> domains_;
  std::map<hwloc_obj_t, package_id> packages_;
};

}  // namespace

topology_owner make_topology() {
  hwloc_topology_t made = nullptr;
  if (hwloc_topology_init(&made) != 0) throw std::bad_alloc();
  return topology_owner(made);
}

machine_parts read_topology(hwloc_topology_t topology) { return topology_reader(topology).read(); }

}  // namespace nearfork
