#include <fmt/format.h>

#include <algorithm>
#include <queue>

#include "recording/work_in_run.hpp"
#include "tools/recordings/recording_facts.hpp"
#include "tools/report/inputs/inputs.hpp"
#include "tools/report/number_words.hpp"

namespace nearfork::tools {
namespace {

/// More subtrees than these cannot be told apart on a page.
constexpr std::size_t most_subtrees = 2000;

double own_ns(const recordings::task_graph& graph, std::uint32_t task) {
  double sum = 0;
  for (std::uint32_t i = 0; i <= graph.forks(task).size(); ++i) sum += static_cast<double>(graph.work(task, i).time_ns);
  return sum;
}

/// What lies below each task, itself included. Children come after their parents, so backwards.
struct subtree_sums {
  std::vector<double> work_ns;
  std::vector<std::uint64_t> tasks;
};
subtree_sums sums_of(const recordings::task_graph& graph, const std::vector<std::uint32_t>& parents) {
  subtree_sums made{std::vector<double>(graph.tasks()), std::vector<std::uint64_t>(graph.tasks(), 1)};
  for (std::uint32_t task = graph.tasks(); task-- > 0;) {
    made.work_ns[task] += own_ns(graph, task);
    if (task == 0) break;
    made.work_ns[parents[task]] += made.work_ns[task];
    made.tasks[parents[task]] += made.tasks[task];
  }
  return made;
}

/// The root and the subtrees with the most work, each with all its siblings.
tree_view tree_of(const recordings::task_graph& graph, const std::string& region) {
  const subtree_sums sums = sums_of(graph, parents_of(graph));
  tree_view made{.region = region, .nodes = {}};
  made.nodes.push_back({.tasks = sums.tasks[0], .work_ns = sums.work_ns[0]});
  const auto lighter = [&](std::uint32_t a, std::uint32_t b) {
    return made.nodes[a].work_ns < made.nodes[b].work_ns || (made.nodes[a].work_ns == made.nodes[b].work_ns && a > b);
  };
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, decltype(lighter)> heaviest(lighter);
  heaviest.push(0);
  while (!heaviest.empty()) {
    const std::uint32_t at = heaviest.top();
    heaviest.pop();
    std::size_t children = 0;
    for (const auto& fork : graph.forks(made.nodes[at].task)) children += fork.branching;
    if (made.nodes.size() + children > most_subtrees) continue;
    for (const auto& fork : graph.forks(made.nodes[at].task))
      for (std::uint32_t task = fork.first_child; task < fork.first_child + fork.branching; ++task) {
        made.nodes.push_back({.parent = at, .task = task, .tasks = sums.tasks[task], .work_ns = sums.work_ns[task]});
        heaviest.push(static_cast<std::uint32_t>(made.nodes.size() - 1));
      }
  }
  made.left_out = graph.tasks() - made.nodes.size();
  return made;
}

bracket_view bracket_of(const recordings::region& region, const recordings::iteration& one, double in_run_ns,
                        std::uint64_t workers) {
  const graph_facts facts = tools::facts_of(one.graph);
  bracket_view made{.region = region.name,
                    .iteration = one.number,
                    .tasks = facts.tasks,
                    .leaves = facts.leaves,
                    .work_ns = static_cast<double>(facts.work_ns),
                    .work_in_run_ns = in_run_ns,
                    .span_ns = static_cast<double>(facts.span_ns),
                    .time_ns = static_cast<double>(one.duration_ns),
                    .workers = std::max<std::uint64_t>(workers, 1)};
  for (std::uint32_t task = 0; task < one.graph.tasks(); ++task)
    if (one.graph.forks(task).empty()) made.longest_leaf_ns = std::max(made.longest_leaf_ns, own_ns(one.graph, task));
  return made;
}

course_view course_of(const recordings::region& region) {
  course_view made{.name = region.name, .ran = region.iterations};
  double sum = 0;
  for (const recordings::iteration& one : region.recorded) {
    made.iterations.push_back(
        {.number = one.number, .time_ns = static_cast<double>(one.duration_ns), .kind = "recorded"});
    sum += static_cast<double>(one.duration_ns);
  }
  if (!region.recorded.empty()) made.each_ns = sum / static_cast<double>(region.recorded.size());
  return made;
}

}  // namespace

report_view view_of_recording(const recordings::recording& recorded, const std::string& file) {
  report_view made{.file = file,
                   .kind = "recording",
                   .policy = recorded.policy,
                   .machine = recorded.machine,
                   .workers = recorded.workers};
  made.facts.push_back({"program", recorded.program});
  double bytes = 0;
  for (const recordings::data_block& block : recorded.blocks) {
    made.facts.push_back({"data " + block.name, bytes_words(static_cast<double>(block.bytes))});
    bytes += static_cast<double>(block.bytes);
  }
  made.facts.push_back({"data, all blocks", bytes_words(bytes)});
  if (recorded.left_out > 0)
    made.facts.push_back({"left out", fmt::format("{} iterations: too large, or cancelled", recorded.left_out)});
  for (const recordings::region& region : recorded.regions) {
    made.courses.push_back(course_of(region));
    const double in_run_ns = work_in_run_ns(region);
    for (const recordings::iteration& one : region.recorded)
      made.brackets.push_back(bracket_of(region, one, in_run_ns, recorded.workers));
    if (!region.recorded.empty()) made.trees.push_back(tree_of(region.recorded.back().graph, region.name));
  }
  return made;
}

}  // namespace nearfork::tools
