// nearfork trace: runs a program with a trace, or makes a trace of what a killed program left.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include <nearfork/error.hpp>

#include "base/output/output_file.hpp"
#include "base/output/standard_streams.hpp"
#include "recording/whole_file.hpp"
#include "tools/command.hpp"
#include "tools/options.hpp"
#include "tools/recordings/program_run.hpp"
#include "trace/perfetto_trace.hpp"
#include "trace/ring_reader.hpp"

namespace nearfork::tools {
namespace {

struct trace_arguments {
  std::string output = "nearfork.pftrace";
  std::vector<std::string> words;
  std::string ring;
  std::string recovered;
};

void tell_of_nothing(const std::string& path, const program_end& end) {
  const std::string how =
      end.signal != 0
          ? fmt::format("was ended by signal {}; nearfork trace recover {}.*.ring -o FILE may have what it noted",
                        end.signal, path)
          : fmt::format(
                "ended with status {}; it must use nearfork, outside of a runtime with a config of its own, which the "
                "environment does not reach",
                end.status);
  tell(fmt::format("nearfork: nothing was traced to {}: the program {}", path, how));
}

void run_traced(const trace_arguments& arguments) {
  if (arguments.words.empty())
    throw error("nearfork: no program is given; write it after --: nearfork trace -o t.pftrace -- ./program");
  const output_file output(arguments.output, "flag --output");
  const std::string& path = output.absolute_path();
  const auto before = state_of(path);
  const program_end end = run_program(arguments.words, {{"NEARFORK_TRACE", path}});
  const bool traced = output.way() != output_way::replaced || (state_of(path) && state_of(path) != before);
  if (traced) tell(fmt::format("nearfork: traced to {}; ui.perfetto.dev shows it", path));
  else tell_of_nothing(path, end);
  if (end.signal != 0) end_by_signal(end.signal);
  if (end.status != 0) throw exit_with(end.status);
  if (!traced) throw exit_with{exit_code::failed};
}

void recover(const trace_arguments& arguments) {
  const output_file output(arguments.recovered, "flag --output");
  const traces::traced_run run = traces::read_ring_file(recordings::read_whole_file(arguments.ring), arguments.ring);
  output.write(traces::perfetto_trace(run));
  std::size_t events = 0;
  for (const traces::traced_worker& one : run.workers) events += one.events.size();
  tell(fmt::format("nearfork: {} events of {} workers of process {}, {} older ones are lost", events,
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
  command->add_option("program", arguments->words, "The program and its arguments, after --")
      ->type_name(may_be_empty);  // programs may have empty arguments
  add_recover(*command, arguments);
  command->footer(
      "Ends as the program does: with its status, or by its signal; with 1 if it ended well and nothing was traced.\n"
      "A killed program leaves a ring file beside the trace, from which recover makes the trace.\n"
      "NEARFORK_TRACE_EVENTS says how many events each worker keeps (nearfork config).\nExamples:\n"
      "  nearfork trace -o t.pftrace -- ./program 1000\n"
      "  nearfork trace recover t.pftrace.4711-1.ring -o t.pftrace");
  command->callback([arguments, command] {
    if (command->get_subcommands().empty()) run_traced(*arguments);
  });
}

}  // namespace nearfork::tools
