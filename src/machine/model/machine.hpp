// The machine as a value: its cores and memory, how they are connected, and how we know.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nearfork/detail/steal_distance.hpp>

#include "base/ids.hpp"

namespace nearfork {

enum class memory_kind : std::uint8_t {
  dram,
  hbm,
  cxl,
  nvm,
  device,  // memory of a device, or memory slower than the DRAM beside it that does not say what it is
};
[[nodiscard]] std::string_view name_of(memory_kind kind) noexcept;

enum class machine_source : std::uint8_t { live, xml_file, synthetic };

struct cache_level {
  unsigned level = 0;
  std::uint64_t size_bytes = 0;
  unsigned shared_by_cores = 0;  // 0: not known

  [[nodiscard]] unsigned sharers() const noexcept { return shared_by_cores > 0 ? shared_by_cores : 1; }
  /// What so many cores have of caches of this kind. No byte is lost where sharers do not divide the size (114 MiB for
  /// 72 cores).
  [[nodiscard]] std::uint64_t bytes_of(std::uint64_t cores) const noexcept {
    return size_bytes / sharers() * cores + size_bytes % sharers() * cores / sharers();
  }
};

/// A processing unit: one hardware thread.
struct pu {
  os_index os{};
  core_id core{};
};

struct core {
  os_index os{};
  domain_id domain{};
  package_id package{};
  unsigned kind = 0;  // of machine::core_kinds
  std::vector<pu_id> pus;
  std::vector<cache_level> caches{};  // from the core outward, if cores of its domain differ in them; else empty
};

/// The cores that share a last-level cache: the papers' socket, a CCX on chiplet machines. If such a cache spans
/// several NUMA nodes (sub-NUMA clustering), the cores of each node are a domain of their own, because pages are placed
/// by node.
struct domain {
  package_id package{};
  std::vector<core_id> cores;
  std::vector<cache_level> caches;             // every sort that its cores have, from the core outward
  std::vector<node_id> nodes;                  // local memory, closest fit first; empty if no node with memory is local
  std::optional<node_id> home = std::nullopt;  // the NUMA node of its cores, which may hold no memory
  std::optional<node_id> nearest = std::nullopt;  // with memory, if no node is local; nullopt: not known
};

/// A NUMA node. Node and cores are independent: HBM has no cores, some sockets have no memory.
struct memory_node {
  os_index os{};
  memory_kind kind = memory_kind::dram;
  std::uint64_t capacity_bytes = 0;
  std::optional<std::uint64_t> bandwidth_mib_per_s;  // read from its own cores, if the firmware says it
  std::optional<std::uint64_t> latency_ns;
  std::vector<domain_id> domains;  // domains that it is local to
};

struct package {
  os_index os{};
  std::vector<domain_id> domains;
};

/// Cores that are alike. The slowest kind comes first.
struct core_kind {
  std::string name;     // "IntelAtom", or "kind 0"
  int efficiency = -1;  // hwloc's rank; -1: not known
  unsigned cores = 0;
  std::optional<unsigned> max_mhz = std::nullopt;
};

/// How a live machine knows which PUs the process may use.
struct affinity_source {
  int refused = 0;            // errno: why the kernel did not say; 0: it did
  bool is_from_proc = false;  // if it did not: read in /proc; else all PUs count as usable
};

/// What a description says of caches beside those that domains have, or lacks.
struct cache_remarks {
  std::vector<unsigned> levels_without_size{};  // left out
  std::vector<unsigned> line_bytes{};   // the different sizes of lines, as they are first seen; empty: not known
  std::uint64_t memory_side_bytes = 0;  // of all memory-side caches together
};

/// The content of a description, before it is a machine.
struct machine_parts {
  machine_source source = machine_source::synthetic;
  std::string described_by;  // file name, synthetic string, or hwloc's version
  std::string model;         // "AMD EPYC"; empty: not known
  std::vector<package> packages;
  std::vector<domain> domains;
  std::vector<core> cores;
  std::vector<pu> pus;
  std::vector<memory_node> nodes;
  std::vector<core_kind> core_kinds;
  std::vector<std::uint32_t> node_distances;  // row by row, 10 = local; empty: not known
  std::optional<double> cpu_quota;            // cores' worth of time that the process may use; nullopt: all
  bool cores_are_domains = false;             // several domains share their last-level cache: cores_as_domains()
  std::string known_as{};                     // its name in the folder of machines; empty: none
  std::string model_file{};                   // beside the XML file: more facts for the simulator; empty: none
  std::size_t present_pus = 0;                // all PUs of the system, also forbidden ones; 0: as many as pus
  affinity_source affinity{};
  cache_remarks remarks{};
};

/// Immutable. It has only what the process may use: a live machine leaves out PUs that affinity or cpuset forbid. Any
/// thread may read it.
class machine {
 public:
  /// Throws: nearfork::error if there is no core.
  explicit machine(machine_parts parts);

