// nearfork report: one HTML page from what other commands wrote.
#include <fmt/format.h>

#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <nearfork/error.hpp>

#include "base/output/output_file.hpp"
#include "base/output/standard_streams.hpp"
#include "tools/command.hpp"
#include "tools/options.hpp"
#include "tools/output/json_dump.hpp"
#include "tools/report/document_json.hpp"
#include "tools/report/findings.hpp"
#include "tools/report/inputs/inputs.hpp"
#include "tools/report/page_writer.hpp"

namespace nearfork::tools {
namespace {

struct report_arguments {
  std::vector<std::string> files;
  std::string output = "report.html";
  bool json = false;
};

std::vector<report_view> all_views(const std::vector<std::string>& files) {
  std::vector<report_view> made;
  for (const std::string& file : files) {
    std::vector<report_view> of_file = load_views(file);
    made.insert(made.end(), std::move_iterator(of_file.begin()), std::move_iterator(of_file.end()));
  }
  return made;
}

void run_report(const report_arguments& arguments) {
  if (arguments.json) {
    expect_standard_output();
    const report_document made = document_of(all_views(arguments.files), {});
    return fmt::print("{}\n", dumped(json_of(made)));
  }
  require_page_parts();
  const output_file output(arguments.output, "flag --output");
  const report_document made = document_of(all_views(arguments.files), {});
  output.write(page_of(made));
  tell(fmt::format("nearfork: {}\nnearfork: {}\nnearfork: {}\nnearfork: the report is in {}", made.how_fast,
                   made.held_back, made.to_do, output.absolute_path()));
}

}  // namespace

void add_report(CLI::App& app) {
  auto* const command = app.add_subcommand("report", "One HTML page that says how fast a run was, what held it back and what to do");
  const auto arguments = std::make_shared<report_arguments>();
  command
      ->add_option("files", arguments->files,
                   "Run reports (JSON), traces, recordings, and the JSON of nearfork sim and nearfork bench; what each "
                   "is, is seen from its content")
      ->required();
  auto* const output =
      command->add_option("-o,--output", arguments->output, "The page; a file is replaced")->capture_default_str();
  command->add_flag("--json", arguments->json, "Print what the page shows, except the timelines' events, as JSON")
      ->excludes(output);
  command->footer(
      "The page needs no network and no other file.\nExamples:\n"
      "  NEARFORK_REPORT=r.json nearfork trace -o t.pftrace -- ./program 1000\n"
      "  nearfork record -o g.nfg -- ./program 1000\n"
      "  nearfork report r.json t.pftrace g.nfg -o page.html\n"
      "  nearfork sim g.nfg --machine opteron-8380 --json > s.json && nearfork report s.json");
  command->callback([arguments] { run_report(*arguments); });
}

}  // namespace nearfork::tools
