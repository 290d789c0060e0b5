// The results of a simulated halo exchange as a table, as JSON and as CSV.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text/message_text.hpp"
#include "tools/output/csv.hpp"
#include "tools/output/json_dump.hpp"
#include "tools/output/result_table.hpp"
#include "tools/sim/cluster/halo_study.hpp"
#include "tools/terminal/text_chart.hpp"

namespace nearfork::tools {
namespace {

double link_latency_ns(const halo_results& of) {
  return static_cast<double>(of.asked.cluster.link.latency_ps) / 1000;
}

const char* name_of(cluster_scaling scaling) {
  return scaling == cluster_scaling::strong ? "strong" : "weak";
}

/// How much more is computed in the same time than on as many nodes as are listed first, under the same policy.
double speedup(const halo_results& of, const halo_row& row, double halo_row::* time) {
  const auto first = std::ranges::find(of.rows, row.policy, &halo_row::policy);
  const double more_rows =
      of.asked.scaling == cluster_scaling::weak ? static_cast<double>(row.nodes) / first->nodes : 1;
  return more_rows * (*first).*time / (row.*time);
}

std::vector<std::string> notes_of(const halo_results& of) {
  std::vector<std::string> notes{
      fmt::format("All of it is simulated: {} x {}, each behind a link of {:g} GB/s and {:g} us to a switch with full "
                  "bisection; {} iterations.",
                  of.asked.cluster.nodes, of.asked.cluster.node, of.asked.cluster.link.bytes_per_ns,
                  link_latency_ns(of) / 1000, of.asked.iterations),
      "A rank on each node computes a block of rows, simulated line by line once for all ranks that have as many; the "
      "largest block stands for all. Its first and last row take their part of an iteration's time, and need a row "
      "from "
      "each neighbour.",
      "blocking: a rank computes nothing until its messages are there. suspended: it computes the inside meanwhile. "
      "What messages take of a node's own memory bandwidth is not simulated."};
  notes.insert(notes.end(), of.assumed.begin(), of.assumed.end());
  if (of.interrupted) notes.emplace_back("Interrupted: what was done by then.");
  return notes;
}

result_table table_of(const halo_results& of) {
  result_table table{.id = "heat-mpi",
                     .title = fmt::format("heat-mpi, {} scaling, simulated", name_of(of.asked.scaling)),
                     .notes = notes_of(of),
                     .columns = {{"nodes", 0},
                                 {"policy"},
                                 {"rows of a rank", 0},
                                 {"computing us"},
                                 {"blocking us"},
                                 {"speed-up", 2},
                                 {"suspended us"},
                                 {"speed-up ", 2}}};
  for (const halo_row& row : of.rows)
    table.rows.push_back({static_cast<double>(row.nodes), row.policy, static_cast<double>(row.rows),
                          row.computing_ns / 1000, row.blocking_ns / 1000, speedup(of, row, &halo_row::blocking_ns),
                          row.suspended_ns / 1000, speedup(of, row, &halo_row::suspended_ns)});
  return table;
}

}  // namespace

std::string halo_text(const halo_results& of) {
  return text_of(table_of(of));
}

std::string halo_chart(const halo_results& of) {
  constexpr std::size_t columns = 60;
  std::vector<std::string> policies;
  for (const halo_row& row : of.rows)
    if (std::ranges::find(policies, row.policy) == policies.end()) policies.push_back(row.policy);
  std::string text;
  for (const std::string& policy : policies) {
    std::vector<text_bar> bars;
    for (const halo_row& row : of.rows) {
      if (row.policy != policy) continue;
      const double ideal =
          static_cast<double>(row.nodes) / std::ranges::find(of.rows, policy, &halo_row::policy)->nodes;
      const auto add = [&](const char* how, double halo_row::* time) {
        const double part = speedup(of, row, time) / ideal;
        bars.push_back(
            {fmt::format("{}, {}", counted(row.nodes, "node"), how), part, fmt::format("{:.0f}%", 100 * part)});
      };
      add("blocking", &halo_row::blocking_ns);
      add("suspended", &halo_row::suspended_ns);
    }
    text += fmt::format("  {} scaling under {}, simulated: speed-up as a part of the ideal one\n",
                        name_of(of.asked.scaling), policy);
    text += bars_text(bars, columns, chart_characters_here());
  }
  return text;
}

std::string halo_json(const halo_results& of) {
  auto rows = nlohmann::json::array();
  for (const halo_row& row : of.rows)
    rows.push_back({{"nodes", row.nodes},
                    {"policy", row.policy},
                    {"rows_of_rank", row.rows},
                    {"message_bytes", row.message_bytes},
                    {"computing_ns", row.computing_ns},
                    {"border_ns", row.border_ns},
                    {"blocking_ns", row.blocking_ns},
                    {"suspended_ns", row.suspended_ns},
                    {"blocking_speedup", speedup(of, row, &halo_row::blocking_ns)},
                    {"suspended_speedup", speedup(of, row, &halo_row::suspended_ns)}});
  nlohmann::json made(
      {{"version", 1},
       {"simulated", true},
       {"program", "heat-mpi"},
       {"machine", of.asked.cluster.node},
       {"most_nodes", of.asked.cluster.nodes},
       {"link", {{"gb_per_s", of.asked.cluster.link.bytes_per_ns}, {"latency_ns", link_latency_ns(of)}}},
       {"scaling", name_of(of.asked.scaling)},
       {"iterations", of.asked.iterations},
       {"seed", of.asked.seed},
       {"interrupted", of.interrupted},
       {"results", rows}});
  if (!of.assumed.empty()) made["assumed"] = of.assumed;
  return dumped(made);
}

std::string halo_csv(const halo_results& of) {
  std::string text = csv_line({"nodes", "policy", "rows_of_rank", "message_bytes", "simulated_computing_ns",
                               "simulated_border_ns", "simulated_blocking_ns", "simulated_suspended_ns"});
  for (const halo_row& row : of.rows)
    text += csv_line({fmt::format("{}", row.nodes), row.policy, fmt::format("{}", row.rows),
                      fmt::format("{}", row.message_bytes), fmt::format("{}", row.computing_ns),
                      fmt::format("{}", row.border_ns), fmt::format("{}", row.blocking_ns),
                      fmt::format("{}", row.suspended_ns)});
  return text;
}

}  // namespace nearfork::tools
