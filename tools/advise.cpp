// nearfork advise: runs a program, simulates what it recorded, and says what to change.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nearfork/error.hpp>

#include "base/output/output_file.hpp"
#include "base/output/standard_streams.hpp"
#include "tools/advice/advised_document.hpp"
#include "tools/command.hpp"
#include "tools/options.hpp"
#include "tools/output/json_dump.hpp"
#include "tools/recordings/program_run.hpp"
#include "tools/recordings/scratch_folder.hpp"
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
};

/// What the program wrote of the files that a report is made from.
std::vector<std::string> written(const std::vector<std::string>& paths) {
  std::vector<std::string> made;
  for (const std::string& path : paths)
    if (state_of(path)) made.push_back(path);
  return made;
}

report_document document_after_run(const advise_arguments& arguments) {
  const scratch_folder scratch("the advice");
  const std::string recording = scratch.file("program.nfg");
  const std::string trace = scratch.file("program.pftrace");
  const std::string report = scratch.file("program.json");
  const program_end end = run_program(
      arguments.words, {{"NEARFORK_RECORD", recording}, {"NEARFORK_TRACE", trace}, {"NEARFORK_REPORT", report}});
  if (end.signal != 0) end_by_signal(end.signal);
  if (end.status != 0) throw exit_with(end.status);
  if (!state_of(recording))
    throw error(
        "nearfork: the program recorded nothing, so there is no advice: it must use nearfork, outside of a runtime "
        "with "
        "a config of its own, which the environment does not reach");
  return advised_document(
      {.files = written({report, trace, recording}), .machines = arguments.machines, .names_alone = true});
}

void run_advise(const advise_arguments& arguments) {
  expect_standard_output();
  for (const std::string& name : arguments.machines) (void)machine_to_simulate(name);  // an unknown one is told at once
  if (!arguments.html.empty()) require_page_parts();
  std::optional<output_file> page;
  if (!arguments.html.empty()) page.emplace(arguments.html, "flag --html");
  const report_document made = document_after_run(arguments);
  if (page) page->write(page_of(made));
  if (!arguments.json) return fmt::print("{}", advice_text(made, stdout_has_colours()));
  auto advice = nlohmann::ordered_json::array();
  for (const advice_item& one : made.advice) advice.push_back(json_of(one));
  fmt::print("{}\n", dumped(nlohmann::ordered_json{
                         {"version", 1}, {"answer", {made.how_fast, made.held_back, made.to_do}}, {"advice", advice}}));
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
  command->add_flag("--json", arguments->json, "Print JSON");
  command->add_option("--html", arguments->html, "Write the page of nearfork report, too; a file is replaced");
  command->add_option("program", arguments->words, "The program and its arguments, after --")
      ->type_name(may_be_empty)
      ->required();
  command->footer(
      "At most five items, those with the largest expected gain first. A gain is simulated, or a bound from what was "
      "measured; each says which.\nEnds with the program's status if it fails.\nExamples:\n"
      "  nearfork advise -- ./program 1000\n"
      "  nearfork advise --machine epyc-9654 --html advice.html -- ./program 1000    (what would it gain there?)");
  command->callback([arguments] { run_advise(*arguments); });
}

}  // namespace nearfork::tools
