#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <nearfork/error.hpp>

#include "base/output/output_file.hpp"
#include "base/output/standard_streams.hpp"
#include "base/text/message_text.hpp"
#include "machine/model/packed_parts.hpp"
#include "recording/checksum.hpp"
#include "recording/whole_file.hpp"
#include "tools/command.hpp"
#include "tools/options.hpp"
#include "tools/reproduce/reproduction.hpp"
#include "tools/sim/campaign.hpp"
#include "tools/terminal/progress_line.hpp"

namespace nearfork::tools {
namespace {

struct reproduce_arguments {
  std::string paper;
  std::string machine;
  std::optional<std::string> pictures;
  std::optional<std::string> kept;
  std::uint64_t seed = 1;
  bool quick = false;
  bool json = false;
  bool csv = false;
  bool markdown = false;
};

constexpr const char* svg_flag = "flag --svg";
constexpr const char* keep_flag = "flag --keep";

/// Makes the folder. Its pictures are not known yet.
void expect_folder_of_pictures(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    throw error(fmt::format("nearfork: cannot make the folder {} ({}): {}; name a folder that exists, or may be made",
                            nearfork::quoted(folder.string()), svg_flag, with_number(failed.value())));
  const output_file trial((folder / ".nearfork-picture").string(), svg_flag);
}

void write_pictures(const std::filesystem::path& folder, const std::vector<named_picture>& pictures) {
  for (const named_picture& one : pictures) output_file((folder / one.file).string(), svg_flag).write(one.svg);
}

struct paper_reproduction {
  const char* name;
  simulated_machine (*machine)();
  reproduction (*reproduce)(const simulated_machine&, const reproduction_settings&);
};

constexpr paper_reproduction papers[] = {
    {"a-cab", papers_machine, reproduce_acab},
    {"laws", papers_machine, reproduce_laws},
    {"saws", [] { return machine_to_simulate("xeon-x7560"); }, reproduce_saws},
    {"bats", [] { return machine_to_simulate("xeon-phi-7210"); }, reproduce_bats},
    {"drebes", [] { return machine_to_simulate("opteron-6282"); }, reproduce_drebes},
};

std::vector<std::string> names_of_papers() {
  std::vector<std::string> names;
  for (const paper_reproduction& one : papers) names.emplace_back(one.name);
  return names;
}

const paper_reproduction& reproduction_of(const std::string& name) {
  return *std::ranges::find(papers, name, &paper_reproduction::name);
}

/// Of what describes the machine: two files, which may change between two calls.
std::uint32_t checksum_of(const simulated_machine& where) {
  const std::string& model = where.what->model_file();
  const std::uint32_t description = recordings::crc32c(packed_parts(where.what->parts()));
  return model.empty() ? description : recordings::crc32c(recordings::read_whole_file(model), description);
}

void run_reproduce(const reproduce_arguments& arguments) {
  if (arguments.pictures) expect_folder_of_pictures(*arguments.pictures);
  expect_standard_output();
  const paper_reproduction& paper = reproduction_of(arguments.paper);
  const simulated_machine where = arguments.machine.empty() ? paper.machine() : machine_to_simulate(arguments.machine);
  std::optional<result_store> kept;
  if (arguments.kept) {
    kept.emplace(*arguments.kept, keep_flag,
                 fmt::format("{} on {} ({:08x}){}, seed {}", paper.name, where.name, checksum_of(where),
                             arguments.quick ? ", quick" : "", arguments.seed));
    if (kept->found() > 0)
      tell(fmt::format("nearfork: {} results of an earlier call are taken from {}", kept->found(),
                       nearfork::quoted(*arguments.kept)));
  }
  const reproduction made = [&] {
    progress_line line;
    const reproduction_settings settings{
        .extent = arguments.quick ? reproduction_extent::quick : reproduction_extent::full,
        .seed = arguments.seed,
        .threads = std::thread::hardware_concurrency(),
        .watch = [&](const campaign_progress& now) { line.show_sometimes(progress_text(now, line.elapsed_s())); },
        .kept = kept ? &*kept : nullptr};
    return paper.reproduce(where, settings);
  }();
  if (arguments.pictures) write_pictures(*arguments.pictures, made.pictures);
  if (arguments.json) fmt::print("{}", json_text_of(made));
  else if (arguments.csv) fmt::print("{}", csv_text_of(made));
  else if (arguments.markdown) fmt::print("{}", markdown_of(made));
  else fmt::print("{}", text_of(made));
}

constexpr const char* reproduce_examples = R"(Examples:
  nearfork reproduce laws --quick
  nearfork reproduce a-cab --svg pictures
  nearfork reproduce saws --quick --seed 2
  nearfork reproduce bats --quick
  nearfork reproduce bats --keep bats.results
  nearfork reproduce drebes --quick
  nearfork reproduce drebes --csv > drebes.csv
  nearfork reproduce laws --json > laws.json

The papers' programs with the papers' inputs on a model of the machine that they were measured on; their numbers stand beside
ours. In full that takes some minutes, drebes the better part of an hour, bats more than two hours of a core: with --keep each simulation is
kept as it ends, and the same command goes on after an interruption. All of ours are simulated; docs/VALIDATION.md says where
they differ, and why.)";

}  // namespace

void add_reproduce(CLI::App& app) {
  auto* const command = app.add_subcommand(
      "reproduce",
      "The experiments of the A-CAB, LAWS, SAWS, BATS and Drebes papers, simulated, beside the papers' numbers");
  const auto arguments = std::make_shared<reproduce_arguments>();
  command->add_option("paper", arguments->paper, "a-cab, laws, saws, bats or drebes")
      ->required()
      ->check(one_of(names_of_papers()));
  command->add_flag("--quick", arguments->quick,
                    "Smaller inputs than the papers' and fewer iterations: some 10 (a-cab) to 20 (laws) seconds "
                    "of computing, for drebes a minute, for bats some minutes, shared by all cores");
  command->add_option("--machine", arguments->machine,
                      "Another machine than the papers': an lstopo XML file or a synthetic description");
  add_number(*command, "--seed", arguments->seed, any_number, "Where random victims start")->capture_default_str();
  command->add_option("--svg", arguments->pictures, "Write pictures to this folder; it is made if it is missing");
  command->add_option(
      "--keep", arguments->kept,
      "Write each simulation's result to this file as it ends, and do not simulate again what it has: a "
      "run that was stopped goes on. Of one paper, with the same options and build of nearfork");
  auto* const json = command->add_flag("--json", arguments->json, "Print JSON");
  auto* const csv =
      command->add_flag("--csv", arguments->csv, "Print the tables' cells, one a line: table, row, column, value")
          ->excludes(json);
  command->add_flag("--markdown", arguments->markdown, "Print a part of a page")->excludes(json)->excludes(csv);
  command->footer(reproduce_examples);
  command->callback([arguments] { run_reproduce(*arguments); });
}

}  // namespace nearfork::tools
