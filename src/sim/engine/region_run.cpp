#include "sim/engine/region_run.hpp"

#include <optional>
#include <utility>

#include "plan/course/region_course.hpp"

namespace nearfork::sim {
namespace {

profile recorded_by(const engine& machinery, const task_graph& graph, const program& what, cost_source source) {
  profile made(graph.tree(), source, what.input_bytes);
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    task_cost own = machinery.own_costs()[i];
    if (source == cost_source::time) own.size_bytes = 0;
    made.record(tree_node{i}, own);
  }
  made.complete();
  return made;
}

iteration_outcome outcome_of(const iteration_report& seen) {
  iteration_outcome made{.duration_ns = seen.duration_ps / 1000,
                         .steals_between_domains = seen.schedule.steals_between_domains,
                         .wanted_crossings = seen.schedule.wanted_crossings,
                         .traffic_bytes_of_node = seen.traffic_bytes_of_node,
                         .strayed = seen.strayed};
  for (const std::uint64_t wait_ps : seen.wait_ps_of_domain) made.wait_ns_of_domain.push_back(wait_ps / 1000);
  return made;
}

/// Each phase is a region of its own, in its first iteration.
void run_setup(engine& machinery, const program& what, const policy& how) {
  machinery.place_data(what);
  for (const task_graph& phase : what.setup) {
    region_course course(machinery.planned_for(), how, {.name = "setup", .input_bytes = what.input_bytes});
    const std::optional<iteration_kind> begun = course.begin();
    (void)machinery.run(phase, begun.value_or(iteration_kind{}), course.in_force());
  }
}

void run_iterations(engine& machinery, const program& what, const policy& how, const region_settings& settings,
                    region_run& made) {
  region_course course(machinery.planned_for(), how, {.name = what.name, .input_bytes = what.input_bytes});
  for (std::size_t i = 0; i < settings.iterations; ++i) {
    const task_graph& graph = what.graph_of(i);
    const std::optional<iteration_kind> begun = course.begin();
    made.iterations.push_back(machinery.run(graph, begun.value_or(iteration_kind{}), course.in_force()));
    const iteration_report& seen = made.iterations.back();
    if (begun) {
      iteration_outcome outcome = outcome_of(seen);
      if (begun->profiling) outcome.recorded = recorded_by(machinery, graph, what, settings.profile);
      course.end(*begun, std::move(outcome));
    }
    if (settings.go_on && !settings.go_on(seen)) break;
    const bool is_last = i + 1 == settings.iterations;
    if (settings.goes_on && !is_last && !settings.goes_on(static_cast<double>(i + 1))) throw interrupted_run{};
  }
  made.why = course.in_force().why();
  made.settled = course.in_force().standing().settled;
}

}  // namespace

region_run run_region(const program& what, const machine& where, const policy& how, const region_settings& settings) {
  region_run made;
  bool is_set_up = false;
  engine_settings within = settings.engine;
  if (settings.goes_on)
    within.goes_on = [&](double ended) {
      return settings.goes_on(is_set_up ? static_cast<double>(made.iterations.size()) + ended : 0);
    };
  engine machinery(where, how, within, what.data_bytes());
  try {
    run_setup(machinery, what, how);
    is_set_up = true;
    run_iterations(machinery, what, how, settings, made);
  } catch (const interrupted_run&) {
    made.interrupted = true;
  }
  return made;
}

}  // namespace nearfork::sim
