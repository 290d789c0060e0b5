// Where a simulation ran the tasks of a recording.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "plan/crew/worker_places.hpp"
#include "plan/plans/policy.hpp"
#include "sim/engine/region_run.hpp"
#include "sim/programs/recorded_program.hpp"
#include "tools/advice/page_sight.hpp"
#include "tools/advice/simulations/simulations.hpp"
#include "tools/report/number_words.hpp"
#include "tools/sim/memory_waits.hpp"
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

std::vector<std::string> names_of_nodes(const machine& where) {
  std::vector<std::string> made;
  for (std::size_t i = 0; i < sim::node_count(where); ++i)
    made.push_back(fmt::format("node {}", i < where.nodes().size() ? number_of(where.nodes()[i].os) : 0));
  return made;
}

page_sight sight_of(const sim::program& what, const recordings::recording& recorded, const machine& where) {
  std::vector<std::string> blocks;
  for (const std::uint32_t block : sim::block_of_array(recorded)) blocks.push_back(recorded.blocks[block].name);
  return {what.arrays, std::move(blocks), names_of_nodes(where)};
}

std::vector<std::optional<std::uint32_t>> nodes_of(const std::vector<worker_place>& places, const machine& where) {
  std::vector<std::optional<std::uint32_t>> made;
  for (const worker_place& one : places) {
    const domain& of = where.at(one.domain);
    const auto node = !of.nodes.empty() ? std::optional(of.nodes.front()) : of.nearest;
    // A machine without nodes has one in page maps.
    made.push_back(node ? std::optional(static_cast<std::uint32_t>(index_of_id(*node))) : std::optional(0U));
  }
  return made;
}

}  // namespace

void add_simulated_places(report_view& view, report_view& simulated, const std::string& path,
                          const recordings::recording& recorded, const std::string& machine,
                          const std::string& policy) {
  sim_request asked{.subject = path, .policies = {policy}, .seeds = 1};
  if (!machine.empty()) asked.machines = {machine};
  asked.sweep = std::vector<std::uint32_t>{0};
  sim_study study = study_from(asked);
  if (study.flow) return;  // the simulation of dataflow tasks does not tell places
  take_memory_waits_out(study);
  const sim::program& what = study.program_on(0);
  const simulated_machine& where = study.machines.front();
  sim::region_settings settings;
  settings.engine.model = where.model;
  settings.engine.keep_tasks = true;
  const std::size_t course = what.course.size();
  settings.iterations = (iterations_to_settle + course - 1) / course * course;
  page_sight sight = sight_of(what, recorded, *where.what);
  settings.see_pages = [&](const sim::page_map& pages, std::uint64_t page_bytes) { sight.see(pages, page_bytes); };
  const sim::region_run run = sim::run_region(what, *where.what, *make_policy(policy), settings);
  if (run.iterations.empty()) return;
  const sim::iteration_report& last = run.iterations.back();
  const auto places = place_workers(*where.what, static_cast<std::uint32_t>(last.busy_ps.size()));
  const std::string from = fmt::format("simulated on {} under {}", where.name, policy);
  for (tree_view& tree : view.trees) {
    if (tree.region != what.name) continue;
    colour_tree(tree, last.tasks, places);
    tree.domains_from = from;
  }
  const sim::task_graph& graph = what.graph_of(run.iterations.size() - 1);
  simulated.timeline = timeline_of_tasks(last.tasks, graph, places);
  if (what.arrays.empty()) return;
  sight.take_tasks(graph, last.tasks, nodes_of(places, *where.what));
  simulated.page_maps.push_back(sight.map());
  simulated.page_maps.back().from = from;
  simulated.matrices.push_back(sight.traffic());
  simulated.matrices.back().title += fmt::format(" ({})", from);
}

}  // namespace nearfork::tools
