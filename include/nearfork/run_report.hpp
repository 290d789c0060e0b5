#pragma once

#include <nearfork/detail/language.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nearfork/detail/steal_distance.hpp>

namespace nearfork {

/// One worker, and where it runs.
struct worker_report {
  unsigned index = 0;             // its number: 0 to the number of workers less one
  unsigned domain = 0;            // the cache domain that it works in
  std::optional<unsigned> os_pu;  // the PU that the worker is bound to, by the system's number; nullopt: not bound
  std::string pin_note;  // why it is not bound, or how the PU differs from the machine's; empty: bound as planned
  std::optional<std::uint64_t> stalled_ns{};  // how long its thread stalled on memory so far; nullopt: not counted
};

/// Something that the program asked for and the system did not give. In strict mode the runtime throws nearfork::error
/// instead.
struct degradation {
  std::string what;    // "worker is not pinned"
  std::string where;   // "worker 3, PU 7"
  std::string why;     // "Operation not permitted (errno 1)"
  std::string remedy;  // what to do about it
};

/// How long something took, over all its occurrences. All times are in nanoseconds.
struct latency_report {
  /// How many of them took a time in [from_ns, to_ns).
  struct bucket {
    std::uint64_t from_ns = 0;  // the shortest time that it counts
    std::uint64_t to_ns = 0;    // exclusive
    std::uint64_t count = 0;    // how many were as long
  };
  std::uint64_t count = 0;       // how many there were
  std::uint64_t median_ns = 0;   // half of them were shorter
  std::uint64_t p99_ns = 0;      // 99 of 100 were shorter
  std::uint64_t highest_ns = 0;  // the longest
  std::vector<bucket> buckets;   // ascending, without the empty ones
};

/// The energy that one package took, whoever used it.
struct package_energy {
  std::string package;  // as the kernel calls it: "package-0"
  double joules = 0;    // in all
  double watts = 0;     // on average
};

/// What a runtime did about power: option `power`.
struct power_report {
  std::string mode = "off";              // "off", "report", "manage"
  std::string energy_source{};           // what the energy is read by: "powercap", "perf"; empty: it is not measured
  std::string energy_note{};             // why it is not measured; empty: it is, or power is off
  std::vector<package_energy> energy{};  // since the runtime started
  std::uint64_t clocks = 0;              // how many clocks the runtime sets; 0: none
  std::uint64_t clock_changes = 0;       // times that it set one
  std::vector<std::string> notes{};      // what to know of these clocks
};

/// One region.
struct region_report {
  std::string name;              // as the program gave it, or its call site
  std::uint64_t iterations = 0;  // all of them
  std::uint64_t plain = 0;       // iterations by plain stealing
  std::uint64_t profiled = 0;    // iterations in which each task was recorded
  std::uint64_t planned = 0;     // the other iterations under a plan
  std::string cost_source{};     // what the last profile measured tasks by: "cache misses", "time"; empty: no profile
  std::string misses_not_counted{};  // why the profile has no cache misses; empty: it has them, or there is no profile
  std::vector<std::string> why{};    // what the policy decided, and from what: one fact per line
  std::uint64_t input_bytes = 0;     // how many an iteration works on; 0: not known
  std::uint64_t placed_blocks = 0;   // how many placed blocks input_bytes is the sum of; 0: the program told the size
  std::uint64_t moved_bytes = 0;     // placed memory that was moved to its tasks
  std::uint64_t moves_undone = 0;    // how many times it was moved back, because iterations became slower
  std::uint64_t energy_iterations = 0;   // iterations whose energy was measured
  std::vector<package_energy> energy{};  // of these; empty: not measured, and power_report says why
};

/// The placed memory of the process.
struct memory_report {
  std::uint64_t blocks_made = 0;    // all blocks so far
  std::uint64_t blocks_reused = 0;  // how many of these got the pages of a freed block
  std::uint64_t kept_bytes = 0;     // pages of freed blocks, kept for later blocks; the system may take them when short
  std::uint64_t blocks = 0;         // living blocks
  std::uint64_t bytes = 0;          // their size
  std::uint64_t moved_bytes = 0;    // moved to the tasks that use them
  std::uint64_t stuck_bytes = 0;    // should have been moved, and stayed where they were
  std::uint64_t malloc_blocks = 0;  // how many of blocks_made were malloc's or operator new's (nearfork run)
  std::uint64_t malloc_bytes = 0;   // the size of these, living or not
  std::string note{};               // why no memory follows the plans; empty: it may
};

/// Dataflow tasks with at least config::push_threshold bytes, on a machine whose workers are beside several memory
/// nodes; elsewhere `push` is empty, and nothing is counted.
struct dataflow_report {
  std::string push{};                 // config::push
  std::string alloc{};                // config::alloc
  std::uint64_t pushed = 0;           // tasks for which another node was chosen
  std::uint64_t stayed = 0;           // tasks that stayed: their own node costs the least, or no node is known
  std::uint64_t mailbox_full = 0;     // of the pushed tasks, those that found the mailbox full, and stayed
  std::uint64_t robbed = 0;           // pushed tasks that a worker took out of another one's mailbox
  std::uint64_t robbed_far = 0;       // of these, taken by a worker beside another node than the chosen one
  std::uint64_t local_bytes = 0;      // data of tasks, on the node of the worker that ran them
  std::uint64_t remote_bytes = 0;     // on other nodes
  std::uint64_t unknown_bytes = 0;    // on nodes that are not known
  std::uint64_t buffers_at_most = 0;  // the most buffers of the process's pools at a time
  std::string note{};                 // what is not known of the machine; empty: nothing is missing
};

/// Where the pages of one block of data lie, and which domains' tasks touch it.
struct block_places {
  std::string name;         // as nearfork::data_name gave it; else "block 3", the third placed block, or "data 1"
  std::uint64_t bytes = 0;  // its size
  std::uint64_t pages = 0;  // the pages that hold it
  std::uint64_t asked = 0;  // how many of these the system was asked for, evenly spaced; 0: it does not tell
  std::vector<std::uint64_t> first{};         // asked pages on each of places_report::nodes, when first seen
  std::vector<std::uint64_t> last{};          // the same at the last look; pages on no node were not touched
  std::vector<std::uint64_t> hinted_bytes{};  // by domain: what tasks that ran there said to touch
};

/// Where the data of a run lie, beside where the tasks that touch them run. Looked at if config::report is set.
///
/// The data are the placed blocks and what hints (nearfork::reads, writes) name. Hints count in the last iteration of
/// each region whose hints were noted: those of recorded iterations (config::record).
struct places_report {
  std::uint64_t looks = 0;        // how often pages were asked for: at the end of iterations, and for the report
  std::uint64_t asked_pages = 0;  // in all looks
  std::uint64_t looking_ns = 0;   // what the looks took
  std::vector<unsigned> nodes{};  // memory nodes, by the system's numbers, ascending
  std::vector<std::optional<unsigned>> node_of_domain{};  // the node nearest to each domain; nullopt: not known
  std::vector<block_places> blocks{};                     // the largest first, at most 64
  std::uint64_t blocks_left_out = 0;                      // smaller ones
  std::uint64_t hinted_regions = 0;                       // regions whose hints were noted
  std::vector<std::vector<std::uint64_t>> traffic{};      // by domain, by nodes: bytes of hints, by places of pages
  std::uint64_t unplaced_bytes = 0;                       // bytes of hints to pages of which no node is known
  std::string note{};                                     // why the system does not tell; empty: it does
};

/// How stalls on memory are counted, in runtimes that are traced (config::trace). Only workers' own threads count, not
/// threads that run in their places.
struct stalls_report {
  std::string event{};   // what counts as stalled; empty: nothing is counted
  std::string note{};    // why nothing is counted; empty: it is, or the runtime is not traced
  std::string remedy{};  // what to do about that
};

/// What a runtime did, and which of its requests the system did not grant. Get it from runtime::report(). A plain
/// value.
struct NEARFORK_STANDARD_LAYOUT run_report {
  std::string name;                    // config::name
  std::string policy;                  // the policy that ran
  std::string policy_source;           // "default", "environment variable NEARFORK_POLICY", "program", ...
  std::string machine;                 // one line
  std::string machine_source;          // "live (hwloc 2.9.0)", "XML file box.xml", ...
  unsigned domains = 0;                // cache domains with workers
  bool domains_are_cores = false;      // the machine has fewer: the policy takes each core for one
  std::vector<worker_report> workers;  // by index

