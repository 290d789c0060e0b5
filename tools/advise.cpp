// nearfork advise: runs a program, simulates what it recorded, and says what to change.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nearfork/error.hpp>

#include "base/output/output_file.hpp"
#include "base/output/standard_streams.hpp"
#include "recording/recording_file.hpp"
#include "recording/work_in_run.hpp"
#include "tools/advice/advised_document.hpp"
#include "tools/advice/other_programs.hpp"
#include "tools/advice/quiet_recording.hpp"
#include "tools/command.hpp"
#include "tools/options.hpp"
#include "tools/output/json_dump.hpp"
#include "tools/output/kept_files.hpp"
#include "tools/recordings/program_rights.hpp"
#include "tools/recordings/program_run.hpp"
#include "tools/recordings/scratch_folder.hpp"
#include "tools/report/document_csv.hpp"
#include "tools/report/document_json.hpp"
#include "tools/report/page_writer.hpp"
#include "tools/sim/simulated_machine.hpp"
#include "tools/terminal/colours.hpp"

namespace nearfork::tools {
namespace {

struct advise_arguments {
  std::vector<std::string> words;
  std::vector<std::string> machines;
  std::string html;
  bool json = false;
  bool csv = false;
};

/// What the program wrote: each of its runtimes has files of its own, program-2.nfg and so on. Those with the name
/// itself come first.
std::vector<std::string> written(const scratch_folder& in, const std::string& ending) {
  std::vector<std::string> made;
  for (std::size_t number = 1;; ++number) {
    const std::string path = in.file("program" + (number == 1 ? "" : "-" + std::to_string(number)) + ending);
    if (!state_of(path)) return made;
    made.push_back(path);
  }
}

/// The recording with the most work comes first: that one is simulated. All have one typical iteration per region.
std::vector<std::string> made_quiet(const std::vector<std::string>& paths) {
  std::vector<std::pair<double, std::string>> found;
  for (const std::string& path : paths) {
    const recordings::recording quiet = quiet_recording(recordings::load_recording(path));
    recordings::save_recording(quiet, path);
    found.emplace_back(work_in_run_ns(quiet), path);
  }
  std::ranges::stable_sort(found, std::greater{}, &std::pair<double, std::string>::first);
  std::vector<std::string> made;
  for (const auto& [work, path] : found) made.push_back(path);
  return made;
}

report_document document_after_run(const advise_arguments& arguments) {
  std::optional<scratch_folder> scratch_here("the advice");
  const scratch_folder& scratch = *scratch_here;
  const auto before = processor_times_now();
  std::vector<std::pair<std::string, std::string>> settings{{"NEARFORK_RECORD", scratch.file("program.nfg")},
                                                            {"NEARFORK_TRACE", scratch.file("program.pftrace")},
                                                            {"NEARFORK_REPORT", scratch.file("program.json")}};
  if (std::getenv("NEARFORK_RECORD_ITERATIONS") == nullptr) settings.emplace_back("NEARFORK_RECORD_ITERATIONS", "all");
  const bool prints_text = !arguments.json && !arguments.csv;
  const program_end end =
      run_program(arguments.words, settings, prints_text ? program_output::to_output : program_output::to_error);
  const auto after = processor_times_now();
  if (end.signal != 0 || end.status != 0)
    tell(fmt::format("nearfork: there is no advice: the program {}", words_of(end)));
  if (end.signal != 0) {
    scratch_here.reset();  // the signal leaves no time for destructors
    end_by_signal(end.signal);
    throw exit_with(128 + end.signal);
  }
  if (end.status != 0) throw exit_with(end.status);
  const std::vector<std::string> recordings = written(scratch, ".nfg");
  if (recordings.empty())
    throw error("nearfork: the program recorded nothing, so there is no advice: " +
                why_unheard(arguments.words.front()));
  std::vector<std::string> files = written(scratch, ".json");
  for (const std::string& path : written(scratch, ".pftrace")) files.push_back(path);
  for (const std::string& path : made_quiet(recordings)) files.push_back(path);
  report_document made =
      advised_document({.files = std::move(files), .machines = arguments.machines, .names_alone = true});
  if (!before || !after) return made;
  if (std::string note = note_on_others(part_of_others(*before, *after, end.processor_ns)); !note.empty())
    made.notes.push_back(std::move(note));
  return made;
}

void print_advice(const report_document& made, const advise_arguments& arguments) {
  if (arguments.csv) return fmt::print("{}", csv_of(made.advice));
  if (!arguments.json) return fmt::print("{}", advice_text(made, stdout_has_colours()));
  auto advice = nlohmann::ordered_json::array();
  for (const advice_item& one : made.advice) advice.push_back(json_of(one));
  fmt::print("{}\n", dumped(nlohmann::ordered_json{{"version", 1},
                                                   {"answer", {made.how_fast, made.held_back, made.to_do}},
                                                   {"notes", made.notes},
                                                   {"advice", advice}}));
}

void run_advise(const advise_arguments& arguments) {
  expect_standard_output();
  for (const std::string& name : arguments.machines) (void)machine_to_simulate(name);  // an unknown one is told at once
  if (!arguments.html.empty()) require_page_parts();
  std::optional<output_file> page;
  if (!arguments.html.empty()) {
    page.emplace(arguments.html, "flag --html");
    keep_program(*page, "flag --html", arguments.words.front());
    keep_machines(*page, "flag --html", arguments.machines);
  }
  const report_document made = document_after_run(arguments);
  print_advice(made, arguments);
  if (page) page->write(page_of(made));  // last: advice is not lost with a page that finds no room
}

}  // namespace

void add_advise(CLI::App& app) {
  auto* const command = app.add_subcommand("advise", "Run a program, simulate it, and say what would make it faster");
  const auto arguments = std::make_shared<advise_arguments>();
  command
      ->add_option("--machine", arguments->machines,
                   "Simulate on this machine: a name, an lstopo XML file or a synthetic description; again for "
                   "several; advice is for the first; this machine if not given")
      ->allow_extra_args(false);
  auto* const json = command->add_flag("--json", arguments->json, "Print JSON");
  command->add_flag("--csv", arguments->csv, "Print one line per item")->excludes(json);
  command->add_option("--html", arguments->html, "Write the page of nearfork report, too; a file is replaced");
  command->add_option("program", arguments->words, "The program and its arguments, after --")
      ->type_name(may_be_empty)
      ->required();
  command->footer(
      "At most five items, those with the largest expected gain first. A gain is simulated, or a bound from what was "
      "measured; each says which.\nEnds with the program's status if it fails. With --json or --csv the program's own "
      "output goes to standard error.\nExamples:\n"
      "  nearfork advise -- ./program 1000\n"
      "  nearfork advise --machine epyc-9654 --html advice.html -- ./program 1000    # what would it gain there?");
  command->callback([arguments] { run_advise(*arguments); });
}

}  // namespace nearfork::tools
