#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tools/report/inputs/json_views.hpp"
#include "tools/report/number_words.hpp"

namespace nearfork::tools {
namespace {

std::string kind_of(const json_fields& iteration) {
  if (iteration.flag("profiling")) return "profile";
  if (!iteration.flag("steady")) return "trial";
  return iteration.flag("planned") ? "steady" : "plain";
}

course_view course_of_policy(const json_fields& run) {
  course_view made{.name = run.text("policy"), .why = run.texts("why")};
  made.each_ns = run.object("per_iteration").number("time_ns");
  std::string before;
  for (const json_fields& one : run.objects("iterations")) {
    const std::string decision = one.text_if_there("why");
    iteration_view& next = made.iterations.emplace_back();
    next = {.number = made.iterations.size(), .time_ns = one.number("time_ns"), .kind = kind_of(one)};
    if (decision != before) next.why = decision;
    before = decision;
  }
  made.ran = made.iterations.size();
  return made;
}

matrix_view empty_matrix(std::string title, std::string row_is, std::string column_is) {
  return {.title = std::move(title),
          .row_is = std::move(row_is),
          .column_is = std::move(column_is),
          .rows = {},
          .columns = {},
          .cells = {}};
}

/// One row for each policy.
void add_matrices(report_view& to, const std::vector<json_fields>& runs) {
  matrix_view steals = empty_matrix("Steals per iteration, by distance", "policy", "distance");
  matrix_view lines = empty_matrix("Lines from memory per iteration", "policy", "memory");
  matrix_view misses = empty_matrix("Cache misses per iteration", "policy", "cache");
  lines.columns = {"of the core's own domain", "of others"};
  for (const json_fields& run : runs) {
    const json_fields each = run.object("per_iteration");
    const std::string policy = run.text("policy");
    for (matrix_view* const one : {&steals, &lines, &misses}) {
      one->rows.push_back(policy);
      one->cells.emplace_back();
    }
    lines.cells.back() = {each.number("local_lines"), each.number("remote_lines")};
    steals.columns.clear();
    const json_fields by_distance = each.object("steals");
    for (const char* const distance : {"core", "cache", "node", "package", "machine"}) {
      steals.columns.emplace_back(distance);
      steals.cells.back().push_back(by_distance.number(distance));
    }
    misses.columns.clear();
    for (const json_fields& level : each.objects("caches")) {
      misses.columns.push_back(fmt::format("L{}", level.whole("level")));
      misses.cells.back().push_back(level.number("misses"));
    }
  }
  for (matrix_view* const one : {&lines, &misses, &steals}) to.matrices.push_back(std::move(*one));
}

std::vector<double> pages_by_node(const std::vector<json_fields>& nodes, const char* member) {
  std::vector<double> made;
  for (const json_fields& node : nodes)
    if (node.has(member)) made.push_back(node.number(member));
  return made;
}

void add_pages(report_view& to, const json_fields& run) {
  if (!run.has("pages")) return;
  pages_view made{.what = run.text("policy"), .nodes = {}, .after = {}};
  const std::vector<json_fields> nodes = run.object("pages").objects("nodes");
  for (const json_fields& node : nodes) made.nodes.push_back(fmt::format("node {}", node.whole("node")));
  made.after = pages_by_node(nodes, "pages");
  made.before = pages_by_node(nodes, "first_pages");
  made.work_ns = pages_by_node(nodes, "work_ns");
  to.pages.push_back(std::move(made));
}

void add_workers(report_view& to, const json_fields& run) {
  if (!run.has("workers")) return;
  const double time = run.objects("iterations").empty() ? 0 : run.objects("iterations").back().number("time_ns");
  for (const json_fields& one : run.objects("workers")) {
    const double busy = one.number("busy_ns");
    to.worker_times.push_back({.name = fmt::format("{}, worker {}", run.text("policy"), one.whole("worker")),
                               .domain = static_cast<std::uint32_t>(one.whole("domain") & 0xffffffff),
                               .work_ns = busy,
                               .search_ns = time > busy ? time - busy : 0,
                               .parked_ns = std::nullopt,
                               .stall_ns = one.number_if_there("stall_ns")});
  }
}

void add_what_if(report_view& to, const json_fields& machine, const std::optional<double>& recorded_ns) {
  for (const json_fields& run : machine.objects("policies")) {
    what_if_view made{.machine = to.machine, .workers = to.workers, .policy = run.text("policy")};
    made.time_ns = run.object("per_iteration").number("time_ns");
    if (run.has("gain_over_random")) made.gain = run.number("gain_over_random", -1e300);
    if (recorded_ns && made.time_ns > 0) made.speed_up = *recorded_ns / made.time_ns;
    to.what_if.push_back(std::move(made));
  }
  if (!machine.has("sweep")) return;
  for (const json_fields& point : machine.objects("sweep"))
    for (const auto& [policy, time] : point.numbers("time_ns"))
      if (point.whole("workers") != to.workers)
        to.what_if.push_back({.machine = to.machine,
                              .workers = point.whole("workers"),
                              .policy = policy,
                              .time_ns = time,
                              .speed_up = recorded_ns && time > 0 ? std::optional(*recorded_ns / time) : std::nullopt});
}

void add_machine(report_view& made, const json_fields& machine, const std::optional<double>& recorded_ns) {
  const std::vector<json_fields> runs = machine.objects("policies");
  for (const json_fields& run : runs) {
    made.courses.push_back(course_of_policy(run));
    add_pages(made, run);
    add_workers(made, run);
  }
  if (!runs.empty()) add_matrices(made, runs);
  add_what_if(made, machine, recorded_ns);
  if (machine.has("expectation")) made.facts.push_back({"expectation", machine.text("expectation")});
}

void add_recorded(report_view& to, const json_fields& recorded) {
  to.facts.push_back(
      {"recorded", fmt::format("{} an iteration, with {} workers under {}", time_words(recorded.number("time_ns")),
                               recorded.whole("workers"), recorded.text("policy"))});
  to.brackets.push_back({.region = "as recorded",
                         .work_ns = recorded.number("work_ns"),
                         .span_ns = recorded.number("span_ns"),
                         .time_ns = recorded.number("time_ns"),
                         .workers = std::max<std::uint64_t>(recorded.whole("workers"), 1)});
}

}  // namespace

void add_views_of_simulation(const json_fields& of, const std::string& file, std::vector<report_view>& to) {
  of.require_version(1);
  std::optional<double> recorded_ns;
  if (of.has("recorded")) recorded_ns = of.object("recorded").number("time_ns");
  for (const json_fields& machine : of.objects("machines")) {
    report_view made{.file = file,
                     .kind = "simulation",
                     .simulated = true,
                     .machine = machine.text("name"),
                     .workers = machine.whole("workers")};
    made.facts.push_back({"program", of.text("workload") + ", " + of.text("size")});
    made.facts.push_back({"machine", machine.text("summary")});
    if (machine.has("assumed"))
      for (const std::string& line : machine.texts("assumed")) made.facts.push_back({std::string(assumed_fact), line});
    made.facts.push_back({"data", bytes_words(of.number("bytes"))});
    if (of.has("recorded")) add_recorded(made, of.object("recorded"));
    add_machine(made, machine, recorded_ns);
    to.push_back(std::move(made));
  }
}

}  // namespace nearfork::tools
