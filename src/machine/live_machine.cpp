#include <cerrno>
#include <cstring>
#include <mutex>

#include "machine/cpu_quota.hpp"
#include "machine/hwloc_topology.hpp"

namespace nearfork {
namespace {

std::shared_ptr<const machine> read_live_machine() {
  const topology_owner topology = make_topology();
  // Only what affinity lets us use; what the cpuset forbids hwloc leaves out by itself. Discovery takes about 10 ms;
  // without devices it reads only what we look at.
  hwloc_topology_set_flags(topology.get(), HWLOC_TOPOLOGY_FLAG_RESTRICT_TO_CPUBINDING | HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM);
  hwloc_topology_set_io_types_filter(topology.get(), HWLOC_TYPE_FILTER_KEEP_NONE);
  if (hwloc_topology_load(topology.get()) != 0)
    throw error(std::string("nearfork: hwloc cannot read this machine: ") + std::strerror(errno) +
                "; is /sys mounted? NEARFORK_MACHINE may name an XML file of it instead");
  machine_parts parts = read_topology(topology.get());
  parts.source = machine_source::live;
  const unsigned version = hwloc_get_api_version();
  parts.described_by = "hwloc " + std::to_string(version >> 16) + "." + std::to_string(version >> 8 & 0xff);
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
