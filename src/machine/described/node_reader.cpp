#include "machine/described/node_reader.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <string_view>

namespace nearfork {
namespace {

bool is_faster(const memory_node& one, const memory_node& other) {
  return one.bandwidth_mib_per_s && other.bandwidth_mib_per_s && *one.bandwidth_mib_per_s > *other.bandwidth_mib_per_s;
}

}  // namespace

void node_reader::read() {
  node_objects_ = objects_.all(HWLOC_OBJ_NUMANODE);
  for (hwloc_obj_t object : node_objects_) {
    memory_node node;
    node.os = os_index_of(object);
    node.capacity_bytes = object->attr->numanode.local_memory;
    node.bandwidth_mib_per_s = attribute(HWLOC_MEMATTR_ID_BANDWIDTH, object);
    node.latency_ns = attribute(HWLOC_MEMATTR_ID_LATENCY, object);
    parts_.nodes.push_back(node);
    add_memory_side_caches(object);
  }
  objects_.require_distinct("NUMA node", parts_.nodes);
  for (std::size_t n = 0; n < parts_.nodes.size(); ++n) parts_.nodes[n].kind = kind_of(n);
}

/// A cache before several nodes counts with the first.
void node_reader::add_memory_side_caches(hwloc_obj_t node) {
  for (hwloc_obj_t at = node; at->parent->type == HWLOC_OBJ_MEMCACHE && at->parent->memory_first_child == at;
       at = at->parent)
    parts_.remarks.memory_side_bytes += at->parent->attr->cache.size;
}

/// Nodes stay, also those whose cores are gone, but they may stand elsewhere in hwloc's order.
void node_reader::restrict_to(hwloc_const_bitmap_t usable) {
  std::vector<hwloc_uint64_t> before;
  for (hwloc_obj_t object : node_objects_) before.push_back(object->gp_index);
  if (hwloc().topology_restrict(topology(), usable, 0) != 0)
    throw error("nearfork: " + objects_.name() +
                " knows none of the PUs that this process may use; compare taskset -p $$ with lstopo");
  const std::vector<hwloc_obj_t> left = objects_.all(HWLOC_OBJ_NUMANODE);
  for (hwloc_obj_t object : left) {
    const auto place = std::find(before.begin(), before.end(), object->gp_index);
    if (left.size() != before.size() || place == before.end())
      throw error("nearfork: " + objects_.name() + " lost NUMA nodes while it left out PUs");
    node_objects_[static_cast<std::size_t>(place - before.begin())] = object;
  }
}

/// A cluster's own node comes before its package's node, and that one before a node of the whole machine. Otherwise the
/// system's numbers decide.
std::vector<std::size_t> node_reader::nodes_closest_fit_first() const {
  std::vector<std::size_t> order(parts_.nodes.size());
  for (std::size_t n = 0; n < order.size(); ++n) order[n] = n;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return parts_.nodes[a].domains.size() < parts_.nodes[b].domains.size();
  });
  return order;
}

/// Some descriptions give no node a size; then each holds memory as far as we know.
bool node_reader::holds_memory(std::size_t n) const {
  return parts_.nodes[n].capacity_bytes > 0 ||
         std::all_of(parts_.nodes.begin(), parts_.nodes.end(),
                     [](const memory_node& one) { return one.capacity_bytes == 0; });
}

void node_reader::read_locality(const numbering<domain_id>& domains) {
  for (std::size_t n = 0; n < parts_.nodes.size(); ++n)
    for (std::size_t d = 0; d < parts_.domains.size(); ++d)
      if (hwloc().bitmap_intersects(node_objects_[n]->cpuset, domains.object(d)->cpuset) != 0)
        parts_.nodes[n].domains.push_back(domain_id{static_cast<std::uint32_t>(d)});
  for (const std::size_t n : nodes_closest_fit_first())
    for (const domain_id id : parts_.nodes[n].domains) {
      domain& near = parts_.domains[index_of_id(id)];
      const node_id node{static_cast<std::uint32_t>(n)};
      if (!near.home) near.home = node;
      if (holds_memory(n)) near.nodes.push_back(node);
    }
}

