// Compares last-level misses of the simulator with cachegrind's, for the same program, data and geometry, on one
// worker. scripts/validate_cachegrind.sh runs it.
//
//   cache_check run WORKLOAD SIZE ROUNDS          what cachegrind watches
//   cache_check compare L1_BYTES LL_BYTES WAYS    reads lines "WORKLOAD SIZE ROUNDS MISSES ROUNDS MISSES" from stdin
//                                                 (misses: cachegrind's for so many rounds), prints a table
//
// The compared number is the difference between two numbers of rounds, so that making the input does not count.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>

#include <nearfork/error.hpp>

#include "base/output/standard_streams.hpp"
#include "base/text/number_text.hpp"
#include "plan/plans/policy.hpp"
#include "sim/engine/region_run.hpp"
#include "tools/output/result_table.hpp"
#include "tools/sim/simulated_machine.hpp"
#include "tools/simulated/simulated_workload.hpp"
#include "tools/validation/cache_subject.hpp"
#include "tools/workload_words.hpp"

namespace {

using namespace nearfork;
using namespace nearfork::tools;

constexpr double aim_percent = 2;

struct counted {
  std::string workload;
  std::string size;
  std::uint64_t few_rounds = 0;
  double few_misses = 0;
  std::uint64_t many_rounds = 0;
  double many_misses = 0;
};

/// As the subject: mergesort's input is written anew in each round.
sim::program watched_program(const workloads::workload& what, const simulation_input& input) {
  sim::program made = simulated_program(what, input);
  if (what.name != "mergesort") return made;
  const sim::data_access keys{0, input.size.at(0) * 8, sim::access_kind::write};
  made.graphs.front().set_work(tree_root, 0, 0, {&keys, 1});
  return made;
}

double simulated_misses(const counted& one, const simulated_machine& where) {
  const workloads::workload& what = workloads::find_workload(one.workload);
  const auto program =
      watched_program(what, {.size = size_of_workload(what.name, what.sizes, one.size), .iterations = one.many_rounds});
  const auto policy = make_policy("random");
  sim::region_settings settings;
  settings.engine.model = where.model;
  settings.iterations = one.many_rounds;
  const sim::region_run run = sim::run_region(program, *where.what, *policy, settings);
  double misses = 0;
  for (std::uint64_t i = one.few_rounds; i < one.many_rounds; ++i)
    misses += static_cast<double>(run.iterations[i].memory.level[1].misses());
  return misses;
}

int compare(std::uint64_t l1_bytes, std::uint64_t ll_bytes, std::uint32_t ways) {
  simulated_machine where =
      machine_to_simulate(fmt::format("[numa] l3:1(size={}) l1d:1(size={}) core:1 pu:1", ll_bytes, l1_bytes));
  where.model.kinds.front().associativity = {ways};
  result_table table{.id = "cachegrind", .title = "Last-level misses on one worker, simulated and by cachegrind"};
  table.columns = {{"workload"}, {"size"}, {"rounds"}, {"cachegrind", 0}, {"simulated", 0}, {"error %", 2}};
  std::size_t within = 0;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream in(line);
    counted one;
    if (!(in >> one.workload >> one.size >> one.few_rounds >> one.few_misses >> one.many_rounds >> one.many_misses))
      throw error("cache_check: not a line of counts: " + line);
    const double measured = one.many_misses - one.few_misses;
    const double simulated = simulated_misses(one, where);
    const double off = measured == 0 ? 0 : 100 * (simulated / measured - 1);
    if (std::abs(off) <= aim_percent && measured > 0) ++within;
    table.rows.push_back({one.workload, one.size, fmt::format("{} to {}", one.few_rounds + 1, one.many_rounds),
                          measured, simulated, off});
  }
  if (table.rows.empty()) throw error("cache_check: no counts on stdin");
  table.notes.push_back(fmt::format("L1 {} KiB, last level {} KiB, {} ways, lines of 64 bytes. {} of {} within {}%.",
                                    l1_bytes >> 10, ll_bytes >> 10, ways, within, table.rows.size(), aim_percent));
  fmt::print("{}", markdown_of(table));
  flush_standard_output();
  return within == table.rows.size() ? EXIT_SUCCESS : 3;
}

constexpr std::uint64_t most_ways = 4096;

std::uint64_t number(const char* text, std::uint64_t most = any_number.most) {
  if (const auto value = parse_number(text, {0, most})) return *value;
  throw error(fmt::format("cache_check: bad value \"{}\"; allowed: 0 to {}", text, most));
}

}  // namespace

int main(int argc, char** argv) try {
  secure_standard_streams();
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "run" && argc == 5) {
    run_cache_subject(argv[2], argv[3], number(argv[4]));
    return EXIT_SUCCESS;
  }
  if (what == "compare" && argc == 5)
    return compare(number(argv[2]), number(argv[3]), static_cast<std::uint32_t>(number(argv[4], most_ways)));
  std::fputs("usage: cache_check run WORKLOAD SIZE ROUNDS | compare L1_BYTES LL_BYTES WAYS < counts\n", stderr);
  return 2;
} catch (const std::exception& failure) {
  std::fprintf(stderr, "%s\n", failure.what());
  return EXIT_FAILURE;
}
