// Runs a dataflow program on a virtual machine, with the rules of Drebes et al., "Scalable Task Parallelism for NUMA"
// (PACT 2016): where activated tasks are pushed to, when buffers get their memory, and from whom workers steal.
//
// A worker takes from its mailbox and its deque, then from other deques; who would sleep robs the mailbox of a worker
// that is in a task. Accesses go through the simulator's caches, links and nodes line by line, each after the one
// before it (access_order::chain): tables 1 and 2 time linear sweeps, which on those machines do not overlap. An access
// to less than a whole line, where a line stands for several, costs in proportion.
// Deterministic: the same program, machine, settings and seed give the same report.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "machine/model/machine.hpp"
#include "plan/dataflow/activation.hpp"
#include "sim/dataflow/dataflow_program.hpp"
#include "sim/dataflow/page_balancing.hpp"
#include "sim/dataflow/ready_tasks.hpp"
#include "sim/engine/event_log.hpp"
#include "sim/machine/machine_model.hpp"
#include "sim/memory/memory_counts.hpp"
#include "sim/memory/pages/page_map.hpp"
#include "sim/programs/page_placing.hpp"
#include "sim/programs/setup.hpp"

namespace nearfork::sim {

/// Where the program's own arrays lie. `interleaved`: page by page over all nodes, as in the paper, where they do not
/// decide where tasks run. `first_touch`: where they are touched first; then they decide as buffers do.
enum class own_arrays : std::uint8_t { interleaved, first_touch };

/// What else is known of these pages: by which rule they get their nodes when they are written, and which stand-in for
/// a setup was before the run: none, serial, quarters or interleaved.
struct own_pages {
  page_placing placing{};
  setup_kind stand_in = setup_kind::none;
};

struct dataflow_settings {
  machine_model model;
  activation_rules activation{};
  buffer_allocation allocation = buffer_allocation::immediate;
  victim_choice victims = victim_choice::hierarchical;
  access_order order = access_order::chain;
  std::uint32_t mailbox_tasks = 128;  // as in OpenStream's config.h
  std::uint32_t workers = 0;          // 0: one for each core
  std::uint64_t seed = 1;
  /// Pages of global blocks are moved by the kernel. nullopt: they stay.
  std::optional<balancing_model> balancing{};
  /// Memory of buffers. 0: three times what one worker would need.
  std::uint64_t pool_bytes = 0;
  own_arrays arrays = own_arrays::interleaved;
  own_pages pages{};  // where arrays are touched first
  bool keeps_log = false;
  /// Tasks that end one after the other: the report tells what had happened at the end of each.
  std::span<const std::uint32_t> marks{};
  event_log* events = nullptr;             // outlives the run; none: events are not noted
  std::span<const std::string> regions{};  // of events: the region of each mark's part
  /// Called with the fraction of tasks that have run; false: stop.
  std::function<bool(double)> goes_on{};
};

/// Bytes that tasks accessed, whether caches had them or not.
struct located_bytes {
  std::uint64_t local = 0;
  std::uint64_t remote = 0;
  [[nodiscard]] std::uint64_t all() const noexcept { return local + remote; }
  friend constexpr bool operator==(const located_bytes&, const located_bytes&) = default;
};

struct task_times {
  std::uint32_t task = 0;
  std::uint32_t worker = 0;
  std::uint64_t began_ps = 0;
  std::uint64_t ended_ps = 0;
  friend constexpr bool operator==(const task_times&, const task_times&) = default;
};

struct dataflow_report {
  std::uint64_t duration_ps = 0;
  std::uint64_t tasks = 0;    // that ran
  std::uint64_t busy_ps = 0;  // of all workers, in tasks
  std::vector<std::uint64_t> busy_ps_of_worker{};
  memory_counts memory{};
  page_counts pages{};
  located_bytes read{}, written{};  // of buffers
  std::uint64_t pushed = 0;         // to a mailbox
  std::uint64_t mailbox_full = 0;   // pushed nowhere, because of that
  std::uint64_t robbed = 0;         // taken from mailboxes by others
  std::array<std::uint64_t, steal_distances> stolen{};
  std::uint64_t most_live_bytes = 0;  // of buffers
  std::uint64_t fresh_bytes = 0;      // that pools took
  std::uint64_t pool_fell_back = 0;
  std::uint64_t hint_faults = 0;
  bool interrupted = false;
  std::vector<task_times> log{};  // in the order of ends; if settings want it
  std::vector<dataflow_report> at_marks{};
  friend bool operator==(const dataflow_report&, const dataflow_report&) = default;
};

/// Throws: nearfork::error if activation and allocation do not go together, if there is no mailbox, if the program does
/// not fit into the machine's memory, or if events are asked for and there is not one region for each mark.
[[nodiscard]] dataflow_report run_dataflow(const dataflow_program& what, const machine& where,
                                           const dataflow_settings& settings);

/// What Algorithm 1 reckons with: the distance table of the machine.
[[nodiscard]] access_costs access_costs_of(const machine& where);

}  // namespace nearfork::sim
