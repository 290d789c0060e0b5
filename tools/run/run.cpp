// nearfork run: a program as it is, with what nearfork can do for it from outside.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include <nearfork/error.hpp>

#include "base/output/standard_streams.hpp"
#include "tools/command.hpp"
#include "tools/options.hpp"
#include "tools/recordings/program_run.hpp"
#include "tools/run/placed_malloc.hpp"

namespace nearfork::tools {
namespace {

struct run_arguments {
  bool place_malloc = false;
  std::vector<std::string> words;
};

program_end run_with_placed_malloc(const std::vector<std::string>& words) {
  const std::string library = malloc_library_path();
  expect_preloadable(words.front());
  const malloc_counts_file file;
  const program_end end = run_program(words, file.environment(library));
  tell("nearfork: " + text_of(file.counts(), words.front()));
  return end;
}

void run(const run_arguments& arguments) {
  if (!arguments.place_malloc)
    throw error("nearfork: nothing is asked of nearfork: give --place-malloc, or run the program without nearfork run");
  const program_end end = run_with_placed_malloc(arguments.words);
  // As shells say it. The signal itself would end us as if we had crashed.
  if (end.signal != 0) throw exit_with(128 + end.signal);
  if (end.status != 0) throw exit_with(end.status);
}

}  // namespace

void add_run(CLI::App& app) {
  auto* const command = app.add_subcommand("run", "Run a program whose large blocks of malloc are placed");
  const auto arguments = std::make_shared<run_arguments>();
  command->add_flag(
      "--place-malloc", arguments->place_malloc,
      "Preload libnearfork-malloc.so: large blocks of malloc and operator new become placed memory, which "
      "follows the plans of the program's regions");
  command->add_option("program", arguments->words, "The program and its arguments, after --")
      ->type_name(may_be_empty)  // programs may have empty arguments
      ->required();
  command->footer(
      "The program is one that uses nearfork; others run as ever, and nothing is placed. It need not be built again.\n"
      "At the end, a line on standard error says what was placed, or why nothing was.\n"
      "Ends with the program's status; with 128 + N if signal N ended the program.\n"
      "NEARFORK_MALLOC_FROM is the size of the smallest block that is placed, NEARFORK_MALLOC_BLOCKS=all places "
      "blocks\n"
      "that are allocated later, too, and NEARFORK_REPORT tells more (nearfork config).\nExamples:\n"
      "  nearfork run --place-malloc -- ./program 1000\n"
      "  NEARFORK_MALLOC_FROM=256K nearfork run --place-malloc -- ./program 1000\n"
      "  LD_PRELOAD=libjemalloc.so.2 nearfork run --place-malloc -- ./program    # jemalloc serves all other blocks");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace nearfork::tools
