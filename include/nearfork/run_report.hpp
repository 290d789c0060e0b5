#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nearfork/detail/steal_distance.hpp>

namespace nearfork {

/// One worker and where it runs.
struct worker_report {
  unsigned index = 0;
  unsigned domain = 0;
  std::optional<unsigned> os_pu;  // the PU that the worker is bound to, in the system's numbering
  std::string pin_note;  // why it is not bound, or how it differs from the machine's PU; empty: bound as it says
};

/// Something that was asked for and could not be had. In strict mode the runtime throws instead.
struct degradation {
  std::string what;    // "worker is not pinned"
  std::string where;   // "worker 3, PU 7"
  std::string why;     // "Operation not permitted (errno 1)"
  std::string remedy;  // what to do about it
};

/// How long something took, over all times it happened.
struct latency_report {
  struct bucket {
    std::uint64_t from_ns = 0;
    std::uint64_t to_ns = 0;  // exclusive
    std::uint64_t count = 0;
  };
  std::uint64_t count = 0;
  std::uint64_t median_ns = 0;
  std::uint64_t p99_ns = 0;
  std::uint64_t highest_ns = 0;
  std::vector<bucket> buckets;  // ascending, the empty ones left out
};

/// One recurring root.
struct region_report {
  std::string name;
  std::uint64_t iterations = 0;
  std::uint64_t plain = 0;     // iterations by plain stealing
  std::uint64_t profiled = 0;  // iterations of which each task was recorded
  std::uint64_t planned = 0;   // the others under a plan
  std::string cost_source{};   // what the last profile measured tasks by: "cache misses", "time"; empty: no profile
  std::string misses_not_counted{};  // why it had to do without cache misses; empty: they were counted, or no profile
  std::vector<std::string> why{};    // what the policy decided and from what: one fact a line
  std::uint64_t input_bytes = 0;     // of its data; 0: not known
  std::uint64_t placed_blocks = 0;   // whose bytes these are; 0: the program said how many
  std::uint64_t moved_bytes = 0;     // of placed memory, to where its tasks are
  std::uint64_t moves_undone = 0;    // times that it was moved back, having made iterations slower
};

/// The placed memory of the process.
struct memory_report {
  std::uint64_t blocks_made = 0;
  std::uint64_t blocks_reused = 0;  // of these: on the pages of one that was freed
  std::uint64_t kept_bytes = 0;     // of freed blocks, kept for later ones; the system may have them when it is short
  std::uint64_t blocks = 0;         // that live
  std::uint64_t bytes = 0;          // of them
  std::uint64_t moved_bytes = 0;
  std::uint64_t stuck_bytes = 0;  // that were to be moved and stayed
  std::string note{};             // why nothing follows the plans; empty: it may
};

/// What a runtime did and where it had to do with less than was asked for.
struct run_report {
  std::string name;
  std::string policy;
  std::string policy_source;   // "default", "environment variable NEARFORK_POLICY", "program", ...
  std::string machine;         // one line
  std::string machine_source;  // "live (hwloc 2.9.0)", "XML file box.xml", ...
  unsigned domains = 0;
  std::vector<worker_report> workers;

  std::array<std::uint64_t, steal_distances> steals{};  // index: steal_distance
  std::uint64_t failed_steals = 0;
  latency_report steal_latency;  // from running dry to having work again
  std::uint64_t parks = 0;
  std::uint64_t wake_ups = 0;
  latency_report wake_latency;  // from the notification to the worker running

  std::uint64_t fibers_made = 0;
  std::uint64_t fibers_peak_live = 0;
  std::uint64_t fibers_small_guard =
      0;                               // stacks with less than 1 GiB unmapped below them: a larger frame steps over it
  std::uint64_t fibers_unguarded = 0;  // stacks with nothing unmapped below them
  std::uint64_t peak_stack_bytes = 0;  // memory of all stacks together
  std::uint64_t suspensions = 0;       // joins that had to wait
  std::uint64_t waits_in_place = 0;    // joins that waited on their worker because no stack could be had

  std::uint64_t publications = 0;  // times that private jobs were opened to thieves
  std::uint64_t pool_tasks = 0;    // taken from a domain's pool
  std::uint64_t roots = 0;         // came in from outside

  std::vector<region_report> regions;
  memory_report memory{};
  std::vector<degradation> degradations;
};

[[nodiscard]] std::string to_text(const run_report& report);
/// One JSON object; its "version" is 1 and will be raised if a member changes its meaning.
[[nodiscard]] std::string to_json(const run_report& report);

/// Writes the report where config::report says: nowhere if `target` is empty, to stderr, or to a file: as JSON if its
/// name ends in .json, else as text; what was there is replaced (docs/OUTPUTS.md). A file that cannot be written is told on
/// stderr: a report is no reason to fail.
void write_report(const run_report& report, const std::string& target);

}  // namespace nearfork
