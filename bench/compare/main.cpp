// All contenders at all problems, interleaved: the command behind `make bench`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/output/output_file.hpp"
#include "base/output/standard_streams.hpp"
#include "bench/compare/command.hpp"
#include "bench/compare/comparison.hpp"
#include "bench/compare/report.hpp"
#include "bench/compare/request.hpp"
#include "tools/load/processor_use.hpp"
#include "tools/output/json_dump.hpp"
#include "tools/terminal/progress_line.hpp"

namespace {

std::string progress_text(const bench::exhibit& shown, std::uint64_t size, const bench::entrant& next, std::size_t done,
                          std::size_t all) {
  return fmt::format("{} {}: run {} of {}, {} with {}", shown.problem, size, done + 1, all, next.contender,
                     next.workers);
}

std::vector<bench::comparison> run_all(const bench::request& asked) {
  const auto sizes = bench::given_sizes(asked);
  std::vector<bench::comparison> all;
  std::vector<std::string> sized;  // problems that were run at a size given with --size
  nearfork::tools::progress_line line;
  for (const bench::exhibit& shown : bench::exhibits()) {
    const std::string problem(shown.problem);
    if (!asked.problems.empty() && std::ranges::find(asked.problems, problem) == asked.problems.end()) continue;
    if (!asked.input.empty() && !shown.input.empty() && shown.input != asked.input) continue;
    std::uint64_t size = asked.quick ? shown.quick_size : shown.size;
    bench::selection selected = asked.selected;
    if (const auto given = sizes.find(problem); given != sizes.end()) {
      const std::string one = problem + std::string(shown.input);
      if (std::ranges::find(sized, one) != sized.end()) continue;
      sized.push_back(one);
      size = given->second;
      selected.expensive_ones_too = true;
    }
    const auto entrants = bench::entrants_for(shown, selected);
    if (entrants.empty()) continue;
    all.push_back(bench::compare(shown, size, entrants, asked.repetitions,
                                 [&](const bench::entrant& next, std::size_t done, std::size_t of) {
                                   line.show(progress_text(shown, size, next, done, of));
                                 }));
    line.erase();
    fmt::print("{}\n", bench::text_table(all.back()));
    std::fflush(stdout);
  }
  return all;
}

std::string output_of(const std::string& program) {
  std::string text;
  if (program.empty()) return text;
  FILE* const pipe = ::popen(program.c_str(), "r");
  if (pipe == nullptr) return text;
  char piece[4096];
  while (const std::size_t got = std::fread(piece, 1, sizeof piece, pipe)) text.append(piece, got);
  return ::pclose(pipe) == 0 ? text : "";
}

bench::circumstances around(const bench::request& asked) {
  bench::circumstances facts = bench::here_and_now();
  facts.repetitions = asked.repetitions;
  facts.quick = asked.quick;
  facts.latencies = output_of(asked.latencies_program);
  return facts;
}

void write(const std::optional<nearfork::output_file>& file, const std::string& text) {
  if (!file) return;
  file->write(text);
  fmt::print("Written: {}\n", file->absolute_path());
}

int run(const bench::request& asked) {
  const auto json = bench::output_to(asked.json_file, "flag --json");
  const auto page = bench::output_to(asked.page_file, "flag --markdown");
  nearfork::expect_standard_output();
  const nearfork::tools::load_watch others;
  bench::circumstances facts = around(asked);
  fmt::print("{}\n{}, {} repetitions\n\n", facts.machine, facts.when, facts.repetitions);
  if (!facts.latencies.empty()) fmt::print("{}\n", facts.latencies);
  const std::vector<bench::comparison> all = run_all(asked);
  facts.others_cores = others.used_by_others().value_or(0);
  if (all.empty()) {
    fmt::print(stderr,
               "Nothing to compare: no contender is built below the folders of --builds. `make bench` builds them.\n");
    return 2;
  }
  const auto verdicts = bench::judge(all);
  fmt::print("Targets\n{}\n", bench::text_verdicts(verdicts));
  write(json, nearfork::tools::dumped(bench::data(all, facts), 1) + "\n");
  write(page, bench::page(all, facts));
  nearfork::flush_standard_output();
  const bool wrong = std::ranges::any_of(all, [](const bench::comparison& one) {
    return std::ranges::any_of(one.entries, [](const bench::entry& e) { return e.failure == "wrong answer"; });
  });
  return wrong ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Compares nearfork with its peers: all contenders that are built, interleaved, every answer checked");
  bench::request asked;
  bench::add_options(app, asked);
  return bench::run_command(app, argc, argv, "compare", [&] { return run(asked); });
}
