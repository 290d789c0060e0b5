// From hwloc's tree of objects to our machine: the nodes, the cores in their domains, and what is near to what.
#include <new>
#include <string_view>
#include <utility>

#include "machine/described/core_reader.hpp"
#include "machine/described/hwloc_topology.hpp"
#include "machine/described/node_reader.hpp"
#include "machine/described/topology_objects.hpp"

namespace nearfork {
namespace {

/// Larger than any machine there is; a hostile description shall not make us allocate for ever. Linux knows 1024 nodes.
constexpr unsigned most_listed_pus = 1 << 16;
constexpr unsigned most_listed_nodes = 1024;

}  // namespace

topology_owner::topology_owner(shared_hwloc hwloc) : hwloc_(std::move(hwloc)) {
  if (hwloc_->topology_init(&topology_) != 0) throw std::bad_alloc();
}

const char* note_on(hwloc_obj_t object, std::string_view name) noexcept {
  for (unsigned i = 0; i < object->infos_count; ++i)
    if (object->infos[i].name == name) return object->infos[i].value;
  return nullptr;
}

machine_parts read_topology(const topology_owner& topology, const std::string& name, hwloc_const_bitmap_t usable) {
  const topology_objects objects(topology, name);
  objects.require_at_most(most_listed_pus, "PUs", objects.count(HWLOC_OBJ_PU));
  objects.require_at_most(most_listed_nodes, "NUMA nodes", objects.count(HWLOC_OBJ_NUMANODE));
  machine_parts parts;
  node_reader nodes(objects, parts);
  core_reader cores(objects, parts);
  nodes.read();
  if (usable != nullptr) nodes.restrict_to(usable);
  cores.read();
  cores.read_kinds();
  nodes.read_locality(cores.domains());
  nodes.read_distances();
  return parts;
}

}  // namespace nearfork
