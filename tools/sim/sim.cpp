#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <nearfork/error.hpp>

#include "base/output/output_file.hpp"
#include "base/output/standard_streams.hpp"
#include "tools/command.hpp"
#include "tools/options.hpp"
#include "tools/output/kept_files.hpp"
#include "tools/report/page_output.hpp"
#include "tools/sim/cluster/cluster_command.hpp"
#include "tools/sim/formats.hpp"
#include "tools/sim/memory_waits.hpp"
#include "tools/sim/ranks/shared_campaign.hpp"
#include "tools/sim/request.hpp"
#include "tools/sim/scale.hpp"
#include "tools/sim/what_if.hpp"
#include "tools/terminal/colours.hpp"
#include "tools/terminal/interrupt.hpp"
#include "tools/terminal/progress_line.hpp"
#include "tools/terminal/unmeasured_work.hpp"
#include "trace/perfetto_trace.hpp"

namespace nearfork::tools {
namespace {

constexpr std::uint64_t most_seeds = 1000;

struct sim_arguments {
  sim_request request;
  cluster_options cluster;
  std::uint64_t seeds = 0;
  std::vector<std::uint32_t> sweep;
  std::string goal;
  bool json = false;
  bool csv = false;
  bool chart = false;
  bool explain = false;
  std::string trace{};            // a file; empty: none
  std::uint32_t trace_tasks = 0;  // as simulation_job::trace_tasks
  std::string html;
};

/// Shorter work needs no progress line.
constexpr double soon_done_s = 1;

/// Of all workers of a simulation together, whose events take 32 bytes each.
constexpr std::size_t most_traced_events = std::size_t{1} << 22;

std::vector<simulation_job> jobs_asked(const sim_study& study, const sim_arguments& arguments) {
  std::vector<simulation_job> jobs = jobs_of(study);
  if (!arguments.trace.empty())
    for (simulation_job& one : jobs) {
      one.most_events =
          most_traced_events / std::max<std::size_t>(one.workers != 0 ? one.workers : one.where->what->pus().size(), 1);
      one.trace_tasks = arguments.trace_tasks;
    }
  for (const simulation_job& one : further_jobs_of(study)) jobs.push_back(one);
  return jobs;
}

std::vector<simulation_outcome> simulate_jobs(sim_study& study, const sim_arguments& arguments, rank_exchange* ranks,
                                              const interrupt_watch& interrupts, const campaign_watcher& show) {
  const auto stops = [&] { return interrupts.interrupted(); };
  take_memory_waits_out(study, show, stops);
  return simulate_among(ranks, jobs_asked(study, arguments), std::thread::hardware_concurrency(), show, stops);
}

study_results simulated(sim_study& study, const sim_arguments& arguments, rank_exchange* ranks,
                        const interrupt_watch& interrupts) {
  progress_line line;
  const auto show = [&](const campaign_progress& now) {
    const double elapsed_s = line.elapsed_s();
    if (elapsed_s >= soon_done_s) line.show_sometimes(progress_text(now, elapsed_s));
  };
  std::vector<simulation_outcome> outcomes = simulate_jobs(study, arguments, ranks, interrupts, show);
  return results_of(study, jobs_of(study).size(), std::move(outcomes));
}

/// One after the other, as processes of one trace.
std::string trace_of(const study_results& results) {
  std::string bytes;
  std::uint32_t part = 0;
  for (const simulation_outcome& one : results.outcomes) {
    traces::traced_run run = one.traced;
    run.process = ++part;
    bytes += traces::perfetto_trace(run, part);
  }
  return bytes;
}

sim_request request_from(const sim_arguments& arguments) {
  sim_request request = arguments.request;
  if (arguments.seeds != 0) request.seeds = arguments.seeds;
  const auto goal = std::ranges::find(goal_names, std::string_view(arguments.goal));
  if (goal != std::end(goal_names)) request.goal = static_cast<run_goal>(goal - std::begin(goal_names));
  if (!arguments.sweep.empty()) request.sweep = arguments.sweep;
  return request;
}

/// A workload's tasks may be many, and how long each computes is found by doing it.
sim_study prepared_study(const sim_arguments& arguments, const interrupt_watch& interrupts) {
  const unmeasured_work now("preparing " + arguments.request.subject, interrupts,
                            static_cast<int>(exit_code::interrupted));
  return study_from(request_from(arguments));
}

std::vector<std::string> files_read(const sim_request& request) {
  std::vector<std::string> made = request.further;
  made.push_back(request.graph);
  if (is_recording(request.subject)) made.push_back(request.subject);
  return made;
}

struct sim_files {
  std::unique_ptr<output_file> trace;
  std::optional<page_output> page;
};

/// Throws: nearfork::error also if they would replace each other or what is read.
sim_files files_to_write(const sim_arguments& arguments) {
  sim_files made;
  const auto check = [&](const output_file& output, std::string_view option) {
    keep_files(output, option, files_read(arguments.request));
    keep_machines(output, option, arguments.request.machines);
  };
  if (!arguments.trace.empty()) {
    made.trace = std::make_unique<output_file>(arguments.trace, "flag --trace");
    check(*made.trace, "flag --trace");
  }
  if (arguments.html.empty()) return made;
  made.page.emplace(arguments.html);
  check(made.page->file(), "flag --html");
  if (made.trace != nullptr && made.trace->replaces(arguments.html))
    throw error("nearfork: flag --trace and flag --html name one file, " + arguments.html + "; name two files");
  return made;
}

void run_sim(const CLI::App& command, const sim_arguments& arguments) {
  if (is_cluster_program(arguments.request.subject))
    return run_cluster(command, arguments.request, arguments.cluster,
                       arguments.json  ? output_form::json
                       : arguments.csv ? output_form::csv
                                       : output_form::text);
  refuse_cluster_options(arguments.request.subject, arguments.cluster);
  expect_standard_output();
  const auto [trace, page] = files_to_write(arguments);
  std::optional<interrupt_watch> interrupts(std::in_place);
  sim_study study = prepared_study(arguments, *interrupts);
  const auto ranks = exchange_among_ranks();
  if (ranks && ranks->rank() != 0) return (void)simulate_jobs(study, arguments, ranks.get(), *interrupts, {});
  const study_results results = simulated(study, arguments, ranks.get(), *interrupts);  // rank 0 prints
  interrupts.reset();
  // A launcher gives ranks a terminal of its own, whatever it writes to.
  const bool coloured = !ranks && stdout_has_colours();
  if (arguments.json) fmt::print("{}", json_text(study, results));
  else if (arguments.csv) fmt::print("{}", csv_text(study, results));
  else
    fmt::print("{}", table_text(study, results,
                                {.explain = arguments.explain, .coloured = coloured, .charts = arguments.chart}));
  if (trace != nullptr) {
    trace->write(trace_of(results));
    tell(fmt::format("nearfork: traced to {}; ui.perfetto.dev shows it", arguments.trace));
  }
  if (page && results.answer) page->write(json_text(study, results), "nearfork sim " + study.subject);
  if (results.answer) return;
  flush_standard_output();
  tell("nearfork: interrupted; the results are those of the simulations that were done" +
       (page ? "; " + arguments.html + " is not written" : ""));
  throw exit_with{exit_code::interrupted};
}

constexpr const char* sim_examples = R"(Examples:
  nearfork sim heat --machine 'package:4 [numa] l3:1(size=6MiB) l2:4(size=512KiB) core:1 pu:1'
  nearfork sim heat --size a-cab --machine opteron-8380 --machine epyc-7763 --policy all
  nearfork sim heat --size laws --machine opteron-8380 --setup cilk --never-park   # as the papers' programs
  nearfork sim g.nfg                                       # a recording: on this machine
  nearfork sim g.nfg g-2.nfg g-3.nfg --machine epyc-9654   # several recordings of one program: how far they lie apart
  nearfork sim g.nfg --machine opteron-8380 --seeds 9 --sweep 1,4,16
  nearfork sim heat --machine xeon-phi-7210 --pages by-bandwidth --node-capacity 4=64M,5=64M,6=64M,7=64M
  nearfork sim heat --size rows=4096,columns=2048 --machine alder-lake --policy auto --goal energy
  nearfork sim sor-ir --size rows=4096,columns=1024 --machine box.xml --policy random,laws --explain
  nearfork sim ge --size a-cab --iterations 200 --machine box.xml --workers 8 --seed 7 --json > ge.json
  nearfork sim heat --size rows=131072,columns=65536 --scale 1/16 \
    --machine 'package:64 [numa(memory=4GiB)] l3:1(size=16MiB) l2:16(size=512KiB) l1:1(size=32KiB) core:1 pu:1'
  nearfork sim heat-mpi --size rows=32768,columns=8192 --machine '1024 x epyc-7763, link 25 GB/s 1.5 us' --nodes 1,16,256,1024
  mpirun -n 8 nearfork sim heat --policy all --machine epyc-7763 --machine grace     # shared among 8 ranks
  nearfork sim heat-mpi --size small --machine '64 x grace, link 50 GB/s 900 ns' --scaling weak --json

Nothing of the workload runs here: virtual workers walk its task tree, line by line, on a machine that need not exist.
Ctrl-C prints the results of the simulations that are done, and ends with status 130.)";

}  // namespace

