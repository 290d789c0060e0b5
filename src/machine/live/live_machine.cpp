#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "base/privileged.hpp"
#include "machine/described/hwloc_plugins.hpp"
#include "machine/described/hwloc_topology.hpp"
#include "machine/described/trial_run.hpp"
#include "machine/live/affinity.hpp"
#include "machine/live/cpu_quota.hpp"
#include "machine/live/nearest_memory.hpp"
#include "machine/model/packed_parts.hpp"

namespace nearfork {
namespace {

/// The PUs that the process's affinity allows; null if the system does not say.
bitmap_owner allowed_pus(const topology_owner& topology, const affinity_source& known) {
  const hwloc_library& hwloc = topology.hwloc();
  if (known.refused != 0 && !known.is_from_proc) return {nullptr, bitmap_freer{&hwloc}};
  bitmap_owner allowed = make_bitmap(hwloc);
  if (!allowed) throw std::bad_alloc();
  if (known.is_from_proc)
    for (const os_index one : allowed_by_proc()) hwloc.bitmap_set(allowed.get(), number_of(one));
  else if (hwloc.get_cpubind(topology.get(), allowed.get(), HWLOC_CPUBIND_PROCESS) != 0) allowed.reset();
  return allowed;
}

/// Tried before hwloc asks: hwloc takes each refusal for a mask that is too small, and asks for larger ones without
/// end.
affinity_source try_affinity() {
  std::vector<unsigned long> mask;
  const int refused = read_affinity(mask);
  return {.refused = refused, .is_from_proc = refused != 0 && !allowed_by_proc().empty()};
}

/// hwloc asks for the affinity mask before it changes it, to run cpuid on each PU. Without that it uses /sys alone.
void keep_from_affinity(const topology_owner& topology) {
  if (topology.hwloc().topology_set_flags(topology.get(), HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING) != 0)
    throw error(
        "nearfork: sched_getaffinity is refused here, and this hwloc cannot do without it; install hwloc 2.9 or later, "
        "or allow sched_getaffinity in the sandbox's seccomp profile");
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
  const hwloc_plugins_hidden not_needed;
  const topology_owner topology(std::make_shared<const hwloc_library>());
  const affinity_source affinity = try_affinity();
  if (affinity.refused != 0) keep_from_affinity(topology);
  const hwloc_library& hwloc = topology.hwloc();
  // Without devices hwloc reads only what we need: 3 to 10 ms. It leaves out by itself what the cpuset forbids.
  hwloc.topology_set_io_types_filter(topology.get(), HWLOC_TYPE_FILTER_KEEP_NONE);
  if (hwloc.topology_load(topology.get()) != 0)
    throw error(std::string("nearfork: hwloc cannot read this machine: ") + std::strerror(errno) +
                "; is /sys mounted? NEARFORK_MACHINE may name an XML file of it instead");
  // Else workers would be pinned to PUs that do not exist.
  if (hwloc.topology_is_thissystem(topology.get()) == 0)
    throw error(
        "nearfork: hwloc's own environment (HWLOC_XMLFILE, HWLOC_SYNTHETIC, HWLOC_FSROOT) makes it read another "
        "machine than "
        "this one; unset it, set HWLOC_THISSYSTEM=1 if it describes this one, or name the description in "
        "NEARFORK_MACHINE");
  const std::size_t present = present_pus(topology);
  const std::string version = hwloc_version(topology);
  machine_parts parts = read_topology(topology, "hwloc's view of this machine", allowed_pus(topology, affinity).get());
  parts.source = machine_source::live;
  parts.described_by = version;
  parts.present_pus = present;
  parts.affinity = affinity;
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

/// hwloc obeys variables (HWLOC_PLUGINS_PATH loads code) and cannot be told not to. Removing them from our own
/// environment would race with other threads. So a privileged process lets a child without environment read the
/// machine.
machine_parts read_without_environment() {
  const hwloc_library stays_loaded;  // loaded before the child starts: see read_carefully()
  const child_answer read =
      ask_child([] { return packed_parts(read_by_hwloc()); }, most_child_seconds, child_environment::none);
  if (read.outcome == trial_outcome::returned && !read.threw) return unpacked_parts(read.text);
  if (read.outcome == trial_outcome::returned) throw error(read.text);
  const std::string why = read.outcome == trial_outcome::not_tried
                              ? std::string(std::strerror(errno)) +
                                    "; allow more processes or memory (ulimit -u, ulimit -v), or fork() in the sandbox"
                              : "hwloc crashes or takes longer than " + std::to_string(most_child_seconds) + " s";
  throw error("nearfork: a privileged program has a process of its own read this machine, and that fails: " + why);
}

/// Reads the quota after hwloc is unloaded, so that their peak memory does not add up.
std::shared_ptr<const machine> read_live_machine() {
  machine_parts parts = is_privileged() ? read_without_environment() : read_by_hwloc();
  find_nearest_memory(parts);
  parts.cpu_quota = cpu_quota();
  return std::make_shared<const machine>(std::move(parts));
}

/// What was read last, and the affinity of the thread that read it.
struct kept_machine {
  std::shared_ptr<const machine> read;
  std::vector<unsigned long> affinity;
};

/// Never destroyed: programs may ask at exit. Only in a machine_turn.
kept_machine& kept() {
  static kept_machine* const one = new kept_machine;
  return *one;
}

std::vector<unsigned long> affinity_of_now() {
  std::vector<unsigned long> mask;
  if (read_affinity(mask) != 0) mask.clear();
  return mask;
}

}  // namespace

std::shared_ptr<const machine> live_machine() {
  const machine_turn turn;
  if (kept().read == nullptr) kept() = {read_live_machine(), affinity_of_now()};
  return kept().read;
}

std::shared_ptr<const machine> live_machine_of_now() {
  const machine_turn turn;
  std::vector<unsigned long> now = affinity_of_now();
  if (kept().read == nullptr || kept().affinity != now) kept() = {read_live_machine(), std::move(now)};
  return kept().read;
}

}  // namespace nearfork
