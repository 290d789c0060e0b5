// What a fork costs in each style: the command behind scripts/bench_styles.sh.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/output/standard_streams.hpp"
#include "bench/compare/child.hpp"
#include "bench/compare/command.hpp"
#include "bench/compare/styles/lace.hpp"
#include "bench/compare/styles/times.hpp"
#include "tools/bench/statistics.hpp"
#include "tools/load/processor_use.hpp"
#include "tools/options.hpp"
#include "tools/output/json_dump.hpp"
#include "tools/terminal/progress_line.hpp"

namespace {

struct styles_request {
  bench::style_selection selected;
  std::optional<unsigned> given_size;
  unsigned repetitions = 7;
  unsigned workers = 1;
  bool quick = false;
  std::string lace_folder;
  std::string json_file;
  std::string page_file;

  [[nodiscard]] unsigned size() const { return given_size.value_or(quick ? 28 : 36); }
  /// Where runs are short, a process makes several.
  [[nodiscard]] unsigned runs() const { return size() <= 32 ? 5 : 1; }
};

void add_options(CLI::App& app, styles_request& into) {
  using namespace nearfork::tools;
  app.add_option("style", into.selected.names, "styles to run, beside their serial programs; default: all");
  add_words(app, "--builds", into.selected.builds, "build folders, separated by commas")->required();
  add_words(app, "--flags", into.selected.flags, "O2 or O3-native or both, separated by commas; default: both");
  add_number(app, "--size", into.given_size, {8, 45},
             "fib of this number, or as many forks in other families; default: 36, with --quick 28");
  add_number(app, "--reps", into.repetitions, {1, 1000}, "repetitions; the least time counts")->capture_default_str();
  add_number(app, "--workers", into.workers, {1, 4096}, "workers of every program but the serial ones")
      ->capture_default_str();
  app.add_flag("--quick", into.quick, "short runs: for a first look, or on a busy machine with many --reps");
  app.add_option("--lace", into.lace_folder,
                 "a folder in which Lace was built with its benchmarks; its own fib runs beside ours");
  app.add_option("--json", into.json_file, "writes all times to this file");
  app.add_option("--markdown", into.page_file, "writes docs/STYLES.md to this file");
  app.footer(
      "Each program is built at four starts within a cache line: the table shows the median and the worst of them, in\n"
      "time, as a ratio to the serial program that makes the same calls, and in nanoseconds per fork above it.\n"
      "Exit status: 0, or 1 for a wrong answer, or 2 for a wrong request.\n"
      "Example: scripts/bench_styles.sh by_value task_group --flags O2 --size 38");
  refuse_empty_values(app);
}

/// A program in the order of the runs.
struct one_run {
  std::size_t style;
  std::size_t start;
};

std::vector<one_run> all_starts(const std::vector<bench::style_times>& all) {
  std::vector<one_run> runs;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t start = 0; start < all[i].whose.programs.size(); ++start) runs.push_back({i, start});
  return runs;
}

/// Lace's fib makes the calls of the family `plain`, and has one start.
bench::style_times lace_style(const std::filesystem::path& program) {
  return {.whose = {"plain", "lace", "its own", "its own", {program}}, .seconds = {{}}, .failure = {}};
}

void run_once(bench::style_times& into, std::size_t start, const styles_request& asked) {
  const auto& program = into.whose.programs[start];
  if (into.whose.name == "lace") {
    for (unsigned i = 0; i < asked.runs(); ++i)
      into.seconds[start].push_back(bench::run_lace_fib(program, asked.workers, asked.size()));
    return;
  }
  const std::string workers = std::to_string(into.whose.is_serial() ? 1 : asked.workers);
  const bench::outcome one =
      bench::run_copies(
          program,
          {"--workers", workers, "--size", std::to_string(asked.size()), "--runs", std::to_string(asked.runs())}, 1)
          .front();
  if (!one.failure.empty()) {
    into.failure = one.failure;
    return;
  }
  into.forks = one.operations;
  into.seconds[start].push_back(std::ranges::min(one.seconds));
}

std::vector<bench::style_times> run_all(std::vector<bench::style_times> all, const styles_request& asked) {
  const std::vector<one_run> runs = all_starts(all);
  nearfork::tools::progress_line line;
  for (unsigned repetition = 0; repetition < asked.repetitions; ++repetition)
    for (const std::size_t i : nearfork::tools::order_of_round(runs.size(), repetition, 1)) {
      bench::style_times& next = all[runs[i].style];
      line.show(fmt::format("repetition {} of {}: {}", repetition + 1, asked.repetitions, next.whose.name));
      if (next.failure.empty()) run_once(next, runs[i].start, asked);
    }
  line.erase();
  return all;
}

std::vector<bench::style_times> taking_part(const styles_request& asked) {
  std::vector<bench::style_times> all;
  for (const bench::style& one : bench::built_styles(asked.selected))
    all.push_back({.whose = one, .seconds = std::vector<std::vector<double>>(one.programs.size()), .failure = {}});
  if (all.empty())
    throw std::invalid_argument(
        "no such style is built below the folders of --builds; scripts/bench_styles.sh builds all of bench/styles");
  if (!asked.lace_folder.empty()) all.push_back(lace_style(bench::lace_fib(asked.lace_folder)));
  return all;
}

int run(const styles_request& asked) {
  const auto json = bench::output_to(asked.json_file, "flag --json");
  const auto page = bench::output_to(asked.page_file, "flag --markdown");
  nearfork::expect_standard_output();
  auto programs = taking_part(asked);
  const nearfork::tools::load_watch others;
  bench::circumstances around = bench::here_and_now();
  const std::string what =
      fmt::format("fib({}) or as many forks, {} worker{}", asked.size(), asked.workers, asked.workers == 1 ? "" : "s");
  fmt::print("{}, least of {} runs at each start, {}\n\n", what, asked.repetitions, around.when);
  std::fflush(stdout);
  const auto rows = bench::style_rows(run_all(std::move(programs), asked));
  around.repetitions = asked.repetitions;
  around.quick = asked.quick;
  around.others_cores = others.used_by_others().value_or(0);
  fmt::print("{}\nOther processes kept {:.1f} cores busy.\n", bench::text_of_styles(rows), around.others_cores);
  if (page) page->write(bench::page_of_styles(rows, around, what));
  if (json) json->write(nearfork::tools::dumped(bench::data_of_styles(rows), 1) + "\n");
  nearfork::flush_standard_output();
  const bool wrong = std::ranges::any_of(rows, [](const bench::style_row& row) { return !row.of.failure.empty(); });
  return wrong ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("What a fork costs in each style in which people write one, beside the serial program");
  styles_request asked;
  add_options(app, asked);
  return bench::run_command(app, argc, argv, "compare_styles", [&] { return run(asked); });
}
