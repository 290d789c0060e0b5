// What a report page shows, as plain data: made from run reports, traces, recordings, simulations and benchmarks,
// without knowledge of HTML. Each file gives a view; a view has only the parts that its file knows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nearfork::tools {

/// A name and what is known under it, in words.
struct view_fact {
  std::string name{};
  std::string text{};
};

/// The name of facts that say what a simulation assumed of its machine.
inline constexpr std::string_view assumed_fact = "assumed";

struct iteration_view {
  std::uint64_t number = 0;  // from 1
  double time_ns = 0;
  std::string kind{};  // plain, profile, trial or steady; recorded
  std::string why{};   // what changed before it; empty: nothing
};

/// The iterations of one region, or of one policy of a simulation.
struct course_view {
  std::string name{};
  std::vector<iteration_view> iterations{};
  std::vector<std::string> why{};      // the last plan, in lines
  std::optional<double> each_ns{};     // the mean of those that count
  std::optional<std::uint64_t> ran{};  // iterations, also if none is shown
};

struct matrix_view {
  std::string title{};
  std::string row_is{};     // "thief"
  std::string column_is{};  // "victim"
  std::vector<std::string> rows{};
  std::vector<std::string> columns{};
  std::vector<std::vector<double>> cells{};  // by row
};

/// Where a worker's time went. What is not known is nullopt.
struct worker_time_view {
  std::string name{};
  std::uint32_t domain = 0;
  double work_ns = 0;
  double search_ns = 0;
  std::optional<double> parked_ns{};
  std::optional<double> stall_ns{};        // the part of the work that waited for memory
  std::optional<double> region_work_ns{};  // the part of the work that was done while an iteration of a region ran
  std::optional<double> region_ns{};       // how long iterations ran
};

/// The work and the span of an iteration: P workers need at least the larger of work/P and span, and with greedy
/// scheduling no more than work/P + span (Brent, Graham), what memory and scheduling cost aside.
struct bracket_view {
  std::string region{};
  std::uint64_t iteration = 0;
  std::uint64_t tasks = 0;
  std::uint64_t leaves = 0;
  double work_ns = 0;
  double work_in_run_ns = 0;  // of all iterations of the region; 0: not known
  double span_ns = 0;
  double longest_leaf_ns = 0;
  double time_ns = 0;  // as it was recorded
  std::uint64_t workers = 1;
};

/// The pages of one node or one block, and the tasks beside them.
struct pages_view {
  std::string what{};
  std::vector<std::string> nodes{};
  std::vector<double> before{};   // by node: pages after the first iteration; empty: not known
  std::vector<double> after{};    // by node: pages at the end
  std::vector<double> work_ns{};  // by node: work of the tasks that ran in its domains; empty: not known
};

/// Where the pages of each block lie, beside where the tasks that touch them run. Blocks are the rows of the matrices,
/// and nodes their columns.
struct page_map_view {
  std::string from{};    // "simulated on X under Y"
  matrix_view before{};  // pages after the first iteration
  matrix_view after{};   // pages at the end
  matrix_view tasks{};   // bytes that tasks beside the node touch in the last iteration
};

/// A task and all below it. Parents come before children.
struct subtree_view {
  std::uint32_t parent = 0;               // index; the root is its own parent
  std::uint32_t task = 0;                 // its number in the recording
  std::uint64_t tasks = 1;                // in the subtree
  double work_ns = 0;                     // of the subtree
  std::optional<std::uint32_t> domain{};  // where it begins, simulated; nullopt: not known
};
struct tree_view {
  std::string region{};
  std::vector<subtree_view> nodes{};
  std::uint64_t left_out = 0;  // tasks below those that are shown
  std::string domains_from{};  // "simulated on X under Y"; empty: no domain is known
};

struct what_if_view {
  std::string machine{};
  std::uint64_t workers = 0;
  std::string policy{};
  double time_ns = 0;                // of an iteration
  std::optional<double> gain{};      // over random on the same machine, as a fraction
  std::optional<double> speed_up{};  // over the recorded time
};

struct contender_view {
  std::string workload{};
  std::string name{};
  std::uint64_t workers = 0;
  double median_ns = 0;
  double least_ns = 0;
  double most_ns = 0;
  std::uint64_t wrong = 0;
};

struct degradation_view {
  std::string what{};
  std::string where{};
  std::string why{};
  std::string remedy{};
};

/// Slices and instants as columns, because there may be millions. Times are nanoseconds from the trace's beginning.
/// Slices are ordered by track, then by begin, then by depth.
struct timeline_view {
  struct track {
    std::string name{};
    std::uint32_t domain = 0;
    std::optional<std::uint32_t> node{};
  };
  struct slice {
    std::uint64_t begin_ns = 0;
    std::uint64_t length_ns = 0;
    std::uint32_t track = 0;
    std::uint32_t name = 0;  // of names
    std::uint32_t note = 0;  // of notes: why it ran there
    std::uint16_t depth = 0;
  };
  struct instant {
    std::uint64_t at_ns = 0;
    std::uint32_t track = 0;
    std::uint32_t name = 0;
    std::uint32_t note = 0;
  };
  std::vector<track> tracks{};
  std::vector<std::string> names{};
  std::vector<std::string> notes{};  // the first is empty
  std::vector<slice> slices{};
  std::vector<instant> instants{};
  std::uint64_t length_ns = 0;
};

/// A counter of the program, or of the runtime, over time.
struct counter_view {
  struct point {
    std::uint64_t at_ns = 0;  // from the trace's beginning
    double value = 0;
  };
  std::string name{};
  std::vector<point> points{};  // of long courses every second one, every fourth one, ...
};

struct report_view {
  std::string file{};
  std::string kind{};      // "run report", "trace", "recording", "simulation", "benchmark"
  bool simulated = false;  // every number of it
  std::string policy{};
  std::string machine{};
  std::uint64_t workers = 0;
  std::uint64_t domains = 0;
  std::vector<view_fact> facts{};
  std::optional<timeline_view> timeline{};
  std::vector<counter_view> counters{};
  std::vector<course_view> courses{};
  std::vector<matrix_view> matrices{};
  std::vector<worker_time_view> worker_times{};
  std::vector<bracket_view> brackets{};
  std::vector<pages_view> pages{};
  std::vector<page_map_view> page_maps{};
  std::vector<tree_view> trees{};
  std::vector<what_if_view> what_if{};
  std::vector<contender_view> contenders{};
  std::vector<degradation_view> degradations{};
};

/// Advice: what to do, why, and what it brings.
struct advice_item {
  std::string id{};              // "grain-too-fine"
  std::string what{};            // one sentence: what to do
  std::string evidence{};        // with numbers
  std::optional<double> gain{};  // part of the time that goes: 0.25 for a quarter less; nullopt: not known
  std::string gain_from{};       // "simulated on X", "bound from work and span"; empty without a gain
  std::string command{};         // that does it; may be empty
};

/// A part that no input holds, and how to get it.
struct missing_part {
  std::string part{};
  std::string remedy{};
};

struct report_document {
  std::string title{};
  std::string how_fast{};
  std::string held_back{};
  std::string to_do{};
  std::vector<std::string> notes{};  // what to know of the numbers
  std::vector<advice_item> advice{};
  std::vector<report_view> views{};
  std::vector<missing_part> missing{};
};

}  // namespace nearfork::tools
