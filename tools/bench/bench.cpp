#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>

#include <nearfork/config.hpp>
#include <nearfork/error.hpp>

#include "base/output/standard_streams.hpp"
#include "machine/model/machine.hpp"
#include "sim/programs/page_placing.hpp"
#include "tools/bench/conditions.hpp"
#include "tools/bench/crews.hpp"
#include "tools/bench/mpi/mpi_bench.hpp"
#include "tools/bench/problem_input.hpp"
#include "tools/bench/request.hpp"
#include "tools/bench/result.hpp"
#include "tools/bench/rounds.hpp"
#include "tools/bench/subjects.hpp"
#include "tools/command.hpp"
#include "tools/load/processor_use.hpp"
#include "tools/options.hpp"
#include "tools/output/kept_files.hpp"
#include "tools/report/page_output.hpp"
#include "tools/terminal/progress_line.hpp"
#include "workloads/contenders/contenders.hpp"
#include "workloads/memory.hpp"

namespace nearfork::tools {
namespace {

constexpr std::uint64_t most_workers = 4096;          // of the option workers, too
constexpr std::uint64_t most_iterations = 1'000'000;  // of every workload, too

constexpr unsigned most_ranks = 1024;

struct bench_arguments {
  bench_request request;
  mpi_request mpi;
  bool json = false;
  bool csv = false;
  bool chart = false;
  bool list = false;
  bool explain = false;
  std::string html;
};

std::vector<std::string> missing_contenders() {
  std::vector<std::string> missing;
  const auto of_heat = workloads::contenders_of("heat");
  for (const std::string_view name : workloads::contender_names())
    if (std::ranges::find(of_heat, name, &workloads::contender::name) == of_heat.end()) missing.emplace_back(name);
  return missing;
}

/// Who runs, as the conditions tell it.
struct runners {
  std::string planned_machine;  // empty: the machine itself
  std::string text;
  unsigned most_workers = 1;
  std::vector<std::string> missing_contenders;
};

bench_conditions conditions_of(const bench_request& request, const runners& who) {
  const auto here = live_machine();
  const auto governor = read_governor();
  return {
      .started = now_text(),
      .machine = here->summary() + (who.planned_machine.empty() ? "" : "; nearfork plans for " + who.planned_machine),
      .workers = who.text,
      .governor = governor.value_or("not known: the system shows no frequency control"),
      .compiler = compiler_text(),
      .build = build_text(),
      .seed = request.seed,
      .repetitions = request.repetitions,
      .warnings = condition_warnings({.governor = governor,
                                      .most_workers = who.most_workers,
                                      .cores = here->suggested_workers(),
                                      .trustworthy_build = is_trustworthy_build(),
                                      .missing_contenders = who.missing_contenders})};
}

bench_conditions conditions_of(const bench_request& request, const bench_crews& crews) {
  return conditions_of(request, {.planned_machine = crews.planned_machine(),
                                 .text = crews.workers_text(),
                                 .most_workers = crews.most_workers(),
                                 .missing_contenders = missing_contenders()});
}

workload_result run_one(const sized_workload& one, const bench_request& request, const workloads::instance_input& input,
                        const std::vector<bench_contender>& contenders) {
  const std::string name(one.what->name);
  progress_line progress;
  progress.show(name + ": making the input and the right answer");
  const auto problem = workloads::prepare(*one.what, one.size, input);
  const auto surroundings = real_surroundings(
      [&](const bench_progress& now) { progress.show(progress_text(name, now, progress.elapsed_s())); });
  workload_result result{.name = std::string(one.what->name),
                         .description = std::string(one.what->description),
                         .size = problem_text(one, request, input),
                         .bytes = one.what->bytes(one.size, input)};
  const load_watch others;
  result.contenders = run_rounds(*problem, contenders, {request.repetitions, request.seed}, surroundings);
  result.cores_used_by_others = others.used_by_others();
  return result;
}

/// Checks the whole request before anything runs.
void run_bench(const bench_arguments& arguments) {
  const bench_request& request = arguments.request;
  refuse_mpi_programs(request);
  const auto sized = sized_workloads(request);
  check_contenders(request);
  const workloads::instance_input input = input_from(request, sized);
  check_pages(request, *live_machine());
  for (const sized_workload& one : sized)
    workloads::check_memory(*one.what, one.size, input, workloads::available_memory());
  expect_standard_output();
  std::optional<page_output> page;
  if (!arguments.html.empty()) {
    page.emplace(arguments.html);
    keep_files(page->file(), "flag --html", {request.graph});
  }
  const bench_crews crews(runtime_settings(request, config::from_environment()));
  std::vector<std::vector<bench_contender>> contenders;
  for (const sized_workload& one : sized) contenders.push_back(crews.contenders_for(one.what->name, request));

  const bool as_table = !arguments.json && !arguments.csv;
  bench_result result{.conditions = conditions_of(request, crews), .workloads = {}};
  if (as_table) fmt::print("{}", conditions_text(result.conditions));
  for (std::size_t i = 0; i < sized.size(); ++i) {
    result.workloads.push_back(run_one(sized[i], request, input, contenders[i]));
    if (as_table) fmt::print("\n{}", table_text(result.workloads.back()));
    if (arguments.chart) fmt::print("\n{}", chart_text(result.workloads.back()));
    if (arguments.explain) fmt::print(as_table ? stdout : stderr, "\n{}", crews.explanation_of(sized[i].what->name));
    flush_standard_output();
  }
  if (as_table)
    fmt::print("\n{}",
               "+-: median deviation from the median. x serial, x first: times as fast as serial and as the "
               "first\ncontender below it; more is faster.\n");
  if (arguments.json) fmt::print("{}", json_text(result));
  if (arguments.csv) fmt::print("{}", csv_text(result));
  if (page) page->write(json_text(result), "nearfork bench");
  if (!any_wrong(result)) return;
  tell("nearfork: there were wrong answers");
  throw exit_with{exit_code::wrong_answer};
}

bench_conditions mpi_conditions(const bench_request& request, const mpi_here& mpi, unsigned workers) {
  return conditions_of(request,
                       {.planned_machine = {},
                        .text = fmt::format("ranks of {} ({}) with threads as named", mpi_version(mpi), mpi.launcher),
                        .most_workers = workers,
                        .missing_contenders = {}});
}

void run_mpi_bench(const bench_arguments& arguments) {
  const bench_request& request = arguments.request;
  if (arguments.explain) throw error("nearfork: --explain is not for runs with --mpi");
  const std::vector<mpi_workload> asked = mpi_workloads(request);
  const unsigned cores = live_machine()->suggested_workers();
  const auto contenders = mpi_contenders_for(request, arguments.mpi.ranks, cores);
  const char* const path = std::getenv("PATH");
  const mpi_here mpi = mpi_to_use(arguments.mpi.kind, folders_of_programs(), path != nullptr ? path : "/bin:/usr/bin");
  expect_standard_output();
  std::optional<page_output> page;
  if (!arguments.html.empty()) page.emplace(arguments.html);
  const bool as_table = !arguments.json && !arguments.csv;
  bench_result result{.conditions = mpi_conditions(request, mpi, contenders.front().ranks * contenders.front().threads),
                      .workloads = {}};
  if (as_table) fmt::print("{}", conditions_text(result.conditions));
  for (const mpi_workload& one : asked) {
    flush_standard_output();
    result.workloads.push_back(run_on_ranks(one, request, mpi, contenders, cores));
    if (as_table) fmt::print("\n{}", table_text(result.workloads.back()));
    if (arguments.chart) fmt::print("\n{}", chart_text(result.workloads.back()));
  }
  if (arguments.json) fmt::print("{}", json_text(result));
  if (arguments.csv) fmt::print("{}", csv_text(result));
  if (page) page->write(json_text(result), "nearfork bench --mpi");
  if (!any_wrong(result)) return;
  tell("nearfork: there were wrong answers");
  throw exit_with{exit_code::wrong_answer};
}

constexpr const char* examples = R"(Examples:
  nearfork bench heat
  nearfork bench heat sor --policy random,random-unpinned --workers 1,2
  nearfork bench heat --size laws --iterations 50 --reps 11
  nearfork bench heat fib --size small --size fib:n=32
  nearfork bench nqueens --workers 2,64 --contender serial,nearfork
  nearfork bench heat --policy all --explain
  NEARFORK_MACHINE='package:2 [numa] l3:1(size=16MiB) core:1 pu:1' nearfork bench heat --policy laws --explain
  nearfork bench heat pagerank --setup parallel --pages follow-plan --policy random,laws
  nearfork bench components --graph roads.mtx --iterations 50
  nearfork bench --size small --json > results.json
  nearfork bench --mpi 2 heat-mpi pagerank-mpi --size small
  nearfork bench --list

Ends with status 2 if an answer was wrong.)";

}  // namespace

