#include "tools/sim/cluster/halo_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <thread>
#include <utility>

#include <nearfork/error.hpp>

#include "tools/sim/request.hpp"
#include "tools/sim/results/summary.hpp"
#include "tools/workload_words.hpp"
#include "workloads/workload.hpp"

namespace nearfork::tools {
namespace {

constexpr std::uint64_t borders = 2;     // rows of a grid that are never computed; rows of a rank that need messages
constexpr std::uint64_t least_rows = 3;  // of a rank: two borders and something inside

struct grid_extent {
  std::uint64_t rows;  // that are computed
  std::uint64_t columns;
};

grid_extent extent_of(const halo_request& asked) {
  const workloads::workload& heat = workloads::find_workload("heat");
  const auto size = size_of_workload(heat.name, heat.sizes, asked.size);
  return {size.at(0) - borders, size.at(1)};
}

std::vector<std::uint32_t> nodes_of(const halo_request& asked) {
  const std::uint32_t most = asked.cluster.nodes;
  std::vector<std::uint32_t> made = asked.nodes;
  for (const std::uint32_t one : made)
    if (one < 1 || one > most)
      throw error(fmt::format("nearfork: --nodes {}, but the cluster has 1 to {} nodes", one, most));
  if (!made.empty()) return made;
  for (std::uint32_t one = 1; one < most; one *= 2) made.push_back(one);
  made.push_back(most);
  return made;
}

std::uint64_t rows_of_rank(const halo_request& asked, const grid_extent& grid, std::uint32_t nodes) {
  const bool strong = asked.scaling == cluster_scaling::strong;
  if ((strong ? grid.rows / nodes : grid.rows) < least_rows)
    throw error(
        fmt::format("nearfork: {} rows are too few for {} nodes, each of which needs {}; take fewer --nodes, "
                    "a larger --size or --scaling weak",
                    grid.rows, nodes, least_rows));
  return strong ? (grid.rows + nodes - 1) / nodes : grid.rows;
}

sim_request request_of_rank(const halo_request& asked, std::uint64_t rows, std::uint64_t columns) {
  sim_request request;
  request.subject = "heat";
  request.size = fmt::format("rows={},columns={},iterations={}", rows + borders, columns, asked.iterations);
  request.iterations = asked.iterations;
  request.machines = {asked.cluster.node};
  request.policies = asked.policies.empty() ? std::vector<std::string>{"random"} : asked.policies;
  request.seed = asked.seed;
  request.workers = asked.workers;
  return request;
}

/// The time of an iteration on one node, by its rows, then by policy.
using times_by_rows = std::map<std::uint64_t, std::map<std::string, double>>;

/// All of them at once, for as many threads and ranks as there are. Rows of an interrupted simulation are missing.
times_by_rows simulate_ranks(const halo_request& asked, const std::set<std::uint64_t>& rows, std::uint64_t columns,
                             const campaign_runner& run) {
  std::vector<std::pair<std::uint64_t, sim_study>> studies;
  for (const std::uint64_t one : rows) studies.emplace_back(one, study_from(request_of_rank(asked, one, columns)));
  std::vector<simulation_job> jobs;
  std::vector<std::uint64_t> rows_of_job;
  for (const auto& [of, study] : studies)
    for (simulation_job& job : jobs_of(study)) {
      jobs.push_back(std::move(job));
      rows_of_job.push_back(of);
    }
  const std::vector<simulation_outcome> outcomes = run(jobs);
  times_by_rows made;
  std::set<std::uint64_t> cut_short;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].run.interrupted) cut_short.insert(rows_of_job[i]);
    else made[rows_of_job[i]][outcomes[i].policy] = summarize(outcomes[i]).per_iteration.time_ns;
  }
  for (const std::uint64_t one : cut_short) made.erase(one);
  return made;
}

double iteration_ns(const halo_row& row, const halo_request& asked, sim::message_waits how) {
  const auto ps = [](double ns) { return static_cast<std::uint64_t>(ns * 1000); };
  const auto iterations = static_cast<std::uint32_t>(asked.iterations);
  const sim::halo_report seen = sim::run_halo({.ranks = row.nodes,
                                               .iterations = iterations,
                                               .inside_ps = ps(row.computing_ns - row.border_ns),
                                               .border_ps = ps(row.border_ns),
                                               .message_bytes = row.message_bytes},
                                              asked.cluster.link, how);
  return static_cast<double>(seen.duration_ps) / 1000 / iterations;
}

}  // namespace

halo_results simulate_halo(const halo_request& asked, const campaign_runner& run) {
  const grid_extent grid = extent_of(asked);
  const std::vector<std::uint32_t> counts = nodes_of(asked);
  std::set<std::uint64_t> different;
  for (const std::uint32_t nodes : counts) different.insert(rows_of_rank(asked, grid, nodes));
  halo_results made{.asked = asked, .rows = {}, .assumed = machine_to_simulate(asked.cluster.node).assumed};
  const times_by_rows times = simulate_ranks(asked, different, grid.columns, run);
  for (const std::uint32_t nodes : counts) {
    const std::uint64_t rows = rows_of_rank(asked, grid, nodes);
    const auto by_policy = times.find(rows);
    made.interrupted = by_policy == times.end();
    if (made.interrupted) break;
    for (const auto& [policy, ns] : by_policy->second) {
      halo_row row{.nodes = nodes, .policy = policy, .rows = rows, .computing_ns = ns};
      row.border_ns = ns * static_cast<double>(borders) / static_cast<double>(rows);
      row.message_bytes = grid.columns * sizeof(double);
      row.blocking_ns = iteration_ns(row, asked, sim::message_waits::blocking);
      row.suspended_ns = iteration_ns(row, asked, sim::message_waits::suspended);
      made.rows.push_back(std::move(row));
    }
  }
  return made;
}

halo_results simulate_halo(const halo_request& asked, const campaign_watcher& watch, const campaign_stop& stops) {
  return simulate_halo(asked, [&](const std::vector<simulation_job>& jobs) {
    return simulate_all(jobs, std::thread::hardware_concurrency(), watch, stops);
  });
}

}  // namespace nearfork::tools
