#include "bench/compare/request.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text/message_text.hpp"
#include "base/text/word_choice.hpp"
#include "bench/compare/exhibits.hpp"
#include "tools/options.hpp"

namespace bench {
namespace {

constexpr nearfork::number_range sizes_allowed{0, std::uint64_t{1} << 40};  // problem sizes that the contenders accept

std::vector<std::string> problem_names() {
  std::vector<std::string> names;
  for (const exhibit& one : exhibits())
    if (names.empty() || names.back() != one.problem) names.emplace_back(one.problem);
  return names;
}

struct given_size {
  std::string problem;
  std::uint64_t size;
};

given_size size_from(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string problem = text.substr(0, equals);
  const auto known = problem_names();
  if (equals == std::string::npos)
    throw CLI::ValidationError("--size", nearfork::quoted(text) + " is not PROBLEM=NUMBER");
  if (std::ranges::find(known, problem) == known.end())
    throw CLI::ValidationError(
        "--size", "no problem is called " + nearfork::quoted(problem) + nearfork::suggestion(problem, known));
  return {problem, nearfork::tools::number_of_option("--size " + problem, text.substr(equals + 1), sizes_allowed)};
}

}  // namespace

void add_options(CLI::App& app, request& into) {
  using namespace nearfork::tools;
  into.selected.workers = {1, 2};
  app.add_option("problem", into.problems,
                 "problems to run, of " + nearfork::listed(problem_names()) + "; default: all")
      ->check(one_of(problem_names()));
  add_words(app, "--builds", into.selected.builds, "build folders, separated by commas")->required();
  add_numbers(app, "--workers", into.selected.workers, {1, 4096},
              "numbers of workers, separated by commas; default: 1,2");
  add_words(app, "--contenders", into.selected.contenders, "these alone beside serial, separated by commas");
  app.add_option("--input", into.input,
                 "what sort gets: random, sorted, reversed, equal or strings; default: each in turn")
      ->check(one_of({"random", "sorted", "reversed", "equal", "strings"}));
  app.add_option("--size", into.sizes, "PROBLEM=NUMBER: in place of the usual sizes, for all contenders")
      ->check(CLI::Validator(
          [](std::string& text) {
            (void)size_from(text);
            return std::string();
          },
          ""))
      ->type_name("PROBLEM=NUMBER");
  add_number(app, "--reps", into.repetitions, {1, 1000}, "repetitions")->capture_default_str();
  app.add_flag("--quick", into.quick, "small sizes: shows that all works, not how fast it is");
  app.add_option("--json", into.json_file, "writes all times to this file");
  app.add_option("--markdown", into.page_file, "writes docs/PERFORMANCE.md to this file");
  app.add_option("--latencies", into.latencies_program, "a program whose output becomes part of the report");
  app.footer(
      "Exit status: 0, or 1 for a wrong answer, or 2 for a wrong request.\n"
      "Example: compare fib nqueens --builds build/bench,build/bench-clang --workers 1,2 --reps 11");
  refuse_empty_values(app);
}

std::map<std::string, std::uint64_t> given_sizes(const request& asked) {
  std::map<std::string, std::uint64_t> sizes;
  for (const std::string& text : asked.sizes) {
    const given_size one = size_from(text);
    sizes[one.problem] = one.size;
  }
  return sizes;
}

}  // namespace bench