std::optional<std::uint64_t> node_reader::attribute(hwloc_memattr_id_t which, hwloc_obj_t node) const {
  hwloc_location initiator;
  hwloc_uint64_t value = 0;
  if (hwloc().memattr_get_best_initiator(topology(), which, node, 0, &initiator, &value) != 0 || value == 0)
    return std::nullopt;
  return value;
}

/// What hwloc or the firmware calls it. Unnamed, it is DRAM if it has cores of its own; without, it is high-bandwidth
/// memory if it is faster than a node beside it that has them, else something behind a device.
memory_kind node_reader::kind_of(std::size_t n) const {
  const char* const subtype = node_objects_[n]->subtype;
  const std::string_view name = subtype != nullptr ? subtype : "";
  if (name == "MCDRAM" || name == "HBM") return memory_kind::hbm;
  if (name.starts_with("CXL")) return memory_kind::cxl;
  if (name == "NVM") return memory_kind::nvm;
  if (name == "SPM" || name == "GPUMemory") return memory_kind::device;
  if (name == "DRAM") return memory_kind::dram;
  auto kind = memory_kind::dram;
  for (std::size_t other = 0; other < parts_.nodes.size(); ++other) {
    if (!owns_cores_of(other, n)) continue;
    if (is_faster(parts_.nodes[n], parts_.nodes[other])) return memory_kind::hbm;
    kind = memory_kind::device;
  }
  return kind;
}

/// A core belongs to one node only. hwloc lets those without cores show the cores around them, whose node is then a
/// smaller one, or the same in size and numbered before it: the system numbers nodes with cores first.
bool node_reader::owns_cores_of(std::size_t other, std::size_t n) const {
  hwloc_const_bitmap_t const theirs = node_objects_[other]->cpuset;
  hwloc_const_bitmap_t const shown = node_objects_[n]->cpuset;
  if (hwloc().bitmap_iszero(theirs) != 0 || hwloc().bitmap_isincluded(theirs, shown) == 0) return false;
  return hwloc().bitmap_isequal(theirs, shown) == 0 || parts_.nodes[other].os < parts_.nodes[n].os;
}

/// Left out unless it covers every node: half a matrix answers half the questions.
void node_reader::read_distances() {
  hwloc_distances_s* found = nullptr;
  unsigned count = 1;
  if (hwloc().distances_get_by_type(topology(), HWLOC_OBJ_NUMANODE, &count, &found, HWLOC_DISTANCES_KIND_MEANS_LATENCY,
                                    0) != 0 ||
      count == 0)
    return;
  const auto release = [this](hwloc_distances_s* held) { hwloc().distances_release(topology(), held); };
  const std::unique_ptr<hwloc_distances_s, decltype(release)> matrix(found, release);
  const std::size_t nodes = parts_.nodes.size();
  std::vector<std::size_t> place;
  for (unsigned i = 0; i < matrix->nbobjs; ++i) place.push_back(position(matrix->objs[i]));
  if (!is_permutation_of(nodes, place)) return;
  parts_.node_distances.resize(nodes * nodes);
  for (std::size_t i = 0; i < nodes; ++i)
    for (std::size_t j = 0; j < nodes; ++j)
      parts_.node_distances[place[i] * nodes + place[j]] = in_range(matrix->values[i * nodes + j]);
}

bool node_reader::is_permutation_of(std::size_t count, std::vector<std::size_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] != i) return false;
  return numbers.size() == count;
}

std::uint32_t node_reader::in_range(hwloc_uint64_t distance) const {
  if (distance > std::numeric_limits<std::uint32_t>::max())
    throw error("nearfork: " + objects_.name() + " has a node distance of " + std::to_string(distance) +
                "; 10 is local, 20 far");
  return static_cast<std::uint32_t>(distance);
}

std::size_t node_reader::position(hwloc_obj_t node) const {
  return static_cast<std::size_t>(std::find(node_objects_.begin(), node_objects_.end(), node) - node_objects_.begin());
}

}  // namespace nearfork
