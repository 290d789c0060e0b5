#include "tools/bench/problem_input.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include <nearfork/error.hpp>

#include "sim/machine/machine_model.hpp"
#include "sim/memory/pages/page_rooms.hpp"
#include "sim/programs/page_placing.hpp"
#include "tools/graph_files/graph_file.hpp"
#include "workloads/graphs/edge_list.hpp"
#include "workloads/memory.hpp"

namespace nearfork::tools {
namespace {

using workloads::workload;

/// Throws: nearfork::error if no workload that runs heeds the option.
void check_somebody_heeds(std::string_view option, bool workload::* heeds, const std::vector<sized_workload>& sized) {
  if (std::ranges::any_of(sized, [&](const sized_workload& one) { return one.what->*heeds; })) return;
  std::vector<std::string_view> names;
  for (const workload& one : workloads::all_workloads())
    if (one.*heeds) names.push_back(one.name);
  throw error(fmt::format("{}: no workload that runs heeds it; {} do", option, fmt::join(names, ", ")));
}

std::vector<node_weight> weights_of(const sim::page_placing& rule) {
  std::vector<node_weight> made;
  for (const sim::placing_node& one : rule.nodes) made.push_back({one.os_node, one.weight});
  return made;
}

/// Throws: nearfork::error if only the simulator has the rule.
placing placing_from(const std::string& text) {
  const sim::page_placing rule = sim::placing_called(text);
  using from = sim::placing_rule;
  switch (rule.how) {
    case from::first_write: break;  // no rule for placed memory
    case from::follow_plan: return placing::follow_plan();
    case from::interleaved:
      return rule.nodes.empty() ? placing::interleaved() : placing::interleaved_by_weights(weights_of(rule));
    case from::interleaved_by_bandwidth:
      if (rule.nodes.empty()) return placing::interleaved_by_bandwidth();
      break;
    case from::interleaved_by_weights: return placing::interleaved_by_weights(weights_of(rule));
    case from::by_bandwidth:
      if (rule.nodes.empty()) return placing::by_bandwidth();
      break;
    case from::by_capacity:
      if (rule.nodes.empty()) return placing::by_capacity();
      break;
    case from::by_weights: return placing::by_weights(weights_of(rule));
    case from::bound:
      if (rule.nodes.size() == 1) return placing::bound_to(rule.nodes.front().os_node);
      break;
    case from::hbm_only: return placing::hbm_only();
    case from::preferred: return placing::preferring(rule.nodes.front().os_node);
  }
  throw error(
      fmt::format("nearfork: --pages {}: only nearfork sim has that rule with these nodes; leave the nodes out, "
                  "or give them weights (by-weights, interleaved-by-weights), or bind to one node",
                  text));
}

workloads::array_rules arrays_from(const bench_request& request) {
  workloads::array_rules made;
  if (request.setup == "parallel") made.setup = workloads::array_setup::parallel;
  if (!request.pages.empty() && request.pages != "first-write")
    made.placed = memory_options{.where = placing_from(request.pages)};
  return made;
}

}  // namespace

workloads::instance_input input_from(const bench_request& request, const std::vector<sized_workload>& sized) {
  workloads::instance_input made{.seed = request.seed, .arrays = arrays_from(request), .graph = {}};
  if (!request.setup.empty()) check_somebody_heeds("--setup", &workload::takes_arrays, sized);
  if (!request.pages.empty()) check_somebody_heeds("--pages", &workload::takes_arrays, sized);
  if (request.graph.empty()) return made;
  check_somebody_heeds("--graph", &workload::takes_graph, sized);
  made.graph = read_graph_file(request.graph, workloads::available_memory());
  return made;
}

void check_pages(const bench_request& request, const machine& here) {
  if (!request.pages.empty()) sim::require_fit(sim::placing_called(request.pages), here, sim::model_of(here));
}

std::string problem_text(const sized_workload& one, const bench_request& request,
                         const workloads::instance_input& input) {
  std::string text = workloads::size_text(*one.what, one.size, input);
  if (input.graph && one.what->takes_graph) text += ", " + graph_text(*input.graph);
  if (!request.setup.empty() && one.what->takes_arrays) text += ", setup " + request.setup;
  if (!request.pages.empty() && one.what->takes_arrays) text += ", pages " + request.pages;
  return text;
}

}  // namespace nearfork::tools
