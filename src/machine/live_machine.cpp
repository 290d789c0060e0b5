#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "machine/cpu_quota.hpp"
#include "machine/hwloc_topology.hpp"

namespace nearfork {
namespace {

/// The PUs that the process's affinity allows; null where the system does not say.
bitmap_owner allowed_pus(hwloc_topology_t topology) {
  bitmap_owner allowed(hwloc_bitmap_alloc());
  if (allowed && hwloc_get_cpubind(topology, allowed.get(), HWLOC_CPUBIND_PROCESS) != 0) allowed.reset();
  return allowed;
}

std::size_t present_pus(hwloc_topology_t topology) {
  return static_cast<std::size_t>(std::max(0, hwloc_bitmap_weight(hwloc_topology_get_complete_cpuset(topology))));
}

std::string hwloc_version(hwloc_topology_t topology) {
  const char* const version = hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), "hwlocVersion");
  return version != nullptr ? std::string("hwloc ") + version : "hwloc";
}

std::shared_ptr<const machine> read_live_machine() {
  const topology_owner topology = make_topology();
  // Without devices hwloc reads only what we look at: 3 to 10 ms. What the cpuset forbids it leaves out by itself.
  hwloc_topology_set_io_types_filter(topology.get(), HWLOC_TYPE_FILTER_KEEP_NONE);
  if (hwloc_topology_load(topology.get()) != 0)
    throw error(std::string("nearfork: hwloc cannot read this machine: ") + std::strerror(errno) +
                "; is /sys mounted? NEARFORK_MACHINE may name an XML file of it instead");
  // Workers would be pinned to PUs that are not there.
  if (hwloc_topology_is_thissystem(topology.get()) == 0)
    throw error(
        "nearfork: hwloc's own environment (HWLOC_XMLFILE, HWLOC_SYNTHETIC, HWLOC_FSROOT) makes it read another "
        "machine than "
        "this one; unset it, set HWLOC_THISSYSTEM=1 if it describes this one, or name the description in "
        "NEARFORK_MACHINE");
  const std::size_t present = present_pus(topology.get());
  const std::string version = hwloc_version(topology.get());
  machine_parts parts =
      read_topology(topology.get(), "hwloc's view of this machine", allowed_pus(topology.get()).get());
  parts.source = machine_source::live;
  parts.described_by = version;
  parts.present_pus = present;
  parts.cpu_quota = cpu_quota();
  return std::make_shared<const machine>(std::move(parts));
}

}  // namespace

std::shared_ptr<const machine> live_machine() {
  static std::mutex mutex;
  static std::shared_ptr<const machine> kept;
  const std::lock_guard lock(mutex);
  if (!kept) kept = read_live_machine();
  return kept;
}

}  // namespace nearfork
