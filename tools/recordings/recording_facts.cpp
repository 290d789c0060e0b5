#include "tools/recordings/recording_facts.hpp"

#include <fmt/format.h>

#include "base/text/message_text.hpp"
#include "tools/output/csv.hpp"

namespace nearfork::tools {
namespace {

using nlohmann::ordered_json;
using recordings::task_graph;

std::uint64_t depth_of(const task_graph& graph) {
  const std::vector<std::uint32_t> parents = parents_of(graph);
  std::vector<std::uint32_t> depths(graph.tasks(), 0);
  for (std::uint32_t task = 1; task < graph.tasks(); ++task) depths[task] = depths[parents[task]] + 1;
  return depths.back();  // breadth first: no task is deeper than the last one
}

std::string bytes_text(std::uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (bytes < 10'240) return fmt::format("{} bytes", bytes);
  if (bytes < (std::uint64_t{10} << 20)) return fmt::format("{:.1f} KiB", value / 1024);
  if (bytes < (std::uint64_t{10} << 30)) return fmt::format("{:.1f} MiB", value / 1024 / 1024);
  return fmt::format("{:.1f} GiB", value / 1024 / 1024 / 1024);
}

std::uint64_t all_data(const recordings::recording& made) {
  std::uint64_t sum = 0;
  for (const recordings::data_block& one : made.blocks) sum += one.bytes;
  return sum;
}

ordered_json json_of(const recordings::iteration& one) {
  const graph_facts facts = facts_of(one.graph);
  return {{"number", one.number},       {"duration_ns", one.duration_ns},
          {"tasks", facts.tasks},       {"leaves", facts.leaves},
          {"forks", facts.forks},       {"depth", facts.depth},
          {"accesses", facts.accesses}, {"work_ns", facts.work_ns},
          {"span_ns", facts.span_ns},   {"dataflow_tasks", facts.dataflow_tasks},
          {"edges", facts.edges}};
}

std::string_view name_of(recordings::array_placing how) {
  switch (how) {
    case recordings::array_placing::follows_plan: return "follows plans";
    case recordings::array_placing::interleaved: return "interleaved";
    case recordings::array_placing::interleaved_by_bandwidth: return "interleaved by bandwidth";
    case recordings::array_placing::by_bandwidth: return "by bandwidth";
    case recordings::array_placing::by_capacity: return "by capacity";
    case recordings::array_placing::otherwise: break;
  }
  return "on nodes that the program named";
}

std::string allocations_text(const recordings::recording& made) {
  std::string text;
  for (const recordings::allocation& one : made.allocations)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", made.blocks[one.block].name, name_of(one.how));
  return text;
}

/// "8 dataflow tasks with 12 edges, "; empty: there are none.
std::string flow_text(const recordings::flow_order& flow) {
  if (flow.empty()) return {};
  std::string text = fmt::format("{} with {}, ", counted(flow.size(), "dataflow task"), counted(flow.edges(), "edge"));
  if (flow.exclusion_numbers() > 0) text += fmt::format("{}, ", counted(flow.exclusion_numbers(), "exclusion"));
  return text;
}

/// The names of the regions whose first iteration was over when this region's began; of many, the first ones.
std::string regions_before(const recordings::recording& made, const recordings::region& one) {
  constexpr std::size_t most_named = 8;
  std::string text;
  std::size_t found = 0;
  for (const recordings::region& other : made.regions) {
    if (other.ended == 0 || other.ended >= one.began || ++found > most_named) continue;
    text += (text.empty() ? "" : ", ") + other.name;
  }
  if (found > most_named) text += fmt::format(" and {} more", found - most_named);
  return text;
}

}  // namespace

std::string duration_text(std::uint64_t ns) {
  const auto value = static_cast<double>(ns);
  if (ns < 10'000) return fmt::format("{} ns", ns);
  if (ns < 10'000'000) return fmt::format("{:.1f} us", value / 1e3);
  if (ns < 10'000'000'000) return fmt::format("{:.1f} ms", value / 1e6);
  return fmt::format("{:.1f} s", value / 1e9);
}

std::vector<std::uint32_t> parents_of(const task_graph& graph) {
  std::vector<std::uint32_t> parents(graph.tasks(), 0);
  for (std::uint32_t task = 0; task < graph.tasks(); ++task)
    for (const auto& fork : graph.forks(task))
      for (std::uint32_t i = 0; i < fork.branching; ++i) parents[fork.first_child + i] = task;
  return parents;
}

graph_facts facts_of(const task_graph& graph) {
  graph_facts made{.tasks = graph.tasks(),
                   .forks = graph.fork_count(),
                   .depth = depth_of(graph),
                   .accesses = graph.access_count(),
                   .work_ns = graph.work_ns(),
                   .span_ns = graph.span_ns(),
                   .dataflow_tasks = graph.flow().size(),
                   .edges = graph.flow().edges()};
  for (std::uint32_t task = 0; task < graph.tasks(); ++task) made.leaves += graph.forks(task).empty() ? 1 : 0;
  return made;
}

std::string one_line_of(const recordings::recording& made, const std::string& path) {
  std::uint64_t iterations = 0;
  std::uint64_t tasks = 0;
  std::uint64_t accesses = 0;
  for (const recordings::region& region : made.regions)
    for (const recordings::iteration& one : region.recorded) {
      ++iterations;
      tasks += one.graph.tasks();
      accesses += one.graph.access_count();
    }
  return fmt::format("{}: {}, {}, {}, {} accesses to {} of data ({}){}", path, counted(made.regions.size(), "region"),
                     counted(iterations, "iteration"), counted(tasks, "task"), accesses,
                     counted(made.blocks.size(), "block"), bytes_text(all_data(made)),
                     made.left_out == 0 ? "" : fmt::format("; {} left out", counted(made.left_out, "iteration")));
}

std::string csv_of(const recordings::recording& made) {
  std::string text = csv_line({"region", "iteration", "duration_ns", "tasks", "leaves", "forks", "depth", "accesses",
                               "work_ns", "span_ns", "dataflow_tasks", "edges"});
  for (const recordings::region& region : made.regions)
    for (const recordings::iteration& one : region.recorded) {
      const graph_facts facts = facts_of(one.graph);
      std::vector<std::string> line{region.name};
      for (const std::uint64_t number :
           {std::uint64_t{one.number}, std::uint64_t{one.duration_ns}, std::uint64_t{facts.tasks},
            std::uint64_t{facts.leaves}, std::uint64_t{facts.forks}, std::uint64_t{facts.depth},
            std::uint64_t{facts.accesses}, std::uint64_t{facts.work_ns}, std::uint64_t{facts.span_ns},
            std::uint64_t{facts.dataflow_tasks}, std::uint64_t{facts.edges}})
        line.push_back(std::to_string(number));
      text += csv_line(line);
    }
  return text;
}

std::string text_of(const recordings::recording& made, const std::string& path) {
  std::string text = one_line_of(made, path) + "\n";
  text += fmt::format("program {}, policy {}, {}, on {}\n", made.program, made.policy, counted(made.workers, "worker"),
                      made.machine);
  for (const recordings::data_block& one : made.blocks)
    text += fmt::format("data {}: {}\n", one.name, bytes_text(one.bytes));
  if (!made.buffers.empty()) text += fmt::format("{} of dataflow graphs\n", counted(made.buffers.size(), "buffer"));
  if (!made.allocations.empty()) text += fmt::format("allocated in this order: {}\n", allocations_text(made));
  for (const recordings::region& region : made.regions) {
    text += fmt::format("region {}: {}", region.name, counted(region.iterations, "iteration"));
    if (region.input_bytes > 0) text += fmt::format(", works on {}", bytes_text(region.input_bytes));
    if (const std::string before = regions_before(made, region); !before.empty())
      text += fmt::format(", ran after {}", before);
    text += "\n";
    for (const recordings::iteration& one : region.recorded) {
      const graph_facts facts = facts_of(one.graph);
      text += fmt::format("  iteration {}: {}; {} ({} leaves, depth {}), {}, {}{} accesses; work {}, span {}\n",
                          one.number, duration_text(one.duration_ns), counted(facts.tasks, "task"), facts.leaves,
                          facts.depth, counted(facts.forks, "fork"), flow_text(one.graph.flow()), facts.accesses,
                          duration_text(facts.work_ns), duration_text(facts.span_ns));
    }
  }
  return text;
}

ordered_json json_of(const recordings::recording& made, const std::string& path) {
  auto blocks = ordered_json::array();
  for (const recordings::data_block& one : made.blocks) blocks.push_back({{"name", one.name}, {"bytes", one.bytes}});
  auto allocations = ordered_json::array();
  for (const recordings::allocation& one : made.allocations)
    allocations.push_back({{"block", one.block}, {"placing", name_of(one.how)}});
  auto regions = ordered_json::array();
  for (const recordings::region& region : made.regions) {
    auto iterations = ordered_json::array();
    for (const recordings::iteration& one : region.recorded) iterations.push_back(json_of(one));
    regions.push_back({{"name", region.name},
                       {"input_bytes", region.input_bytes},
                       {"iterations", region.iterations},
                       {"began", region.began},
                       {"ended", region.ended},
                       {"recorded", iterations}});
  }
  return {{"version", 1},
          {"file", path},
          {"program", made.program},
          {"policy", made.policy},
          {"machine", made.machine},
          {"workers", made.workers},
          {"left_out", made.left_out},
          {"blocks", blocks},
          {"allocations", allocations},
          {"buffers", made.buffers},
          {"regions", regions}};
}

}  // namespace nearfork::tools
