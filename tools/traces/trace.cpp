// nearfork trace: runs a program with a trace, or makes a trace of what a killed program left.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <nearfork/error.hpp>

#include "base/output/output_file.hpp"
#include "base/output/standard_streams.hpp"
#include "recording/whole_file.hpp"
#include "tools/command.hpp"
#include "tools/options.hpp"
#include "tools/output/kept_files.hpp"
#include "tools/recordings/program_rights.hpp"
#include "tools/recordings/program_run.hpp"
#include "trace/perfetto_trace.hpp"
#include "trace/ring_reader.hpp"

namespace nearfork::tools {
namespace {

namespace fs = std::filesystem;

struct trace_arguments {
  std::string output = "nearfork.pftrace";
  std::vector<std::string> words;
  unsigned tasks = 0;
  std::string ring;
  std::string recovered;
};

/// Further runtimes of a program write t-2.pftrace, t-3.pftrace and so on.
std::string numbered(const std::string& path, std::size_t number) {
  if (number == 1) return path;
  const fs::path whole(path);
  return (whole.parent_path() / fmt::format("{}-{}{}", whole.stem().string(), number, whole.extension().string()))
      .string();
}

/// What a run may leave beside its trace.
struct files_beside {
  std::vector<std::optional<file_state>> traces;  // the trace itself first, then the numbered ones
  std::set<std::string> rings;
};

files_beside files_now(const std::string& path) {
  files_beside made;
  for (std::size_t number = 1; number == 1 || made.traces.back(); ++number)
    made.traces.push_back(state_of(numbered(path, number)));
  const fs::path whole(path);
  const std::string begins = whole.filename().string() + ".";
  std::error_code unreadable;
  for (const fs::directory_entry& one : fs::directory_iterator(whole.parent_path(), unreadable))
    if (const std::string name = one.path().filename().string(); name.starts_with(begins) && name.ends_with(".ring"))
      made.rings.insert(one.path().string());
  return made;
}

/// The traces that were written since.
std::vector<std::string> traces_since(const files_beside& before, const files_beside& now, const std::string& path) {
  std::vector<std::string> made;
  for (std::size_t i = 0; i < now.traces.size(); ++i)
    if (now.traces[i] && (i >= before.traces.size() || now.traces[i] != before.traces[i]))
      made.push_back(numbered(path, i + 1));
  return made;
}

void tell_of_nothing(const std::string& path, const program_end& end, const std::string& program) {
  tell(fmt::format("nearfork: nothing was traced to {}: the program {}{}", path, words_of(end),
                   end.signal != 0 ? "" : "; " + why_unheard(program)));
}

std::size_t events_of(const traces::traced_run& run) {
  std::size_t events = run.others.size();
  for (const traces::traced_worker& one : run.workers) events += one.events.size();
  return events;
}

/// What a killed process left, as a trace.
traces::traced_run recover_to(const output_file& output, const std::string& ring) {
  traces::traced_run run = traces::read_ring_file(recordings::read_whole_file(ring), ring);
  output.write(traces::perfetto_trace(run));
  return run;
}

/// Makes a trace of each ring that the run left. `written`: the traces that there are; names that are free follow.
void recover_rings(const std::string& path, const std::vector<std::string>& rings, const program_end& end,
                   std::vector<std::string>& written) {
  for (const std::string& ring : rings) {
    std::size_t number = written.empty() ? 1 : 2;
    while (number > 1 && state_of(numbered(path, number))) ++number;
    const std::string target = numbered(path, number);
    try {
      const traces::traced_run run = recover_to(output_file(target, "flag --output"), ring);
      written.push_back(target);
      tell(
          fmt::format("nearfork: the program {}; the {} events that it had noted are traced to {}, from {}, which can "
                      "be removed",
                      words_of(end), events_of(run), target, ring));
    } catch (const error& failed) {
      tell(fmt::format("{}; try nearfork trace recover {} -o FILE", failed.what(), ring));
    }
  }
}

void run_traced(const trace_arguments& arguments) {
  if (arguments.words.empty())
    throw error("nearfork: no program is given; write it after --: nearfork trace -o t.pftrace -- ./program");
  const output_file output(arguments.output, "flag --output");
  keep_program(output, "flag --output", arguments.words.front());
  const std::string& path = output.absolute_path();
  const bool is_file = output.way() == output_way::replaced;
  std::vector<std::pair<std::string, std::string>> added{{"NEARFORK_TRACE", path}};
  if (arguments.tasks > 0) added.emplace_back("NEARFORK_TRACE_TASKS", std::to_string(arguments.tasks));
  const files_beside before = is_file ? files_now(path) : files_beside{};
  const program_end end = run_program(arguments.words, added);
  const files_beside now = is_file ? files_now(path) : files_beside{};
  std::vector<std::string> written = is_file ? traces_since(before, now, path) : std::vector{path};
  if (!written.empty())
    tell(fmt::format("nearfork: traced to {}; ui.perfetto.dev shows {}", fmt::join(written, ", "),
                     written.size() == 1 ? "it" : "them"));
  std::vector<std::string> rings;
  std::ranges::set_difference(now.rings, before.rings, std::back_inserter(rings));
  recover_rings(path, rings, end, written);
  if (written.empty()) tell_of_nothing(path, end, arguments.words.front());
  if (end.signal != 0) end_by_signal(end.signal);
  if (end.status != 0) throw exit_with(end.status);
  if (written.empty()) throw exit_with{exit_code::failed};
}

void recover(const trace_arguments& arguments) {
  const output_file output(arguments.recovered, "flag --output");
  keep_files(output, "flag --output", {arguments.ring});
  const traces::traced_run run = recover_to(output, arguments.ring);
  tell(fmt::format("nearfork: {} events of {} workers of process {}, {} older ones are lost", events_of(run),
                   run.workers.size(), run.process, traces::lost_events(run)));
}

void add_recover(CLI::App& command, const std::shared_ptr<trace_arguments>& arguments) {
  auto* const added = command.add_subcommand("recover", "Make a trace of what a killed program left");
  added->add_option("ring", arguments->ring, "The file beside the trace whose name ends in .ring")->required();
  added->add_option("-o,--output", arguments->recovered, "The trace; a file is replaced")->required();
  added->footer(
      "The ring file stays; remove it when it is not needed any more.\nExample:\n"
      "  nearfork trace recover t.pftrace.4711-1.ring -o t.pftrace");
  added->callback([arguments] { recover(*arguments); });
}

}  // namespace

void add_trace(CLI::App& app) {
  auto* const command = app.add_subcommand("trace", "Run a program and trace what its workers do");
  const auto arguments = std::make_shared<trace_arguments>();
  command->add_option("-o,--output", arguments->output, "The trace, in Perfetto's format; a file is replaced")
      ->capture_default_str();
  add_number(*command, "--tasks", arguments->tasks, {0, 1U << 20},
             "1: also each task that no other worker took; n: one of n; option trace_tasks");
  command->add_option("program", arguments->words, "The program and its arguments, after --")
      ->type_name(may_be_empty);  // programs may have empty arguments
  add_recover(*command, arguments);
  command->footer(
      "Ends as the program does: with its status, or by its signal; with 1 if it ended well and nothing was traced.\n"
      "If the program is killed, the trace is made of the ring file that it leaves beside the trace. If nearfork trace "
      "is killed, too, recover does that.\n"
      "NEARFORK_TRACE_EVENTS says how many events each worker keeps (nearfork config).\nExamples:\n"
      "  nearfork trace -o t.pftrace -- ./program 1000\n"
      "  nearfork trace recover t.pftrace.4711-1.ring -o t.pftrace");
  command->callback([arguments, command] {
    if (command->get_subcommands().empty()) run_traced(*arguments);
  });
}

}  // namespace nearfork::tools
