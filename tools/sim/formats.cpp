#include "tools/sim/formats.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text/message_text.hpp"
#include "plan/crew/worker_places.hpp"
#include "plan/plans/plan_explanation.hpp"
#include "tools/output/json_dump.hpp"
#include "tools/sim/results/clock_results.hpp"
#include "tools/sim/results/machine_results.hpp"
#include "tools/sim/results/page_results.hpp"
#include "tools/sim/scale.hpp"
#include "tools/terminal/colours.hpp"
#include "tools/terminal/text_chart.hpp"
#include "workloads/memory.hpp"

namespace nearfork::tools {
namespace {

/// "12", "3.45k", "12.3M".
std::string count_text(double count) {
  if (count < 10'000) return fmt::format("{:.4g}", count);
  if (count < 10'000'000) return fmt::format("{:.1f}k", count / 1e3);
  return fmt::format("{:.1f}M", count / 1e6);
}

std::string gain_text(const std::optional<double>& baseline_ns, double ns) {
  return baseline_ns ? fmt::format("{:+.1f}%", 100 * gain_over(*baseline_ns, ns)) : "-";
}

std::string steals_text(const simulated_sums& sums) {
  std::string text;
  for (const double steals : sums.steals) text += fmt::format("{}{}", text.empty() ? "" : "/", count_text(steals));
  return text;
}

/// The levels that were used, by their place from the core outward.
std::vector<unsigned> cache_levels(const machine_results& results) {
  std::size_t used = 0;
  for (const simulation_summary& one : results.summaries)
    for (std::size_t i = 0; i < sim::most_cache_levels; ++i)
      if (one.total.accesses[i] > 0) used = std::max(used, i + 1);
  std::vector<unsigned> levels = cache_levels_of(*results.where->what);
  levels.resize(std::min(used, levels.size()));
  return levels;
}

std::string heading(const machine_results& results) {
  std::string text = fmt::format("  {:<16} {:>9} {:>9} {:>8}", "policy", "total", "each", "gain");
  for (const unsigned level : cache_levels(results)) text += fmt::format(" {:>9}", fmt::format("L{} misses", level));
  return text + fmt::format(" {:>9} {:>9}  {}\n", "local", "remote", "steals");
}

std::string line_of(const machine_results& results, std::size_t i) {
  const simulation_summary& one = results.summaries[i];
  const simulated_sums& each = one.per_iteration;
  std::string text =
      fmt::format("  {:<16} {:>9} {:>9} {:>8}", results.outcomes[i]->policy, time_text(one.total.time_ns),
                  time_text(each.time_ns) + (one.settled ? "" : "?"), gain_text(results.baseline_ns(), each.time_ns));
  for (std::size_t level = 0; level < cache_levels(results).size(); ++level)
    text += fmt::format(" {:>9}", count_text(each.misses[level]));
  return text + fmt::format(" {:>9} {:>9}  {}\n", count_text(each.local), count_text(each.remote), steals_text(each));
}

std::string regions_text(const sim::program& what) {
  return what.setup_regions.empty() ? "" : fmt::format(" (regions {})", fmt::join(what.setup_regions, ", "));
}

bool has_several_nodes(const machine_results& results) {
  return results.where->what->nodes().size() > 1;
}

bool tells_pages(const sim_study& study, const machine_results& results) {
  return study.tells_pages() || std::ranges::any_of(results.outcomes, [](const simulation_outcome* one) {
           return strayed(last_pages(one->run));
         });
}

constexpr std::size_t chart_columns = 60;

/// A policy's line shows its own course: how high its profile and trials are above what it ends with.
std::string charts_of(const machine_results& results) {
  const chart_characters with = chart_characters_here();
  std::vector<text_bar> each;
  std::vector<text_bar> courses;
  for (std::size_t i = 0; i < results.outcomes.size(); ++i) {
    const double ns = results.summaries[i].per_iteration.time_ns;
    each.push_back({results.outcomes[i]->policy, ns, time_text(ns)});
    std::vector<double> course;
    for (const sim::iteration_report& one : results.outcomes[i]->run.iterations)
      course.push_back(static_cast<double>(one.duration_ps));
    courses.push_back({results.outcomes[i]->policy, 0, line_text(course, chart_columns, with)});
  }
  return "\n  time of an iteration, each\n" + bars_text(each, chart_columns, with) +
         "\n  times of the iterations one after the other\n" + bars_text(courses, chart_columns, with);
}

std::string explanation_of(const machine_results& results) {
  std::string text;
  for (const simulation_outcome* const one : results.outcomes) {
    text += fmt::format("\n  {}\n", one->policy);
    for (const std::string& line : lines_of(one->run.why)) text += fmt::format("    {}\n", line);
  }
  return text;
}

/// What was not run if all policies have run on all machines.
constexpr const char* rest_of_study = "other seeds and numbers of workers";

/// What was not run, if anything.
std::string interruption_text(const study_results& results, const std::vector<machine_results>& machines) {
  if (results.answer) return {};
  std::string text = "\nInterrupted. The rest was not run:\n";
  bool any = false;
  for (const machine_results& one : machines)
    for (const simulation_outcome* const each : one.interrupted) {
      text += fmt::format("  {} on {} ({} of {} done)\n", each->policy, one.where->name, each->run.iterations.size(),
                          counted(each->wanted_iterations, "iteration"));
      any = true;
    }
  return text + (any ? "" : fmt::format("  {}\n", rest_of_study));
}

nlohmann::json interruption_json(const std::vector<machine_results>& machines) {
  auto made = nlohmann::json::array();
  for (const machine_results& one : machines)
    for (const simulation_outcome* const each : one.interrupted)
      made.push_back(
          {{"machine", one.where->name}, {"policy", each->policy}, {"iterations_done", each->run.iterations.size()}});
  if (made.empty()) made.push_back({{"others", rest_of_study}});
  return made;
}

constexpr std::string_view legend =
    "\neach: mean of the iterations after all profiles and trials (\"?\": they had no end; of the second half). All to "
    "its right\n"
    "is per iteration, too. gain: how much less than random that is. local, remote: lines from memory of the core's "
    "own\n"
    "domain, of others. steals: between threads of a core / a cache / a node / a package / packages.\n"
    "All of it is simulated; docs/VALIDATION.md says how far to believe it.\n";

nlohmann::json json_of(const simulated_sums& sums, const std::vector<unsigned>& levels) {
  auto caches = nlohmann::json::array();
  for (std::size_t i = 0; i < levels.size(); ++i)
    caches.push_back({{"level", levels[i]}, {"accesses", sums.accesses[i]}, {"misses", sums.misses[i]}});
  nlohmann::json steals;
  for (std::size_t i = 0; i < steal_distances; ++i)
    steals[std::string(name_of(static_cast<steal_distance>(i)))] = sums.steals[i];
  nlohmann::json made = {{"time_ns", sums.time_ns},
                         {"caches", caches},
                         {"local_lines", sums.local},
                         {"remote_lines", sums.remote},
                         {"writebacks", sums.writebacks},
                         {"invalidations", sums.invalidations},
                         {"side_cache_hits", sums.side_hits},
                         {"side_cache_misses", sums.side_misses},
                         {"steals", steals},
                         {"pool_takes", sums.pool_takes},
                         {"wanted_crossings", sums.wanted_crossings},
                         {"mugs", sums.mugs}};
  if (sums.energy_j > 0) made["energy_j"] = sums.energy_j;
  return made;
}

/// Of the last iteration.
nlohmann::json workers_json(const machine& where, const sim::region_run& run) {
  auto made = nlohmann::json::array();
  if (run.iterations.empty()) return made;
  const std::vector<std::uint64_t>& busy_ps = run.iterations.back().busy_ps;
  const std::vector<std::uint64_t>& stall_ps = run.iterations.back().stall_ps;
  const auto places = place_workers(where, static_cast<std::uint32_t>(busy_ps.size()));
  for (std::size_t i = 0; i < busy_ps.size(); ++i)
    made.push_back({{"worker", i},
                    {"domain", index_of_id(places[i].domain)},
                    {"busy_ns", static_cast<double>(busy_ps[i]) / 1000},
                    {"stall_ns", static_cast<double>(stall_ps[i]) / 1000}});
  return made;
}

nlohmann::json json_of(const machine_results& results, std::size_t i, bool tells) {
  const simulation_summary& one = results.summaries[i];
  const std::vector<unsigned> levels = cache_levels(results);
  auto iterations = nlohmann::json::array();
  const auto& ran = results.outcomes[i]->run.iterations;
  for (const sim::iteration_report& each : ran)
    iterations.push_back({{"time_ns", static_cast<double>(each.duration_ps) / 1000},
                          {"moving_ns", static_cast<double>(each.moving_ps) / 1000},
                          {"profiling", each.kind.profiling},
                          {"planned", each.kind.planned},
                          {"packing_level", each.packing_level},
                          {"steady", iterations.size() + one.steady >= ran.size()},
                          {"why", std::string(name_of(each.decision))}});
  nlohmann::json made = {{"policy", results.outcomes[i]->policy},
                         {"found_its_way", one.settled},
                         {"steady_iterations", one.steady},
                         {"total", json_of(one.total, levels)},
                         {"per_iteration", json_of(one.per_iteration, levels)},
                         {"why", lines_of(results.outcomes[i]->run.why)},
                         {"shares_power", results.outcomes[i]->run.shares_power},
                         {"iterations", iterations},
                         {"workers", workers_json(*results.where->what, results.outcomes[i]->run)}};
  if (results.outcomes[i]->run.clocks.is_on()) made["clocks"] = clocks_json(results.outcomes[i]->run.clocks);
  if (tells) made["pages"] = pages_json(*results.where, results.outcomes[i]->run);
  if (const auto base = results.baseline_ns()) made["gain_over_random"] = gain_over(*base, one.per_iteration.time_ns);
  return made;
}

}  // namespace

std::string time_text(double ns) {
  constexpr std::string_view units[] = {"ns", "us", "ms", "s"};
  std::size_t unit = 0;
  for (; ns >= 999.95 && unit + 1 < std::size(units); ++unit) ns /= 1000;
  return fmt::format("{:.{}f} {}", ns, ns < 10 ? 2 : 1, units[unit]);
}

std::string table_text(const sim_study& study, const study_results& results, table_style style) {
  const std::vector<machine_results> machines = by_machine(study, results.outcomes);
  std::string text = fmt::format("simulated: {} with {} ({}), {}, seed {}\n{}\n", study.subject, study.size,
                                 workloads::bytes_text(study.bytes), counted(study.iterations, "iteration"), study.seed,
                                 study.description);
  if (study.iterations < study.size_iterations)
    text += fmt::format("The size has {} iterations; --iterations {} simulates them all.\n", study.size_iterations,
                        study.size_iterations);
  if (study.setup != sim::setup_kind::none)
    text += fmt::format("Before the first iteration, and not timed: setup {}{}.\n", name_of(study.setup),
                        regions_text(study.programs.front()));
  if (study.placing.how != sim::placing_rule::first_write)
    text += fmt::format("Pages get their nodes by the rule {}.\n", text_of(study.placing));
  if (!study.node_capacity.empty()) text += fmt::format("Memory of the nodes: {}.\n", study.node_capacity);
  if (study.line_stands_for > 1)
    text += fmt::format(
        "Scaled by {}: a simulated line stands for {}, and caches and pages have as many fewer lines. Times, "
        "bytes\nand counts are those of the whole problem.\n",
        scale_text(study.line_stands_for), study.line_stands_for);
  if (study.never_park) text += "Workers without work search without end: none parks.\n";
  if (results.answer) text += recorded_text(study, *results.answer);
  for (std::size_t m = 0; m < machines.size(); ++m) {
    const machine_results& one = machines[m];
    if (one.outcomes.empty()) continue;
    text += fmt::format("\nmachine {}\n  {}; {}\n", one.where->name, one.where->what->summary(),
                        counted(workers_of(study, *one.where), "worker"));
    for (const std::string& line : one.where->assumed) text += fmt::format("  {}\n", line);
    text += "\n" + heading(one);
    for (std::size_t i = 0; i < one.outcomes.size(); ++i) text += line_of(one, i);
    if (style.charts) text += charts_of(one);
    if (style.explain) text += explanation_of(one);
    if (study.goal != run_goal::time) text += "\n" + clocks_text(one.outcomes);
    if (tells_pages(study, one)) text += "\n" + pages_text(*one.where, one.outcomes);
    if (results.answer) text += text_of(study, results.answer->machines[m]);
  }
  text += interruption_text(results, machines);
  const bool has_table =
      std::ranges::any_of(machines, [](const machine_results& one) { return !one.outcomes.empty(); });
  if (has_table) text += legend;
  if (says_more(study) && results.answer) text += "\n";
  if (says_more(study) && results.answer)
    for (const machine_answer& one : results.answer->machines)
      text += painted(colour::bold, expectation_of(one), style.coloured) + "\n";
  if (study.recorded && !study.recorded->names_data) text += no_data_text(study.programs.front().name) + "\n";
  return text;
}

std::string json_text(const sim_study& study, const study_results& results) {
  const std::vector<machine_results> machines = by_machine(study, results.outcomes);
  nlohmann::json made = {{"version", 1},
                         {"simulated", true},
                         {"workload", study.subject},
                         {"size", study.size},
                         {"bytes", study.bytes},
                         {"iterations", study.iterations},
                         {"seed", study.seed},
                         {"never_park", study.never_park},
                         {"setup", std::string(name_of(study.setup))},
                         {"machines", nlohmann::json::array()}};
  if (study.placing.how != sim::placing_rule::first_write) made["pages"] = text_of(study.placing);
  if (!study.node_capacity.empty()) made["node_capacity"] = study.node_capacity;
  if (study.goal != run_goal::time) made["goal"] = std::string(name_of(study.goal));
  if (study.line_stands_for > 1) made["scale"] = scale_text(study.line_stands_for);
  if (!results.answer) {
    made["interrupted"] = true;
    made["not_run"] = interruption_json(machines);
  }
  if (study.recorded && results.answer) made["recorded"] = recorded_json(study, *results.answer);
  for (std::size_t m = 0; m < machines.size(); ++m) {
    const machine_results& one = machines[m];
    auto runs = nlohmann::json::array();
    const bool tells = tells_pages(study, one) || has_several_nodes(one);
    for (std::size_t i = 0; i < one.outcomes.size(); ++i) runs.push_back(json_of(one, i, tells));
    nlohmann::json machine = {{"name", one.where->name},
                              {"summary", one.where->what->summary()},
                              {"workers", workers_of(study, *one.where)},
                              {"policies", runs}};
    if (!one.where->assumed.empty()) machine["assumed"] = one.where->assumed;
    if (says_more(study) && results.answer) machine.update(json_of(study, results.answer->machines[m]));
    made["machines"].push_back(machine);
  }
  return dumped(made) + "\n";
}

}  // namespace nearfork::tools
