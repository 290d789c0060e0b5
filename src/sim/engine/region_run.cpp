#include "sim/engine/region_run.hpp"

#include <optional>
#include <utility>

#include "plan/course/data_course.hpp"
#include "plan/course/region_course.hpp"
#include "plan/plans/fork_sending.hpp"

namespace nearfork::sim {
namespace {

profile recorded_by(engine& machinery, const task_graph& graph, const program& what, cost_source source) {
  profile made(graph.tree(), source, what.input_bytes);
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    task_cost own = machinery.own_costs()[i];
    if (source == cost_source::time) own.size_bytes = 0;
    made.record(tree_node{i}, own);
  }
  made.complete();
  made.take_gauging(machinery.gauged());
  made.know_locality_by(locality_source::counted);
  return made;
}

std::vector<domain_use> use_of_domains(const worker_layout& crew, const iteration_report& seen) {
  std::vector<domain_use> made(crew.domains());
  for (std::uint32_t d = 0; d < crew.domains(); ++d) {
    const double all_ps = static_cast<double>(seen.duration_ps) * static_cast<double>(crew.workers_of(d).size());
    made[d].busy = busy_part(static_cast<double>(seen.wait_ps_of_domain[d]), all_ps);
  }
  for (const subtree_run& one : seen.subtrees) {
    if (one.planned_domain == any_domain) continue;
    const std::uint32_t meant = domain_meant(one.planned_domain, crew.domains());
    ++made[one.domain].subtrees_gained;
    --made[meant].subtrees_gained;
  }
  return made;
}

iteration_outcome outcome_of(const worker_layout& crew, const iteration_report& seen, bool moved_data) {
  iteration_outcome made{.duration_ns = seen.duration_ps / 1000,
                         .steals_between_domains = seen.schedule.steals_between_domains,
                         .wanted_crossings = seen.schedule.wanted_crossings,
                         .traffic_bytes_of_node = seen.traffic_bytes_of_node,
                         .energy_nj = seen.energy_nj,
                         .strayed = seen.strayed,
                         .moved_data = moved_data,
                         .traffic = seen.locality};
  for (const std::uint64_t wait_ps : seen.wait_ps_of_domain) made.wait_ns_of_domain.push_back(wait_ps / 1000);
  made.use_of_domain = use_of_domains(crew, seen);
  return made;
}

/// Each phase is a region of its own, in its first iteration.
void run_setup(engine& machinery, const program& what, const policy& how, std::uint64_t move_bytes, event_log* log) {
  machinery.place_data(what);
  if (log != nullptr) log->enter_region("setup");
  for (const task_graph& phase : what.setup) {
    region_course course(machinery.planned_for(), how, {.name = "setup", .input_bytes = what.input_bytes});
    const std::optional<iteration_kind> begun = course.begin();
    if (begun) (void)machinery.bring(data_course().begin(course.in_force()), move_bytes);
    (void)machinery.run(phase, begun.value_or(iteration_kind{}), course.in_force());
  }
}

void run_iterations(engine& machinery, const program& what, const policy& how, const region_settings& settings,
                    region_run& made) {
  region_course course(machinery.planned_for(), how, {.name = what.name, .input_bytes = what.input_bytes},
                       {.goal = settings.engine.goal, .least = machinery.least_clocks()});
  data_course data;
  event_log* const log = settings.engine.log;
  if (log != nullptr) log->enter_region(what.name);
  std::string why = one_line(course.in_force().why());
  for (std::size_t i = 0; i < settings.iterations; ++i) {
    const task_graph& graph = what.graph_of(i);
    const std::optional<iteration_kind> begun = course.begin();
    own_work::brought brought;
    if (begun)
      brought = machinery.bring(data.begin(course.in_force(), machinery.followed_bytes()), settings.move_bytes);
    if (log != nullptr && brought.moved > 0)
      log->move_pages(machinery.last_worker(), machinery.now_ps(), brought.moved * machinery.page_bytes());
    made.iterations.push_back(machinery.run(graph, begun.value_or(iteration_kind{}), course.in_force()));
    made.iterations.back().tries_clocks = !course.clocks().settled();
    const iteration_report& seen = made.iterations.back();
    if (settings.see_pages) settings.see_pages(machinery.page_places(), machinery.page_bytes());
    if (settings.see_costs) settings.see_costs(i, machinery.own_costs());
    if (begun) {
      const bool comparable = tells_of_data(*begun, course.in_force());
      data.end({.moved = brought.moved > 0,
                .in_place = brought.in_place,
                .duration_ns = comparable ? std::optional(seen.duration_ps / 1000) : std::nullopt});
      iteration_outcome outcome = outcome_of(machinery.crew(), seen, brought.moved > 0);
      if (begun->profiling) outcome.recorded = recorded_by(machinery, graph, what, settings.profile);
      course.end(*begun, std::move(outcome));
    }
    if (log != nullptr)
      if (const std::string now = one_line(course.in_force().why()); now != std::exchange(why, now))
        log->change_plan(machinery.last_worker(), machinery.now_ps(), now);
    if (settings.go_on && !settings.go_on(seen)) break;
    const bool is_last = i + 1 == settings.iterations;
    if (settings.goes_on && !is_last && !settings.goes_on(static_cast<double>(i + 1))) throw interrupted_run{};
  }
  made.why = course.in_force().why();
  made.settled = course.in_force().standing().settled && course.clocks().settled();
  made.clocks = course.clocks();
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
  made.shares_power = machinery.shares_power();
  try {
    run_setup(machinery, what, how, settings.move_bytes, settings.engine.log);
    is_set_up = true;
    run_iterations(machinery, what, how, settings, made);
  } catch (const interrupted_run&) {
    made.interrupted = true;
  }
  return made;
}

}  // namespace nearfork::sim