void add_bench(CLI::App& app) {
  auto* const command = app.add_subcommand(
      "bench", "Workloads side by side: policies, oneTBB, OpenMP and serial; every answer is checked");
  const auto arguments = std::make_shared<bench_arguments>();
  bench_request& request = arguments->request;
  command->add_option("workloads", request.workloads, "What to run; all if none is named (--list names them)");
  add_words(*command, "--policy", request.policies, "Policies of nearfork, or all; as NEARFORK_POLICY if not given");
  add_numbers(*command, "--workers", request.workers, {0, most_workers},
              "Numbers of workers, 0 for as many as the machine grants; as NEARFORK_WORKERS if not given");
  add_words(*command, "--contender", request.contenders, "Only these: serial, nearfork, tbb, omp-static, omp-tasks");
  command
      ->add_option("--size", request.sizes, "default, small, test, or FIELD=NUMBER,...; WORKLOAD:SIZE for one workload")
      ->allow_extra_args(false);
  add_number(*command, "--iterations", request.iterations, {1, most_iterations},
             "Iterations per run, for the workloads that iterate");
  add_number(*command, "--reps", request.repetitions, {1, 10000}, "Repetitions of each contender")
      ->capture_default_str();
  add_number(*command, "--seed", request.seed, any_number, "Where inputs and the order of runs start")
      ->capture_default_str();
  command
      ->add_option("--setup", request.setup,
                   "Who writes the arrays of grid and graph programs first: serial: one thread, once; parallel: before "
                   "each run the contender itself writes new arrays, nearfork by the tasks of a region, which is not "
                   "timed; serial if not given")
      ->check(one_of({"serial", "parallel"}));
  command->add_option(
      "--pages", request.pages,
      "By which rule the pages of these arrays get their memory nodes, by OS index: " + sim::placing_forms() +
          "; first-write: plain memory, beside the first writer; the others make the arrays placed "
          "memory (nearfork::array), follow-plan as plans put the tasks; first-write if not given");
  command->add_option("--graph", request.graph,
                      "A graph for the graph programs, in place of a generated one: a Matrix Market file, or a list of "
                      "edges, two node ids a line");
  add_number(*command, "--mpi", arguments->mpi.ranks, {1, most_ranks},
             "Run heat-mpi and pagerank-mpi on so many ranks, which mpirun starts: nearfork with suspended waits, MPI "
             "with a rank for each core, and MPI + OpenMP; --workers: threads of each rank");
  command->add_option("--mpi-kind", arguments->mpi.kind, "Which MPI; the first that is installed if not given")
      ->check(one_of({"openmpi", "mpich"}));
  auto* const json = command->add_flag("--json", arguments->json, "Print JSON, all times included");
  auto* const csv = command->add_flag("--csv", arguments->csv, "Print one line per contender")->excludes(json);
  command->add_flag("--chart", arguments->chart, "Show bars below each table")->excludes(json)->excludes(csv);
  command->add_flag("--explain", arguments->explain,
                    "Say what each policy decided about the workload's region, and from what");
  command->add_option("--html", arguments->html,
                      "Write a page with charts, too, as nearfork report makes it; a file is replaced");
  command->add_flag("--list", arguments->list, "List workloads, sizes and contenders, and run nothing");
  command->footer(examples);
  command->callback([arguments] {
    if (arguments->list) fmt::print("{}", workload_list_text());
    else if (arguments->mpi.ranks > 0) run_mpi_bench(*arguments);
    else run_bench(*arguments);
  });
}

}  // namespace nearfork::tools
