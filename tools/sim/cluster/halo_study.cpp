#include "tools/sim/cluster/halo_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
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

/// The time of an iteration of so many rows on one node, by policy.
class rank_times {
 public:
  rank_times(const halo_request& asked, std::uint64_t columns, const campaign_watcher& watch,
             const campaign_stop& stops)
      : asked_(asked), columns_(columns), watch_(watch), stops_(stops) {}

  /// Empty: interrupted.
  const std::map<std::string, double>& of(std::uint64_t rows) {
    const auto [found, is_new] = known_.try_emplace(rows);
    if (is_new) found->second = simulate(rows);
    return found->second;
  }

 private:
  [[nodiscard]] std::map<std::string, double> simulate(std::uint64_t rows) const {
    sim_request request;
    request.subject = "heat";
    request.size = fmt::format("rows={},columns={},iterations={}", rows + borders, columns_, asked_.iterations);
    request.iterations = asked_.iterations;
    request.machines = {asked_.cluster.node};
    request.policies = asked_.policies.empty() ? std::vector<std::string>{"random"} : asked_.policies;
    request.seed = asked_.seed;
    request.workers = asked_.workers;
    const sim_study study = study_from(request);
    std::map<std::string, double> times;
    for (const simulation_outcome& one :
         simulate_all(jobs_of(study), std::thread::hardware_concurrency(), watch_, stops_)) {
      if (one.run.interrupted) return {};
      times[one.policy] = summarize(one).per_iteration.time_ns;
    }
    return times;
  }

  const halo_request& asked_;
  std::uint64_t columns_;
  const campaign_watcher& watch_;
  const campaign_stop& stops_;
  std::map<std::uint64_t, std::map<std::string, double>> known_;
};

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

halo_results simulate_halo(const halo_request& asked, const campaign_watcher& watch, const campaign_stop& stops) {
  const grid_extent grid = extent_of(asked);
  const std::vector<std::uint32_t> counts = nodes_of(asked);
  for (const std::uint32_t nodes : counts) (void)rows_of_rank(asked, grid, nodes);  // before minutes of simulating
  halo_results made{.asked = asked, .rows = {}};
  rank_times times(made.asked, grid.columns, watch, stops);
  for (const std::uint32_t nodes : counts) {
    const std::uint64_t rows = rows_of_rank(asked, grid, nodes);
    const auto& by_policy = times.of(rows);
    made.interrupted = by_policy.empty();
    if (made.interrupted) break;
    for (const auto& [policy, ns] : by_policy) {
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

}  // namespace nearfork::tools
