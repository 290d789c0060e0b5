#include "tools/sim/memory_waits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "plan/plans/policy.hpp"

namespace nearfork::tools {
namespace {

/// Of this the latencies of tasks are left: memory that nobody waits for in a queue, and cores that do in a recorded
/// time what was done in it, whatever their kind, and whoever shares the core.
sim::machine_model latencies_alone(sim::machine_model model) {
  constexpr std::uint64_t no_time_ps = 1;
  std::ranges::fill(model.node_line_ps, no_time_ps);
  for (sim::side_cache_model& one : model.side_caches) one.line_ps = std::min(one.line_ps, no_time_ps);
  for (sim::link_model& one : model.between.links) one.line_ps = 0;
  const auto speed = [](const sim::core_model& kind) { return kind.mhz * kind.work_per_cycle; };
  std::ranges::fill(model.kinds, sim::core_model(*std::ranges::max_element(model.kinds, {}, speed)));
  for (sim::core_model& kind : model.kinds) kind.smt_speedup = std::numeric_limits<std::uint32_t>::max();
  model.core_mhz.clear();
  model.reference_speed = 0;
  return model;
}

/// What latencies add to work of `recorded_ns` that takes `simulated_ns` with them: at most all of `beside_data_ns`.
std::uint64_t latencies_ns_of(std::uint64_t recorded_ns, std::uint64_t simulated_ns, std::uint64_t beside_data_ns) {
  return std::min(beside_data_ns, simulated_ns - std::min(simulated_ns, recorded_ns));
}

/// Returns by how much. `own_ns`: by task, as simulated.
std::uint64_t shorten_tasks(sim::task_graph& graph, std::span<const std::uint64_t> own_ns) {
  const std::uint64_t before_ns = graph.compute_ns();
  for (std::uint32_t task = 0; task < graph.size(); ++task) {
    const std::size_t stretches = graph.forks(tree_node{task}).size() + 1;
    std::uint64_t all_ns = 0;
    std::uint64_t beside_data_ns = 0;
    for (std::uint32_t i = 0; i < stretches; ++i) {
      const sim::stretch work = graph.work(tree_node{task}, i);
      all_ns += work.compute_ns;
      if (!work.accesses.empty()) beside_data_ns += work.compute_ns;
    }
    const std::uint64_t latencies_ns = latencies_ns_of(all_ns, own_ns[task], beside_data_ns);
    if (latencies_ns == 0) continue;
    const double part = 1 - static_cast<double>(latencies_ns) / static_cast<double>(beside_data_ns);
    for (std::uint32_t i = 0; i < stretches; ++i)
      if (const sim::stretch work = graph.work(tree_node{task}, i); !work.accesses.empty())
        graph.shorten(tree_node{task}, i, static_cast<std::uint64_t>(static_cast<double>(work.compute_ns) * part));
  }
  return before_ns - graph.compute_ns();
}

/// The program lends its graphs; pages lie where the recorded program put them.
sim::program as_recorded(sim::program& what, const recorded_facts& facts) {
  sim::program made{.name = what.name,
                    .input_bytes = what.input_bytes,
                    .graphs = std::move(what.graphs),
                    .course = what.course,
                    .arrays = what.arrays,
                    .setup = facts.setup ? *facts.setup : what.setup};
  made.input_is_given = true;
  return made;
}

/// Returns which part of the recorded work was waits; nullopt if the simulation was stopped.
std::optional<double> take_waits_out(sim::program& what, const recorded_facts& facts, const simulated_machine& where,
                                     const std::function<bool(double)>& goes_on) {
  sim::region_settings settings;
  settings.engine.model = latencies_alone(where.model);
  settings.engine.workers = facts.workers;
  settings.iterations = what.course.size() + 1;  // the first graph once more: other iterations left data in caches
  settings.goes_on = [&](double iterations) { return goes_on(iterations / static_cast<double>(settings.iterations)); };
  std::vector<std::vector<std::uint64_t>> own_ns(what.graphs.size());
  settings.see_costs = [&](std::size_t i, std::span<const task_cost> costs) {
    std::vector<std::uint64_t>& of = own_ns[what.course[i % what.course.size()]];
    of.clear();
    for (const task_cost& one : costs) of.push_back(one.time_ns);
  };
  sim::program as_made = as_recorded(what, facts);
  const bool stopped = sim::run_region(as_made, *where.what, *make_policy(facts.policy), settings).interrupted;
  what.graphs = std::move(as_made.graphs);
  if (stopped) return std::nullopt;
  double work_ns = 0;
  double waits_ns = 0;
  for (std::size_t i = 0; i < what.graphs.size(); ++i) {
    work_ns += static_cast<double>(what.graphs[i].compute_ns());
    waits_ns += static_cast<double>(shorten_tasks(what.graphs[i], own_ns[i]));
  }
  return waits_ns / std::max(work_ns, 1.0);
}

/// Returns by how much. `took_ns`: by stretch, as simulated.
std::uint64_t shorten_stretches(recordings::task_graph& graph, std::span<const std::uint64_t> took_ns) {
  const std::uint64_t before_ns = graph.work_ns();
  std::size_t at = 0;
  for (std::uint32_t task = 0; task < graph.tasks(); ++task)
    for (std::uint32_t i = 0; i <= graph.forks(task).size(); ++i, ++at) {
      const auto work = graph.work(task, i);
      const std::uint64_t latencies_ns = latencies_ns_of(work.time_ns, took_ns[at], work.time_ns);
      if (!work.accesses.empty()) graph.set_time(task, i, work.time_ns - latencies_ns);
    }
  return before_ns - graph.work_ns();
}

/// As above, for dataflow tasks: the recording that is simulated becomes another one.
std::optional<double> take_waits_out(sim::recorded_flow& what, const recorded_facts& facts,
                                     const simulated_machine& where, const std::function<bool(double)>& goes_on) {
  if (!goes_on(0)) return std::nullopt;  // the simulation itself asks after 4096 tasks
  auto shortened = std::make_shared<recordings::recording>(*what.recorded);
  recordings::region& region = *std::ranges::find(shortened->regions, what.region, &recordings::region::name);
  sim::flow_region_settings settings;
  settings.run.model = latencies_alone(where.model);
  settings.run.workers = facts.workers;
  sim::follow_rule(settings.run, usual_flow_rule);
  const auto iterations = static_cast<double>(region.recorded.size() + 1);
  settings.goes_on = [&](double done) { return goes_on(done / iterations); };
  const auto took_ns = sim::stretch_times_ns({.recorded = what.recorded, .region = what.region}, *where.what, settings);
  if (!took_ns) return std::nullopt;
  double work_ns = 0;
  double waits_ns = 0;
  for (std::size_t i = 0; i < region.recorded.size(); ++i) {
    recordings::task_graph& graph = region.recorded[i].graph;
    work_ns += static_cast<double>(graph.work_ns());
    waits_ns += static_cast<double>(shorten_stretches(graph, (*took_ns)[i]));
  }
  what.recorded = std::move(shortened);
  return waits_ns / std::max(work_ns, 1.0);
}

}  // namespace

const simulated_machine* machine_of_recording(const sim_study& study, const recorded_facts& facts) {
  const simulated_machine* found = study.here && facts.is_made_on(*study.here) ? &*study.here : nullptr;
  for (const simulated_machine& one : study.machines) {
    const bool is_better = found == nullptr || (!found->assumed.empty() && one.assumed.empty());
    if (is_better && facts.is_made_on(one)) found = &one;
  }
  return found;
}

void take_memory_waits_out(sim_study& study, const campaign_watcher& watch, const campaign_stop& stops) {
  if (!study.recorded || !study.recorded->names_data) return;
  memory_waits& told = study.waits.emplace();
  const simulated_machine* const where = machine_of_recording(study, *study.recorded);
  if (where == nullptr) told.why_not = "none of the machines is the one that recorded";
  else told.why_not = hindrance_on(study, *where);
  if (!told.why_not.empty()) return;
  told.machine = where->name;
  const auto goes_on = [&](double done) {
    if (watch) watch({fmt::format("{} as recorded, for its waits", study.subject), done});
    return !stops || !stops();
  };
  const auto take_out = [&](sim::program& what, std::optional<sim::recorded_flow>& flow, const recorded_facts& facts) {
    return flow ? take_waits_out(*flow, facts, *where, goes_on) : take_waits_out(what, facts, *where, goes_on);
  };
  told.part_of_work = take_out(study.programs.front(), study.flow, *study.recorded).value_or(0);
  for (recorded_subject& one : study.further)
    if (one.facts.is_made_on(*where)) (void)take_out(one.what, one.flow, one.facts);
}

recordings::recording with_computation_of(const sim::program& what, const recordings::recording& recorded) {
  recordings::recording made = recorded;
  const auto region = std::ranges::find(made.regions, what.name, &recordings::region::name);
  for (std::size_t i = 0; i < region->recorded.size(); ++i) {
    const sim::task_graph& computed = what.graphs[i];
    recordings::task_graph& graph = region->recorded[i].graph;
    for (std::uint32_t task = 0; task < graph.tasks(); ++task)
      for (std::uint32_t s = 0; s <= graph.forks(task).size(); ++s)
        graph.set_time(task, s, computed.work(tree_node{task}, s).compute_ns);
  }
  return made;
}

}  // namespace nearfork::tools
