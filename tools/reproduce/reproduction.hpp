// The papers' experiments on a simulated machine: the runs, and the tables and charts made of them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/output/result_store.hpp"
#include "tools/output/result_table.hpp"
#include "tools/output/svg_chart.hpp"
#include "tools/sim/campaign.hpp"
#include "tools/sim/results/summary.hpp"
#include "tools/sim/simulated_machine.hpp"

namespace nearfork::tools {

/// A full reproduction takes some minutes. A quick one has smaller inputs, which are not the papers', and fewer
/// iterations, and says so. Measured at 2.1 GHz, with asserts: 8 s of one core for a-cab, 17 s for
/// laws, 55 s for drebes.
enum class reproduction_extent : std::uint8_t { full, quick };

struct reproduction_settings {
  reproduction_extent extent = reproduction_extent::full;
  std::uint64_t seed = 1;
  unsigned threads = 1;
  campaign_watcher watch{};
  result_store* kept = nullptr;  // what it has is not simulated again
};

/// One of the paper's programs, as `nearfork sim` would get it.
struct experiment {
  std::string workload;
  std::string size;
  std::uint64_t calls = 0;  // 0: the iterations of the size
  /// A steady program's iterations need not all be simulated: once the region's search is over, this many more are
  /// enough, and the others count as their mean. 0: simulate all.
  std::size_t steady_iterations = 0;
  /// Of programs that are filled by tasks; one thread writes the data of others.
  sim::setup_kind setup = sim::setup_kind::cilk;
  std::string pages{};  // by which rule pages get their nodes, as --pages; empty: beside the first writer
};

struct experiment_run {
  std::string benchmark{};  // name of the workload
  std::string policy{};
  simulation_summary summary;
  std::vector<double> iteration_ns;                 // the simulated ones
  plan_explanation why;                             // of the last plan
  std::vector<std::uint64_t> last_traffic_of_node;  // in bytes, of the last simulated iteration
};
using experiment_runs = std::vector<experiment_run>;

/// By experiment, then by policy.
[[nodiscard]] experiment_runs run_experiments(const simulated_machine& where, const std::vector<experiment>& what,
                                              const std::vector<std::string>& policies,
                                              const reproduction_settings& settings);

/// nullptr: there is no such run.
[[nodiscard]] const experiment_run* find_run(const experiment_runs& runs, const std::string& benchmark,
                                             const std::string& policy);
/// Throws: nearfork::error if there is no such run.
[[nodiscard]] const experiment_run& run_of(const experiment_runs& runs, const std::string& benchmark,
                                           const std::string& policy);
/// How much less time than random takes, in percent.
[[nodiscard]] double gain_of(const experiment_runs& runs, const std::string& benchmark, const std::string& policy);
/// The largest standard error that comes from iterations that were not simulated, in percent of the total time.
[[nodiscard]] double greatest_extrapolation_error(const experiment_runs& runs);

struct named_picture {
  std::string file;  // without folder
  std::string svg;
};

struct reproduction {
  std::string paper;
  std::vector<std::string> conditions;  // one line each
  std::vector<result_table> tables;
  std::vector<std::string> verdicts;  // what holds and what does not, one line each
  std::vector<named_picture> pictures;
};

[[nodiscard]] reproduction reproduce_acab(const simulated_machine& where, const reproduction_settings& settings);
[[nodiscard]] reproduction reproduce_laws(const simulated_machine& where, const reproduction_settings& settings);
[[nodiscard]] reproduction reproduce_saws(const simulated_machine& where, const reproduction_settings& settings);
[[nodiscard]] reproduction reproduce_bats(const simulated_machine& where, const reproduction_settings& settings);
[[nodiscard]] reproduction reproduce_drebes(const simulated_machine& where, const reproduction_settings& settings);

[[nodiscard]] std::string text_of(const reproduction& made);
[[nodiscard]] std::string markdown_of(const reproduction& made);
[[nodiscard]] std::string json_text_of(const reproduction& made);
/// The tables alone, as csv_of() has them.
[[nodiscard]] std::string csv_text_of(const reproduction& made);

}  // namespace nearfork::tools
