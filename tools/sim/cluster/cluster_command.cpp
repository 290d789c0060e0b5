#include "tools/sim/cluster/cluster_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <thread>

#include <nearfork/error.hpp>

#include "base/output/standard_streams.hpp"
#include "tools/command.hpp"
#include "tools/options.hpp"
#include "tools/sim/cluster/halo_study.hpp"
#include "tools/sim/ranks/shared_campaign.hpp"
#include "tools/terminal/interrupt.hpp"
#include "tools/terminal/progress_line.hpp"

namespace nearfork::tools {
namespace {

constexpr std::string_view halo_program = "heat-mpi";
constexpr std::uint64_t usual_halo_iterations = 30;
constexpr double soon_simulated_s = 1;

constexpr std::array<std::string_view, 12> known_options{"subject", "--size",    "--machine",    "--policy",
                                                         "--seed",  "--workers", "--nodes",      "--scaling",
                                                         "--json",  "--csv",     "--iterations", "--chart"};

halo_request halo_request_from(const sim_request& request, const cluster_options& options) {
  if (request.machines.size() != 1)
    throw error(fmt::format("nearfork: {} needs one --machine, a cluster such as {}", halo_program, cluster_form));
  return {.cluster = cluster_from(request.machines.front()),
          .scaling = options.scaling == "weak" ? cluster_scaling::weak : cluster_scaling::strong,
          .nodes = options.nodes,
          .size = request.size,
          .policies = request.policies,
          .iterations = request.iterations.value_or(usual_halo_iterations),
          .seed = request.seed,
          .workers = request.workers};
}

}  // namespace

void add_cluster_options(CLI::App& to, cluster_options& into) {
  add_numbers(to, "--nodes", into.nodes, {1, most_cluster_nodes},
              "Of a cluster: how many nodes to simulate; powers of two and all if not given");
  to.add_option("--scaling", into.scaling,
                "Of a cluster: strong: all nodes share the rows of the size; weak: each has as many; strong if not "
                "given")
      ->check(one_of({"strong", "weak"}));
}

bool is_cluster_program(std::string_view subject) noexcept {
  return subject == halo_program;
}

void refuse_cluster_options(const std::string& subject, const cluster_options& options) {
  if (options.nodes.empty() && options.scaling.empty()) return;
  throw error(fmt::format("nearfork: {} is for {} on a cluster, not for {}",
                          options.nodes.empty() ? "--scaling" : "--nodes", halo_program, subject));
}

void run_cluster(const CLI::App& command, const sim_request& request, const cluster_options& options,
                 output_form form) {
  const bool charted = command.get_option("--chart")->count() > 0;
  for (const CLI::Option* const one : command.get_options())
    if (one->count() > 0 && std::ranges::find(known_options, one->get_name()) == known_options.end())
      throw error(fmt::format("nearfork: {} on a cluster knows no {}", halo_program, one->get_name()));
  expect_standard_output();
  const halo_request asked = halo_request_from(request, options);
  const auto ranks = exchange_among_ranks();
  const bool prints = !ranks || ranks->rank() == 0;
  const halo_results results = [&] {
    progress_line line;
    const interrupt_watch watch;
    const auto show = [&](const campaign_progress& now) {
      if (const double elapsed_s = line.elapsed_s(); prints && elapsed_s >= soon_simulated_s)
        line.show_sometimes(progress_text(now, elapsed_s));
    };
    return simulate_halo(asked, [&](const std::vector<simulation_job>& jobs) {
      return simulate_among(ranks.get(), jobs, std::thread::hardware_concurrency(), show,
                            [&] { return watch.interrupted(); });
    });
  }();
  if (!prints) return;
  fmt::print("{}", form == output_form::json  ? halo_json(results)
                   : form == output_form::csv ? halo_csv(results)
                                              : halo_text(results));
  if (charted) fmt::print("\n{}", halo_chart(results));
  if (!results.interrupted) return;
  flush_standard_output();
  throw exit_with{exit_code::interrupted};
}

}  // namespace nearfork::tools
