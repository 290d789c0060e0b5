#include <fmt/format.h>

#include <limits>
#include <memory>
#include <thread>

#include "base/output/standard_streams.hpp"
#include "tools/command.hpp"
#include "tools/options.hpp"
#include "tools/sim/formats.hpp"
#include "tools/sim/request.hpp"
#include "tools/terminal/progress_line.hpp"

namespace nearfork::tools {
namespace {

struct sim_arguments {
  sim_request request;
  bool json = false;
  bool explain = false;
};

void run_sim(const sim_arguments& arguments) {
  const sim_study study = study_from(arguments.request);
  expect_standard_output();
  const auto outcomes = [&] {
    progress_line line;
    return simulate_all(jobs_of(study), std::thread::hardware_concurrency(), [&](const campaign_progress& now) {
      line.show_sometimes(progress_text(now, line.elapsed_s()));
    });
  }();
  fmt::print("{}", arguments.json ? json_text(study, outcomes) : table_text(study, outcomes, arguments.explain));
}

constexpr const char* examples = R"(Examples:
  nearfork sim heat --machine 'package:4 [numa] l3:1(size=6MiB) l2:4(size=512KiB) core:1 pu:1'
  nearfork sim heat --size a-cab --machine opteron-8380 --machine epyc-7763 --policy all
  nearfork sim run.nfg --machine opteron-8380
  nearfork sim sor-ir --size rows=4096,columns=1024 --machine box.xml --policy random,laws --explain
  nearfork sim ge --size a-cab --iterations 200 --machine box.xml --workers 8 --seed 7 --json > ge.json

Nothing of the workload runs here: virtual workers walk its task tree, line by line, on a machine that need not exist.)";

}  // namespace

void add_sim(CLI::App& app) {
  auto* const command = app.add_subcommand(
      "sim", "What-if: a workload under several policies on machines that you need not have, simulated");
  const auto arguments = std::make_shared<sim_arguments>();
  sim_request& request = arguments->request;
  command->add_option("subject", request.subject, "A workload (a wrong name lists them), or a recording: FILE.nfg")
      ->required();
  command->add_option("--region", request.region,
                      "Of a recording: the region to simulate; that with the most work if not given");
  command->add_option("--size", request.size,
                      "Of a workload, as for bench: default, small, a-cab, laws, ... or FIELD=NUMBER,...");
  // A machine's synthetic description may contain a comma, so several machines are given by several options and not by
  // one list.
  command
      ->add_option("--machine", request.machines,
                   "A name, an lstopo XML file or a synthetic description; again for several")
      ->allow_extra_args(false);
  add_words(*command, "--policy", request.policies, "Policies, or all; random,acab,laws,auto if not given");
  add_number(*command, "--iterations", request.iterations, {1, most_simulated_iterations},
             "How many; as many as the size has, but 30 at most, if not given");
  add_number(*command, "--seed", request.seed, any_number, "Where the input and random victims start")
      ->capture_default_str();
  add_number(*command, "--workers", request.workers, {0, std::numeric_limits<std::uint32_t>::max()},
             "Virtual workers; 0: as many as each machine grants")
      ->capture_default_str();
  auto* const json = command->add_flag("--json", arguments->json, "Print JSON, every iteration included");
  command->add_flag("--explain", arguments->explain, "Say why each plan is as it is")->excludes(json);
  command->footer(examples);
  command->callback([arguments] { run_sim(*arguments); });
}

}  // namespace nearfork::tools
