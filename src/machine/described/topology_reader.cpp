// From hwloc's tree of objects to a machine value: cores into domains, domains into packages, nodes beside them.
#include <algorithm>
#include <limits>
#include <new>
#include <string_view>
#include <utility>

#include "machine/described/hwloc_topology.hpp"

namespace nearfork {
namespace {

/// Larger than any machine: a hostile description must not make us allocate without end. Linux knows 1024 nodes.
constexpr unsigned most_pus = 1 << 16;
constexpr unsigned most_nodes = 1024;
constexpr std::size_t longest_name = 100;

/// A cache below level 3 forms a domain only if more than a pair of cores share it: Apple's clusters do, KNL's tiles do
/// not.
constexpr unsigned least_cores_of_small_domain = 4;

os_index os_index_of(hwloc_obj_t object) {
  return os_index{object->os_index != HWLOC_UNKNOWN_INDEX ? object->os_index : object->logical_index};
}

/// Names also come from files, and are shown on terminals.
std::string printable(const char* name) {
  std::string text = std::string(name).substr(0, longest_name);
  std::replace_if(text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

bool is_faster(const memory_node& one, const memory_node& other) {
  return one.bandwidth_mib_per_s && other.bandwidth_mib_per_s && *one.bandwidth_mib_per_s > *other.bandwidth_mib_per_s;
}

/// Numbers objects in the order in which they are first seen. It searches backward, because most objects that are seen
/// again were seen last. No std::map in this room: its one function in libstdc++ makes the kernel map 128 KiB of that
/// library.
template <class Id>
class numbering {
 public:
  /// The number, and whether the object is new.
  std::pair<Id, bool> of(hwloc_obj_t object) {
    const auto found = std::find(seen_.rbegin(), seen_.rend(), object);
    const bool is_new = found == seen_.rend();
    const auto position = is_new ? seen_.size() : static_cast<std::size_t>(seen_.rend() - found) - 1;
    if (is_new) seen_.push_back(object);
    return {Id{static_cast<std::uint32_t>(position)}, is_new};
  }
  [[nodiscard]] hwloc_obj_t object(std::size_t number) const { return seen_[number]; }

 private:
  std::vector<hwloc_obj_t> seen_;
};

class topology_reader {
 public:
  topology_reader(const topology_owner& topology, const std::string& name)
      : hwloc_(topology.hwloc()), topology_(topology.get()), name_(name) {}

  machine_parts read(hwloc_const_bitmap_t usable) {
    require_at_most(most_pus, "PUs", count(HWLOC_OBJ_PU));
    require_at_most(most_nodes, "NUMA nodes", count(HWLOC_OBJ_NUMANODE));
    // The kind of a node does not depend on whether we may use its cores.
    read_nodes();
    if (usable != nullptr) restrict_to(usable);
    read_cores();
    read_kinds();
    read_locality();
    read_distances();
    return std::move(parts_);
  }

 private:
  /// For types that are on one level: cores, PUs and nodes.
  unsigned count(hwloc_obj_type_t type) const {
    return hwloc_.get_nbobjs_by_depth(topology_, hwloc_.get_type_depth(topology_, type));
  }

  hwloc_obj_t first(hwloc_obj_type_t type) const {
    return hwloc_.get_obj_by_depth(topology_, hwloc_.get_type_depth(topology_, type), 0);
  }

  std::vector<hwloc_obj_t> all(hwloc_obj_type_t type) const {
    std::vector<hwloc_obj_t> found;
    for (hwloc_obj_t object = first(type); object != nullptr; object = object->next_cousin) found.push_back(object);
    return found;
  }

  bool lies_inside(hwloc_obj_t object, hwloc_const_bitmap_t pus) const {
    return hwloc_.bitmap_iszero(object->cpuset) == 0 && hwloc_.bitmap_isincluded(object->cpuset, pus) != 0;
  }

  bool is_data_cache(hwloc_obj_t object) const { return hwloc_.obj_type_is_dcache(object->type) != 0; }

  void require_at_most(unsigned most, const char* what, unsigned found) const {
    if (found > most)
      throw error("nearfork: " + name_ + " has " + std::to_string(found) + " " + what + "; at most " +
                  std::to_string(most) + " are possible");
  }

  void read_nodes() {
    node_objects_ = all(HWLOC_OBJ_NUMANODE);
    for (hwloc_obj_t object : node_objects_) {
      memory_node node;
      node.os = os_index_of(object);
      node.capacity_bytes = object->attr->numanode.local_memory;
      node.bandwidth_mib_per_s = attribute(HWLOC_MEMATTR_ID_BANDWIDTH, object);
      node.latency_ns = attribute(HWLOC_MEMATTR_ID_LATENCY, object);
      parts_.nodes.push_back(node);
    }
    require_distinct("NUMA node", parts_.nodes);
    for (std::size_t n = 0; n < parts_.nodes.size(); ++n) parts_.nodes[n].kind = kind_of(n);
  }

  /// Rejects duplicate OS indices: pinning or binding by such a number would reach the wrong object.
  template <class Thing>
  void require_distinct(const char* noun, const std::vector<Thing>& things) const {
    std::vector<os_index> numbers;
    for (const Thing& one : things) numbers.push_back(one.os);
    std::sort(numbers.begin(), numbers.end());
    const auto twice = std::adjacent_find(numbers.begin(), numbers.end());
    if (twice != numbers.end())
      throw error("nearfork: " + name_ + " has two of " + noun + " " + std::to_string(number_of(*twice)) +
                  "; each needs its own os_index");
  }

  /// Nodes stay, also those whose cores were removed, but hwloc may order them otherwise afterwards.
  void restrict_to(hwloc_const_bitmap_t usable) {
    std::vector<hwloc_uint64_t> before;
    for (hwloc_obj_t object : node_objects_) before.push_back(object->gp_index);
    if (hwloc_.topology_restrict(topology_, usable, 0) != 0)
      throw error("nearfork: " + name_ +
                  " knows none of the PUs that this process may use; compare taskset -p $$ with lstopo");
    const std::vector<hwloc_obj_t> left = all(HWLOC_OBJ_NUMANODE);
    for (hwloc_obj_t object : left) {
      const auto place = std::find(before.begin(), before.end(), object->gp_index);
      if (left.size() != before.size() || place == before.end())
        throw error("nearfork: " + name_ + " lost NUMA nodes while it left out PUs");
      node_objects_[static_cast<std::size_t>(place - before.begin())] = object;
    }
  }

  /// Goes by PU, because a description may have no cores: then each PU is one.
  void read_cores() {
    numbering<core_id> cores;
    for (hwloc_obj_t one : all(HWLOC_OBJ_PU)) {
      hwloc_obj_t above = one->parent;
      while (above != nullptr && above->type != HWLOC_OBJ_CORE) above = above->parent;
      if (above == nullptr) above = one;
      const auto [core, is_new] = cores.of(above);
      if (is_new) add_core(above);
      parts_.cores[index_of_id(core)].pus.push_back(pu_id{static_cast<std::uint32_t>(parts_.pus.size())});
      parts_.pus.push_back({os_index_of(one), core});
    }
    require_distinct("PU", parts_.pus);
  }

  void add_core(hwloc_obj_t object) {
    core made;
    made.os = os_index_of(object);
    made.domain = domain_for(object);
    domain& around = parts_.domains[index_of_id(made.domain)];
    made.package = around.package;
    around.cores.push_back(core_id{static_cast<std::uint32_t>(parts_.cores.size())});
    add_caches(object, around.caches);
    parts_.cores.push_back(std::move(made));
  }

  /// The object whose cores are one domain with this core.
  hwloc_obj_t domain_object(hwloc_obj_t core_object) {
    hwloc_obj_t const shared = cache_or_package(core_object);
    for (hwloc_obj_t up = core_object; up != shared; up = up->parent)
      if (up->memory_arity > 0) return up;
    return shared;
  }

  hwloc_obj_t cache_or_package(hwloc_obj_t core_object) {
    hwloc_obj_t last = nullptr;
    for (hwloc_obj_t up = core_object; up != nullptr; up = up->parent)
      if (is_data_cache(up)) last = up;
    if (last != nullptr && (last->attr->cache.depth >= 3 || cores_of(last) >= least_cores_of_small_domain)) return last;
    // Without a shared last-level cache: the cores of one memory node, else of one package.
    for (hwloc_obj_t up = core_object; up != nullptr; up = up->parent)
      if (up->memory_arity > 0 || up->type == HWLOC_OBJ_PACKAGE) return up;
    return hwloc_.get_obj_by_depth(topology_, 0, 0);
  }

  /// Counting walks over all cores, so each object is counted once and the count is kept in `userdata`, which hwloc
  /// leaves to us.
  unsigned cores_of(hwloc_obj_t object) const {
    if (object->userdata == nullptr) object->userdata = reinterpret_cast<void*>(std::uintptr_t{counted_cores(object)});
    return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(object->userdata));
  }

  unsigned counted_cores(hwloc_obj_t object) const {
    unsigned found = 0;
    hwloc_obj_t one = first(count(HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU);
    for (; one != nullptr; one = one->next_cousin)
      if (lies_inside(one, object->cpuset)) ++found;
    return std::max(1U, found);
  }

  domain_id domain_for(hwloc_obj_t core_object) {
    const auto [id, is_new] = domains_.of(domain_object(core_object));
    if (is_new) {
      domain made;
      made.package = package_for(core_object);
      parts_.packages[index_of_id(made.package)].domains.push_back(id);
      parts_.domains.push_back(std::move(made));
    }
    return id;
  }

  package_id package_for(hwloc_obj_t inside) {
    hwloc_obj_t object = inside;
    while (object != nullptr && object->type != HWLOC_OBJ_PACKAGE) object = object->parent;
    const auto [id, is_new] = packages_.of(object);
    if (is_new) {
      parts_.packages.push_back({object != nullptr ? os_index_of(object) : os_index{0}, {}});
      if (const char* const model = object != nullptr ? note_on(object, "CPUModel") : nullptr;
          model != nullptr && parts_.model.empty())
        parts_.model = printable(model);
    }
    return id;
  }

  /// The cores of one domain may have different caches: little cores share a cache that each big core has for itself.
  void add_caches(hwloc_obj_t core_object, std::vector<cache_level>& known) {
    // Level 1 may hang below the core object.
    hwloc_obj_t lowest = core_object;
    while (lowest->first_child != nullptr && lowest->type != HWLOC_OBJ_PU) lowest = lowest->first_child;
    for (hwloc_obj_t up = lowest; up != nullptr; up = up->parent)
      if (is_data_cache(up)) add_cache({up->attr->cache.depth, up->attr->cache.size, cores_of(up)}, known);
  }

  static void add_cache(const cache_level& found, std::vector<cache_level>& known) {
    const auto same = [&](const cache_level& one) {
      return one.level == found.level && one.size_bytes == found.size_bytes &&
             one.shared_by_cores == found.shared_by_cores;
    };
    if (std::any_of(known.begin(), known.end(), same)) return;
    const auto after =
        std::find_if(known.begin(), known.end(), [&](const cache_level& one) { return one.level > found.level; });
    known.insert(after, found);
  }

  void read_kinds() {
    std::vector<bool> has_kind(parts_.cores.size(), false);
    const int kinds = std::max(0, hwloc_.cpukinds_get_nr(topology_, 0));
    for (int i = 0; i < kinds; ++i) read_kind(static_cast<unsigned>(i), has_kind);
    const auto left = static_cast<unsigned>(std::count(has_kind.begin(), has_kind.end(), false));
    if (left == 0) return;
    for (std::size_t c = 0; c < has_kind.size(); ++c)
      if (!has_kind[c]) parts_.cores[c].kind = static_cast<unsigned>(parts_.core_kinds.size());
    parts_.core_kinds.push_back({parts_.core_kinds.empty() ? "uniform" : "kind not known", -1, left});
  }

  void read_kind(unsigned index, std::vector<bool>& has_kind) {
    const bitmap_owner members = make_bitmap(hwloc_);
    if (!members) throw std::bad_alloc();
    core_kind kind{"kind " + std::to_string(index), -1, 0};
    unsigned infos = 0;
    hwloc_info_s* info = nullptr;
    if (hwloc_.cpukinds_get_info(topology_, index, members.get(), &kind.efficiency, &infos, &info, 0) != 0) return;
    for (unsigned at = 0; at < infos; ++at) {
      if (std::string_view(info[at].name) == "CoreType") kind.name = printable(info[at].value);
      if (std::string_view(info[at].name) == "FrequencyMaxMHz") kind.max_mhz = megahertz(info[at].value);
    }
    for (std::size_t c = 0; c < has_kind.size(); ++c) {
      core& one = parts_.cores[c];
      if (has_kind[c] ||
          hwloc_.bitmap_isset(members.get(), number_of(parts_.pus[index_of_id(one.pus.front())].os)) == 0)
        continue;
      has_kind[c] = true;
      one.kind = static_cast<unsigned>(parts_.core_kinds.size());
      ++kind.cores;
    }
    // Skip a kind without usable cores: affinity left it out.
    if (kind.cores > 0) parts_.core_kinds.push_back(std::move(kind));
  }

  static std::optional<unsigned> megahertz(const char* text) {
    char* end = nullptr;
    const unsigned long value = std::strtoul(text, &end, 10);
    if (end == text || value == 0 || value > 1'000'000) return std::nullopt;
    return static_cast<unsigned>(value);
  }

  void read_locality() {
    for (std::size_t n = 0; n < parts_.nodes.size(); ++n)
      for (std::size_t d = 0; d < parts_.domains.size(); ++d)
        if (hwloc_.bitmap_intersects(node_objects_[n]->cpuset, domains_.object(d)->cpuset) != 0)
          parts_.nodes[n].domains.push_back(domain_id{static_cast<std::uint32_t>(d)});
    for (const std::size_t n : nodes_closest_fit_first())
      for (const domain_id id : parts_.nodes[n].domains) {
        domain& near = parts_.domains[index_of_id(id)];
        const node_id node{static_cast<std::uint32_t>(n)};
        if (!near.home) near.home = node;
        if (holds_memory(n)) near.nodes.push_back(node);
      }
  }

  /// A cluster's own node comes before its package's, and that one before a tier that all packages share; else by the
  /// system's numbers.
  std::vector<std::size_t> nodes_closest_fit_first() const {
    std::vector<std::size_t> order(parts_.nodes.size());
    for (std::size_t n = 0; n < order.size(); ++n) order[n] = n;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return parts_.nodes[a].domains.size() < parts_.nodes[b].domains.size();
    });
    return order;
  }

  /// Some descriptions give no node a size. Then each node counts as having memory.
  bool holds_memory(std::size_t n) const {
    return parts_.nodes[n].capacity_bytes > 0 ||
           std::all_of(parts_.nodes.begin(), parts_.nodes.end(),
                       [](const memory_node& one) { return one.capacity_bytes == 0; });
  }

  std::optional<std::uint64_t> attribute(hwloc_memattr_id_t which, hwloc_obj_t node) const {
    hwloc_location initiator;
    hwloc_uint64_t value = 0;
    if (hwloc_.memattr_get_best_initiator(topology_, which, node, 0, &initiator, &value) != 0 || value == 0)
      return std::nullopt;
    return value;
  }

  /// The kind that hwloc or the firmware says. Without a name, a node with cores of its own is DRAM. A node without
  /// cores is high-bandwidth memory if it is faster than a node with cores beside it, else memory behind a device.
  memory_kind kind_of(std::size_t n) const {
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

  /// A core belongs to one node only. For nodes without cores hwloc shows the cores around them. The node that owns
  /// these cores is then smaller, or has the same size and a lower number: the system numbers nodes with cores first.
  bool owns_cores_of(std::size_t other, std::size_t n) const {
    hwloc_const_bitmap_t const theirs = node_objects_[other]->cpuset;
    hwloc_const_bitmap_t const shown = node_objects_[n]->cpuset;
    if (hwloc_.bitmap_iszero(theirs) != 0 || hwloc_.bitmap_isincluded(theirs, shown) == 0) return false;
    return hwloc_.bitmap_isequal(theirs, shown) == 0 || parts_.nodes[other].os < parts_.nodes[n].os;
  }

  /// Left out unless it covers every node: half a matrix answers only half of the questions.
  void read_distances() {
    hwloc_distances_s* found = nullptr;
    unsigned count = 1;
    if (hwloc_.distances_get_by_type(topology_, HWLOC_OBJ_NUMANODE, &count, &found, HWLOC_DISTANCES_KIND_MEANS_LATENCY,
                                     0) != 0 ||
        count == 0)
      return;
    const auto release = [this](hwloc_distances_s* held) { hwloc_.distances_release(topology_, held); };
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

  static bool is_permutation_of(std::size_t count, std::vector<std::size_t> numbers) {
    std::sort(numbers.begin(), numbers.end());
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (numbers[i] != i) return false;
    return numbers.size() == count;
  }

  std::uint32_t in_range(hwloc_uint64_t distance) const {
    if (distance > std::numeric_limits<std::uint32_t>::max())
      throw error("nearfork: " + name_ + " has a node distance of " + std::to_string(distance) +
                  "; 10 is local, 20 far");
    return static_cast<std::uint32_t>(distance);
  }

  std::size_t position(hwloc_obj_t node) const {
    return static_cast<std::size_t>(std::find(node_objects_.begin(), node_objects_.end(), node) -
                                    node_objects_.begin());
  }

  const hwloc_library& hwloc_;
  hwloc_topology_t topology_;
  const std::string& name_;
  machine_parts parts_;
  std::vector<hwloc_obj_t> node_objects_;  // by node_id
  numbering<domain_id> domains_;
  numbering<package_id> packages_;
};

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
  return topology_reader(topology, name).read(usable);
}

}  // namespace nearfork
