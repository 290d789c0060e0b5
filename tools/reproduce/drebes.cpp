#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "tools/reproduce/drebes_latency.hpp"
#include "tools/reproduce/drebes_migration.hpp"
#include "tools/reproduce/drebes_runs.hpp"
#include "tools/reproduce/drebes_tables.hpp"
#include "tools/reproduce/reproduction.hpp"

namespace nearfork::tools {
namespace {

constexpr std::string_view opteron = "opteron-6282";
constexpr std::string_view sgi = "sgi-uv2000";

std::vector<std::string> conditions(const std::vector<simulated_machine>& machines,
                                    const reproduction_settings& settings) {
  std::vector<std::string> made;
  for (const simulated_machine& one : machines) {
    made.push_back(fmt::format("machine: {} ({}), {} workers; {:.3g} ns per operation; seed {}", one.name,
                               one.what->summary(), one.what->cores().size(), one.speed.ns_per_operation,
                               settings.seed));
    made.insert(made.end(), one.assumed.begin(), one.assumed.end());
  }
  made.emplace_back("one line stands for 16, in caches, too; accesses of a task do not overlap, as in tables 1 and 2");
  made.emplace_back(
      "programs: table 3 of the paper, with its block sizes; blur-roberts has 2^15 x 2^15 elements on both machines; "
      "cholesky has tiles of 256 x 256");
  if (settings.extent == reproduction_extent::quick)
    made.emplace_back("quick: an eighth of the blocks, 12 steps of stencils instead of 60, and one machine");
  made.emplace_back("time: the whole program, with reading the initial and writing the final data");
  return made;
}

}  // namespace

reproduction reproduce_drebes(const simulated_machine& where, const reproduction_settings& settings) {
  std::vector<simulated_machine> machines{where};
  const bool is_papers = where.name == opteron;
  if (is_papers && settings.extent == reproduction_extent::full)
    machines.push_back(machine_to_simulate(std::string(sgi)));
  flow_runs runs;
  const double part = 1.0 / static_cast<double>(machines.size());
  for (std::size_t i = 0; i < machines.size(); ++i) {
    const auto blocks = machines[i].name == sgi ? drebes_machine::sgi : drebes_machine::opteron;
    std::ranges::move(
        run_flow_benchmarks(scaled_machine(machines[i]), blocks, settings, static_cast<double>(i) * part, part),
        std::back_inserter(runs));
  }
  const drebes_tables tables(runs);
  reproduction made{.paper = "Drebes et al.",
                    .conditions = conditions(machines, settings),
                    .tables = {tables.gains(), tables.locality(), tables.balancing(), tables.footprint()},
                    .verdicts = tables.verdicts(),
                    .pictures = tables.pictures()};
  if (is_papers) {
    made.tables.push_back(migration_table(scaled_machine(where)));
    made.verdicts.push_back(migration_verdict(made.tables.back()));
    made.tables.push_back(latency_table());
    made.verdicts.push_back(latency_verdict(made.tables.back()));
  }
  return made;
}

}  // namespace nearfork::tools
