// Where a simulation ran the tasks of a recording.
#include <fmt/format.h>

#include <algorithm>

#include "plan/crew/worker_places.hpp"
#include "plan/plans/policy.hpp"
#include "sim/engine/region_run.hpp"
#include "tools/advice/simulations.hpp"
#include "tools/report/number_words.hpp"
#include "tools/sim/request.hpp"

namespace nearfork::tools {
namespace {

constexpr std::size_t iterations_to_settle = 8;
constexpr std::size_t most_slices = 1'000'000;

void colour_tree(tree_view& tree, const std::vector<sim::task_run>& tasks, const std::vector<worker_place>& places) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> domains;  // by task
  for (const sim::task_run& one : tasks)
    if (one.began_on < places.size())
      domains.emplace_back(index_of(one.task), static_cast<std::uint32_t>(index_of_id(places[one.began_on].domain)));
  std::ranges::sort(domains);
  for (subtree_view& node : tree.nodes) {
    const auto found = std::ranges::lower_bound(domains, std::pair(node.task, std::uint32_t{0}));
    if (found != domains.end() && found->first == node.task) node.domain = found->second;
  }
}

/// Leaves alone: other tasks are parents of what runs meanwhile.
timeline_view timeline_of_tasks(const std::vector<sim::task_run>& tasks, const sim::task_graph& graph,
                                const std::vector<worker_place>& places) {
  timeline_view made;
  for (std::size_t i = 0; i < places.size(); ++i)
    made.tracks.push_back({fmt::format("domain {} worker {}", index_of_id(places[i].domain), i),
                           static_cast<std::uint32_t>(index_of_id(places[i].domain)), std::nullopt});
  made.names = {"leaf"};
  made.notes = {""};
  if (tasks.empty() || tasks.size() > most_slices) return made;
  const std::uint64_t zero = std::ranges::min_element(tasks, {}, &sim::task_run::began_ps)->began_ps;
  for (const sim::task_run& one : tasks) {
    made.length_ns = std::max(made.length_ns, (one.ended_ps - zero) / 1000);
    if (!graph.tree().is_leaf(one.task) || one.began_on >= places.size()) continue;
    made.notes.push_back(fmt::format("task {}", index_of(one.task)));
    made.slices.push_back({.begin_ns = (one.began_ps - zero) / 1000,
                           .length_ns = (one.ended_ps - one.began_ps) / 1000,
                           .track = one.began_on,
                           .note = static_cast<std::uint32_t>(made.notes.size() - 1)});
  }
  std::ranges::sort(made.slices, {}, [](const auto& one) { return std::pair(one.track, one.begin_ns); });
  return made;
}

}  // namespace

void add_simulated_places(report_view& recorded, report_view& simulated, const std::string& path,
                          const std::string& machine, const std::string& policy) {
  sim_request asked{.subject = path, .policies = {policy}, .seeds = 1};
  if (!machine.empty()) asked.machines = {machine};
  asked.sweep = std::vector<std::uint32_t>{0};
  const sim_study study = study_from(asked);
  const sim::program& what = study.program_on(0);
  const simulated_machine& where = study.machines.front();
  sim::region_settings settings;
  settings.engine.model = where.model;
  settings.engine.keep_tasks = true;
  const std::size_t course = what.course.size();
  settings.iterations = (iterations_to_settle + course - 1) / course * course;
  const sim::region_run run = sim::run_region(what, *where.what, *make_policy(policy), settings);
  if (run.iterations.empty()) return;
  const sim::iteration_report& last = run.iterations.back();
  const auto places = place_workers(*where.what, static_cast<std::uint32_t>(last.busy_ps.size()));
  for (tree_view& tree : recorded.trees) {
    if (tree.region != what.name) continue;
    colour_tree(tree, last.tasks, places);
    tree.domains_from = fmt::format("simulated on {} under {}", where.name, policy);
  }
  simulated.timeline = timeline_of_tasks(last.tasks, what.graph_of(run.iterations.size() - 1), places);
}

}  // namespace nearfork::tools