  std::array<std::uint64_t, steal_distances> steals{};  // index: steal_distance
  std::uint64_t failed_steals = 0;                      // attempts that found nothing
  std::uint64_t forced = 0;      // times that a thief shared the jobs of a worker in a long task without its help
  std::uint64_t mugs = 0;        // tasks that a worker took over from one on a slower core (policy aaws)
  latency_report steal_latency;  // from running out of work to having work again
  std::uint64_t parks = 0;       // times that a worker without work went to sleep
  std::uint64_t wake_ups = 0;    // times that a worker was woken
  latency_report wake_latency;   // from the notification to the worker running

  std::uint64_t fibers_made = 0;         // stacks that were made
  std::uint64_t fibers_peak_live = 0;    // the most stacks at a time
  std::uint64_t fibers_small_guard = 0;  // stacks above a guard of less than 1 GiB: a larger frame steps over it
  std::uint64_t fibers_unguarded = 0;    // stacks without a guard
  std::uint64_t peak_stack_bytes = 0;    // memory of all stacks together
  std::uint64_t suspensions = 0;         // joins that had to wait
  std::uint64_t waits_in_place = 0;  // joins that blocked their worker, because there was no stack for another fiber

  std::uint64_t publications = 0;      // times that an owner published private jobs
  std::uint64_t pool_tasks = 0;        // tasks taken from a domain's pool or a mailbox
  std::uint64_t roots = 0;             // calls that entered from outside
  std::uint64_t roots_on_callers = 0;  // of these, the calls that began on the calling thread, in the place of a worker

  std::vector<region_report> regions;     // one for each region that had an iteration
  memory_report memory{};                 // placed memory
  places_report places{};                 // where data lie
  dataflow_report dataflow{};             // pushed tasks
  power_report power{};                   // energy and clocks
  stalls_report stalls{};                 // stalls on memory
  std::vector<degradation> degradations;  // what the system did not grant
};

/// The report as text for people.
[[nodiscard]] std::string to_text(const run_report& report);
/// The report as one JSON object. Its "version" is 1; a later release raises it if a member changes its meaning.
[[nodiscard]] std::string to_json(const run_report& report);

/// Writes the report to `target`, which has the form of config::report: nowhere if it is empty, to stderr if it is
/// "stderr", else to this file. A name that ends in .json gets JSON, any other name text. The file is replaced
/// (docs/OUTPUTS.md). If the file cannot be written, a message on stderr says so; this is not an error.
void write_report(const run_report& report, const std::string& target);

}  // namespace nearfork
