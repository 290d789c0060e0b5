#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "machine/cpu_quota.hpp"
#include "machine/hwloc_topology.hpp"
#include "machine/nearest_memory.hpp"

namespace nearfork {
namespace {

/// The PUs that the process's affinity allows; null where the system does not say.
bitmap_owner allowed_pus(const topology_owner& topology) {
  const hwloc_library& hwloc = topology.hwloc();
  bitmap_owner allowed = make_bitmap(hwloc);
  if (allowed && hwloc.get_cpubind(topology.get(), allowed.get(), HWLOC_CPUBIND_PROCESS) != 0) allowed.reset();
  return allowed;
}

std::size_t present_pus(const topology_owner& topology) {
  const hwloc_library& hwloc = topology.hwloc();
  const int weight = hwloc.bitmap_weight(hwloc.topology_get_complete_cpuset(topology.get()));
  return static_cast<std::size_t>(std::max(0, weight));
}

std::string hwloc_version(const topology_owner& topology) {
  const char* const version = note_on(topology.hwloc().get_obj_by_depth(topology.get(), 0, 0), "hwlocVersion");
  return version != nullptr ? std::string("hwloc ") + version : "hwloc";
}

machine_parts read_by_hwloc() {
  const topology_owner topology(std::make_shared<const hwloc_library>());
  const hwloc_library& hwloc = topology.hwloc();
  // Without devices hwloc reads only what we look at: 3 to 10 ms. What the cpuset forbids it leaves out by itself.
  hwloc.topology_set_io_types_filter(topology.get(), HWLOC_TYPE_FILTER_KEEP_NONE);
  if (hwloc.topology_load(topology.get()) != 0)
    throw error(std::string("nearfork: hwloc cannot read this machine: ") + std::strerror(errno) +
                "; is /sys mounted? NEARFORK_MACHINE may name an XML file of it instead");
  // Workers would be pinned to PUs that are not there.
  if (hwloc.topology_is_thissystem(topology.get()) == 0)
    throw error(
        "nearfork: hwloc's own environment (HWLOC_XMLFILE, HWLOC_SYNTHETIC, HWLOC_FSROOT) makes it read another "
        "machine than "
        "this one; unset it, set HWLOC_THISSYSTEM=1 if it describes this one, or name the description in "
        "NEARFORK_MACHINE");
  const std::size_t present = present_pus(topology);
  const std::string version = hwloc_version(topology);
  machine_parts parts = read_topology(topology, "hwloc's view of this machine", allowed_pus(topology).get());
  parts.source = machine_source::live;
  parts.described_by = version;
  parts.present_pus = present;
  return parts;
}

void find_nearest_memory(machine_parts& parts) {
  for (domain& one : parts.domains) {
    if (!one.nodes.empty()) continue;
    const core& first = parts.cores[index_of_id(one.cores.front())];
    const auto found = nearest_memory(parts.pus[index_of_id(first.pus.front())].os, &read_small_file);
    for (std::uint32_t i = 0; i < parts.nodes.size(); ++i)
      if (found && parts.nodes[i].os == *found) one.nearest = node_id{i};
  }
}

/// The quota when hwloc is gone: what the two take at most does not add up.
std::shared_ptr<const machine> read_live_machine() {
  machine_parts parts = read_by_hwloc();
  find_nearest_memory(parts);
  parts.cpu_quota = cpu_quota();
  return std::make_shared<const machine>(std::move(parts));
}

}  // namespace

std::shared_ptr<const machine> live_machine() {
  static constinit const std::shared_ptr<const machine>* kept = nullptr;  // never destroyed: programs may ask at exit
  const machine_turn turn;
  if (kept == nullptr) kept = new std::shared_ptr<const machine>(read_live_machine());
  return *kept;
}

}  // namespace nearfork
