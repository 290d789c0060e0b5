#include "runtime/regions/profile_assembly.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <nearfork/error.hpp>

namespace nearfork {
namespace {

using detail::iteration_log;
using detail::noted_misses;
using detail::noted_tasks;
using detail::work_piece;
using detail::worker_log;

/// Indexed by the task's number.
std::vector<std::uint64_t> missed_bytes_in(iteration_log& log) {
  std::vector<std::uint64_t> all(log.numbers_end());
  for (worker_log& one : log.logs())
    one.misses.for_each([&](const noted_misses& noted) { all[noted.task] += noted.bytes; });
  return all;
}

struct measured_tree {
  task_tree tree;
  std::vector<task_cost> own;  // by node
};

/// Builds the tree level by level, so that a task's node is found by counting. nullopt: the tree does not fit.
std::optional<measured_tree> tree_of(noted_tasks& noted, const profile_terms& terms) {
  noted.link();
  const std::vector<std::uint64_t> missed = missed_bytes_in(noted.log());
  measured_tree made{.tree = task_tree(terms.most_tasks), .own = {}};
  detail::waiting_tasks waiting;
  waiting.add(0, 1);
  while (!waiting.empty()) {
    const std::uint32_t task = waiting.take();
    const tree_node node{static_cast<std::uint32_t>(made.own.size())};
    std::int64_t ticks = 0;
    for (const work_piece& one : noted.pieces_of(task)) {
      ticks += one.ticks;
      if (one.branching == 0 || one.spawned) continue;
      if (made.tree.try_fork(node, one.branching) == no_node) return std::nullopt;
      waiting.add(one.first_child, one.branching);
    }
    const double time_ns = static_cast<double>(std::max<std::int64_t>(0, ticks)) * terms.ns_per_tick;
    made.own.push_back({.size_bytes = missed[task], .time_ns = static_cast<std::uint64_t>(time_ns)});
  }
  return made;
}

/// Why cache misses were not counted; empty: they were. Bytes that only some workers counted cannot compare the sizes
/// of tasks.
std::string why_not_counted(iteration_log& log, const std::vector<task_cost>& own) {
  for (const worker_log& one : log.logs())
    if (!one.misses_not_counted.empty()) return one.misses_not_counted;
  const bool any = std::ranges::any_of(own, [](task_cost one) { return one.size_bytes > 0; });
  return any ? "" : "the counters stayed at zero: does the hypervisor only show them?";
}

}  // namespace

std::optional<assembled_profile> assemble_profile(noted_tasks& noted, const profile_terms& terms) {
  iteration_log& log = noted.log();
  if (!log.all_ended()) throw error("tasks of a group outlived the iteration, which was recorded, too");
  if (log.lost()) throw error("no memory for the notes of its tasks");
  if (log.outgrown()) return std::nullopt;
  std::optional<measured_tree> measured = tree_of(noted, terms);
  if (!measured) return std::nullopt;
  std::string why_not = why_not_counted(log, measured->own);
  const bool counted = why_not.empty();
  profile made(std::move(measured->tree), counted ? cost_source::cache_misses : cost_source::time, terms.input_bytes);
  for (std::uint32_t i = 0; i < measured->own.size(); ++i) {
    task_cost own = measured->own[i];
    if (!counted) own.size_bytes = 0;
    made.record(tree_node{i}, own);
  }
  if (counted) made.complete();
  else made.take_bytes_from_shares();
  return assembled_profile{std::move(made), std::move(why_not)};
}

}  // namespace nearfork
