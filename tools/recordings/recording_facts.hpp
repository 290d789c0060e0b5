// A recording in words and numbers.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "recording/recording.hpp"

namespace nearfork::tools {

/// The sums of a graph. The span is the longest path through it: more cores cannot make it shorter.
struct graph_facts {
  std::uint64_t tasks = 0;
  std::uint64_t leaves = 0;
  std::uint64_t forks = 0;
  std::uint64_t depth = 0;  // of the deepest task; the root has 0
  std::uint64_t accesses = 0;
  std::uint64_t work_ns = 0;
  std::uint64_t span_ns = 0;
  std::uint64_t dataflow_tasks = 0;
  std::uint64_t edges = 0;  // between dataflow tasks
};
[[nodiscard]] graph_facts facts_of(const recordings::task_graph& graph);
/// By task. The root is its own parent.
[[nodiscard]] std::vector<std::uint32_t> parents_of(const recordings::task_graph& graph);

/// "12.3 ms".
[[nodiscard]] std::string duration_text(std::uint64_t ns);

/// "g.nfg: 2 regions, 3 iterations, 3069 tasks, 512 accesses to 2 blocks of data (1.0 MiB)".
[[nodiscard]] std::string one_line_of(const recordings::recording& made, const std::string& path);
[[nodiscard]] std::string text_of(const recordings::recording& made, const std::string& path);
[[nodiscard]] nlohmann::ordered_json json_of(const recordings::recording& made, const std::string& path);
/// A line per recorded iteration.
[[nodiscard]] std::string csv_of(const recordings::recording& made);

}  // namespace nearfork::tools