  [[nodiscard]] const std::vector<package>& packages() const noexcept { return parts_.packages; }
  [[nodiscard]] const std::vector<domain>& domains() const noexcept { return parts_.domains; }
  [[nodiscard]] const std::vector<core>& cores() const noexcept { return parts_.cores; }
  [[nodiscard]] const std::vector<pu>& pus() const noexcept { return parts_.pus; }
  [[nodiscard]] const std::vector<memory_node>& nodes() const noexcept { return parts_.nodes; }
  [[nodiscard]] const std::vector<core_kind>& core_kinds() const noexcept { return parts_.core_kinds; }

  [[nodiscard]] const package& at(package_id id) const { return parts_.packages.at(index_of_id(id)); }
  [[nodiscard]] const domain& at(domain_id id) const { return parts_.domains.at(index_of_id(id)); }
  [[nodiscard]] const core& at(core_id id) const { return parts_.cores.at(index_of_id(id)); }
  [[nodiscard]] const pu& at(pu_id id) const { return parts_.pus.at(index_of_id(id)); }
  [[nodiscard]] const memory_node& at(node_id id) const { return parts_.nodes.at(index_of_id(id)); }

  /// The level where two PUs meet.
  [[nodiscard]] steal_distance distance(pu_id a, pu_id b) const;
  /// SLIT distance from the cores of `from` to the memory of `to`; 10 is local. nullopt: not known.
  [[nodiscard]] std::optional<std::uint32_t> node_distance(node_id from, node_id to) const;

  /// How many PUs the system has; the process may use those in pus().
  [[nodiscard]] std::size_t present_pus() const noexcept { return std::max(parts_.present_pus, parts_.pus.size()); }
  [[nodiscard]] const affinity_source& affinity() const noexcept { return parts_.affinity; }
  /// One per core, but at most the CPU quota, rounded up. At least 1.
  [[nodiscard]] unsigned suggested_workers() const noexcept;
  [[nodiscard]] std::optional<double> cpu_quota() const noexcept { return parts_.cpu_quota; }

  /// True if each domain is a single core of what the system calls one cache domain.
  [[nodiscard]] bool cores_are_domains() const noexcept { return parts_.cores_are_domains; }

  [[nodiscard]] machine_source source() const noexcept { return parts_.source; }
  /// "live (hwloc)", "machine opteron-8380", "XML file box.xml", "synthetic package:2 core:4".
  [[nodiscard]] std::string provenance() const;
  /// "AMD EPYC: 1 package, 1 domain, 2 cores, 2 PUs, 1 node, 23.4 GiB".
  [[nodiscard]] std::string summary() const;
  /// The same without the memory, whose size is another one with each kernel, and on virtual machines at any time.
  [[nodiscard]] std::string shape() const;
  [[nodiscard]] const std::string& model() const noexcept { return parts_.model; }
  /// "opteron-8380" if it was loaded by that name.
  [[nodiscard]] const std::string& known_as() const noexcept { return parts_.known_as; }
  /// The path of the file with more facts for the simulator (docs/MACHINES.md); empty: none.
  [[nodiscard]] const std::string& model_file() const noexcept { return parts_.model_file; }
  /// All parts of this machine, to make another machine of them.
  [[nodiscard]] const machine_parts& parts() const noexcept { return parts_; }

 private:
  machine_parts parts_;
};

/// The machine that runs this program, read at the first call and kept. Throws: nearfork::error if hwloc cannot read
/// it.
[[nodiscard]] std::shared_ptr<const machine> live_machine();
/// The same, but read anew, and kept from now on, if the calling thread's affinity is not what it was when the kept
/// machine was read: a process that binds itself, as MPI's ranks do when they share a node, starts a runtime on what is
/// left to it. Takes a microsecond where nothing changed, else as long as the first reading. Throws: as live_machine().
[[nodiscard]] std::shared_ptr<const machine> live_machine_of_now();

/// A machine by its specification. Empty: the live machine, as this process may use it now. A name of the folder of
/// machines, such as "opteron-8380" (named_machines.hpp). A name that ends in .xml: a file that `lstopo box.xml` wrote.
/// Else a synthetic string in lstopo's format ("package:4 l3:1 core:4 pu:1"). `folder` of machines: empty for the usual
/// one.
/// Throws: nearfork::error that says what is wrong, where, and what to do.
[[nodiscard]] std::shared_ptr<const machine> load_machine(std::string_view specification,
                                                          const std::string& folder = {});
/// Also reads the model file of the same name beside it, box.model for box.xml, if it exists.
[[nodiscard]] std::shared_ptr<const machine> machine_from_xml_file(const std::string& path);
[[nodiscard]] std::shared_ptr<const machine> machine_from_xml(std::string_view text, std::string name);
[[nodiscard]] std::shared_ptr<const machine> machine_from_synthetic(const std::string& description);

/// The machine as a tree in text: packages, domains with caches and cores, the nodes beside them.
[[nodiscard]] std::string picture_of(const machine& shown);

}  // namespace nearfork
