// nearfork report: one HTML page from what other commands wrote.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "base/output/output_file.hpp"
#include "base/output/standard_streams.hpp"
#include "tools/advice/advised_document.hpp"
#include "tools/command.hpp"
#include "tools/options.hpp"
#include "tools/output/json_dump.hpp"
#include "tools/output/kept_files.hpp"
#include "tools/report/document_csv.hpp"
#include "tools/report/document_json.hpp"
#include "tools/report/page_writer.hpp"

namespace nearfork::tools {
namespace {

struct report_arguments {
  document_request request;
  std::string output = "report.html";
  bool json = false;
  bool csv = false;
  bool no_simulation = false;
};

void run_report(const report_arguments& arguments) {
  document_request request = arguments.request;
  request.simulates = !arguments.no_simulation;
  if (arguments.json) {
    expect_standard_output();
    return fmt::print("{}\n", dumped(json_of(advised_document(request))));
  }
  if (arguments.csv) {
    expect_standard_output();
    return fmt::print("{}", csv_of(advised_document(request)));
  }
  require_page_parts();
  const output_file output(arguments.output, "flag --output");
  keep_files(output, "flag --output", request.files);
  keep_machines(output, "flag --output", request.machines);
  const report_document made = advised_document(request);
  output.write(page_of(made));
  tell(fmt::format("nearfork: {}\nnearfork: {}\nnearfork: {}\nnearfork: the report is in {}", made.how_fast,
                   made.held_back, made.to_do, output.absolute_path()));
}

}  // namespace

void add_report(CLI::App& app) {
  auto* const command =
      app.add_subcommand("report", "One HTML page: how fast a run was, what held it back, and what to do");
  const auto arguments = std::make_shared<report_arguments>();
  command
      ->add_option("files", arguments->request.files,
                   "Run reports (JSON), traces, recordings, and the JSON of nearfork sim and nearfork bench; what each "
                   "is, is seen from its content")
      ->required();
  auto* const output =
      command->add_option("-o,--output", arguments->output, "The page; a file is replaced")->capture_default_str();
  auto* const machine = command
                            ->add_option("--machine", arguments->request.machines,
                                         "Simulate the first recording on this machine: a name, an lstopo XML file or "
                                         "a synthetic description; again for several; on this machine if not given")
                            ->allow_extra_args(false);
  command->add_flag("--no-simulation", arguments->no_simulation, "Simulate nothing: show what the files hold")
      ->excludes(machine);
  auto* const json =
      command->add_flag("--json", arguments->json, "Print what the page shows, except the timelines' events, as JSON")
          ->excludes(output);
  command->add_flag("--csv", arguments->csv, "Print the same as lines of file, part, row, member and value")
      ->excludes(output)
      ->excludes(json);
  command->footer(
      "The page needs no network and no other file.\nExamples:\n"
      "  NEARFORK_REPORT=r.json nearfork trace -o t.pftrace -- ./program 1000\n"
      "  nearfork record -o g.nfg -- ./program 1000\n"
      "  nearfork report r.json t.pftrace g.nfg -o page.html\n"
      "  nearfork report g.nfg --machine opteron-8380 --machine epyc-9654\n"
      "  nearfork sim g.nfg --machine opteron-8380 --json > s.json && nearfork report s.json");
  command->callback([arguments] { run_report(*arguments); });
}

}  // namespace nearfork::tools