void add_sim(CLI::App& app) {
  auto* const command = app.add_subcommand(
      "sim", "What-if: a workload under several policies on machines that you need not have, simulated");
  const auto arguments = std::make_shared<sim_arguments>();
  sim_request& request = arguments->request;
  command
      ->add_option("subject", request.subject,
                   "A workload (a wrong name lists them), a recording: FILE.nfg, or heat-mpi, on a cluster")
      ->required();
  command->add_option("further", request.further,
                      "More recordings of the same program, as nearfork record --keep-all makes them");
  command->add_option(
      "--region", request.region,
      "The region of a recording that is simulated; if not given, the region with the most work in the run");
  command->add_option("--size", request.size,
                      "The size of a workload, as for bench: default, small, a-cab, laws, ... or FIELD=NUMBER,...");
  command->add_option("--graph", request.graph,
                      "A graph for a graph program, in place of a generated one: a Matrix Market file, or a list of "
                      "edges, two node ids a line");
  // A machine's synthetic description may contain a comma, so several machines are given by several options and not by
  // one list.
  command
      ->add_option("--machine", request.machines,
                   "A name, an lstopo XML file or a synthetic description; again for several. For heat-mpi a cluster: "
                   "'8 x MACHINE, link 25 GB/s 1.5 us'")
      ->allow_extra_args(false);
  add_words(*command, "--policy", request.policies,
            "Policies, or all; random,acab,laws,auto if not given. For a recorded region with dataflow tasks: random, "
            "push=none, push=input, and, usually if it has buffers, push=output, push=weighted");
  add_number(*command, "--iterations", request.iterations, {1, most_simulated_iterations},
             "How many; as many as the size has, but 30 at most, if not given");
  add_number(*command, "--seed", request.seed, any_number, "Where the input and random victims start")
      ->capture_default_str();
  add_number(*command, "--seeds", arguments->seeds, {1, most_seeds},
             "Simulate with that many seeds, from --seed on, and show the spread; 5 for a recording of up to 100,000 "
             "tasks, else 1, if not given");
  add_numbers(*command, "--sweep", arguments->sweep, {0, std::numeric_limits<std::uint32_t>::max()},
              "Numbers of workers to simulate, at most one for each core; 0: none. For a recording of up to 100,000 "
              "tasks powers of two, else none, if not given");
  add_number(*command, "--workers", request.workers, {0, std::numeric_limits<std::uint32_t>::max()},
             "Virtual workers; 0: as many as each machine grants")
      ->capture_default_str();
  command
      ->add_option("--setup", request.setup,
                   "What comes before the first iteration and is not timed: serial: one thread writes all data; "
                   "parallel: tasks like those of an iteration do; cilk: two such phases allocate the rows and write "
                   "one buffer, as in MIT Cilk's heat; quarters, interleaved: pages "
                   "lie so; recorded: the regions that ran before, of a recording; none: they find their nodes in the "
                   "first iteration; serial, which workloads do, for a workload, and for a recording recorded, if it "
                   "has such regions, if not given")
      ->check(one_of(sim::setup_names()));
  command->add_option(
      "--pages", request.pages,
      "By which rule pages get their memory nodes, by OS index, when they are written: " + sim::placing_forms() +
          "; first-write: beside the worker that writes first; follow-plan: where plans put the tasks, "
          "as with nearfork::array, and pages that lie elsewhere are moved; first-write for a workload, "
          "and as recorded for a recording, if not given");
  command->add_option("--node-capacity", request.node_capacity,
                      "How much memory nodes have: a size for all (4G), or sizes for some (0=4G,4=256M); pages that "
                      "find their node full go to the nearest with room; as the machine says, if not given");
  command
      ->add_option("--goal", arguments->goal,
                   "What clocks are chosen for. Other than time: clocks are managed, as by NEARFORK_POWER=manage, and "
                   "each region's iterations try lower ones. energy: least energy at no more than 3% more time; edp: "
                   "least product of both; time if not given")
      ->check(one_of({std::begin(goal_names), std::end(goal_names)}));
  command
      ->add_option(
          "--scale", request.scale,
          "Simulate large machines and inputs faster: with 1/16 a simulated line stands for 16, in data, caches and "
          "pages alike; times, bytes and counts are still those of the whole problem. docs/VALIDATION.md says "
          "how far results agree")
      ->check(one_of(scale_names()));
  add_cluster_options(*command, arguments->cluster);
  command->add_flag("--never-park", request.never_park,
                    "Workers without work search without end, as MIT Cilk's do, and are never woken");
  auto* const json = command->add_flag("--json", arguments->json, "Print JSON, every iteration included");
  auto* const csv =
      command->add_flag("--csv", arguments->csv, "Print one line per machine, policy, seed and number of workers")
          ->excludes(json);
  command->add_flag("--chart", arguments->chart, "Show bars and lines beside the tables")
      ->excludes(json)
      ->excludes(csv);
  auto* const trace = command->add_option(
      "--trace", arguments->trace,
      "Write what each virtual worker did, and when, to a file that ui.perfetto.dev opens; of each worker the "
      "last events, 4 million of a simulation");
  add_number(*command, "--trace-tasks", arguments->trace_tasks, {0, 1U << 20},
             "1: the trace has also each task that no other worker took; n: one of n. Dataflow tasks are all in it")
      ->needs(trace);
  command->add_flag("--explain", arguments->explain, "Say why each plan is as it is")->excludes(json)->excludes(csv);
  command->add_option("--html", arguments->html,
                      "Write a page with charts, too, as nearfork report makes it; a file is replaced");
  command->footer(sim_examples);
  command->callback([command, arguments] { run_sim(*command, *arguments); });
}

}  // namespace nearfork::tools
