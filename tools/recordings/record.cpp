#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nearfork/error.hpp>
#include <nearfork/nearfork.hpp>

#include "base/output/output_file.hpp"
#include "base/output/standard_streams.hpp"
#include "base/text/message_text.hpp"
#include "recording/recording_file.hpp"
#include "recording/whole_file.hpp"
#include "tools/command.hpp"
#include "tools/load/processor_use.hpp"
#include "tools/options.hpp"
#include "tools/output/kept_files.hpp"
#include "tools/recordings/file_kept_aside.hpp"
#include "tools/recordings/program_rights.hpp"
#include "tools/recordings/program_run.hpp"
#include "tools/recordings/record_runs.hpp"
#include "tools/recordings/recording_facts.hpp"
#include "tools/recordings/scratch_folder.hpp"
#include "tools/workload_words.hpp"
#include "workloads/workload.hpp"

namespace nearfork::tools {
namespace {

constexpr std::size_t most_runs = 1000;

struct record_arguments {
  std::string output;
  std::string iterations = "one";
  std::string size;
  std::size_t runs = 1;
  bool keep_all = false;
  std::vector<std::string> words;
};

/// True for one word that is the name of a workload. A program of that name is "./heat".
const workloads::workload* workload_named(const record_arguments& arguments) {
  if (arguments.words.size() != 1) return nullptr;
  for (const workloads::workload& one : workloads::all_workloads())
    if (one.name == arguments.words.front()) return &one;
  return nullptr;
}

program_end record_workload(const workloads::workload& which, const record_arguments& arguments,
                            const std::string& path) {
  const workloads::size_values size =
      size_of_workload(which.name, which.sizes, arguments.size.empty() ? "small" : arguments.size);
  const auto problem = workloads::prepare(which, size, {.seed = 1});
  problem->reset();
  config settings = config::from_environment();
  settings.set("record", path, "flag --output");
  settings.set("record_iterations", arguments.iterations, "flag --iterations");
  {
    runtime recorded(settings);
    recorded.run([&] { problem->run_nearfork(); });
  }
  const std::string fault = problem->fault();
  if (fault.empty()) return {};
  tell(fmt::format("nearfork: wrong answer of {}: {}", which.name, fault));
  return {.status = static_cast<int>(exit_code::wrong_answer)};
}

program_end run_recorded(const record_arguments& arguments, const std::string& path) {
  if (const auto* const which = workload_named(arguments)) return record_workload(*which, arguments, path);
  if (!arguments.size.empty())
    throw error("nearfork: --size is for workloads (nearfork bench --list), not for programs");
  return run_program(arguments.words,
                     {{"NEARFORK_RECORD", path}, {"NEARFORK_RECORD_ITERATIONS", arguments.iterations}});
}

void tell_of_nothing(const std::string& shown, const program_end& end, const std::string& program) {
  tell(fmt::format("nearfork: nothing was recorded to {}: the program {}; {}", shown, words_of(end),
                   why_unheard(program, ", and end by exit() or by returning from main()")));
}

/// A recording in which there is nothing: it would replace an older one by a file that no command can use.
void tell_of_empty(const std::string& shown, const program_end& end, const recordings::recording& made) {
  tell(fmt::format("nearfork: nothing was recorded to {}: the program {}; it started nearfork, but {}", shown,
                   words_of(end),
                   made.left_out == 0 ? "no region and no run() of it forked anything and returned"
                                      : counted(made.left_out, "iteration") +
                                            " found no room, threw, or left tasks behind, and no other is recorded; "
                                            "NEARFORK_RECORD_TASKS gives more room"));
}

bool is_empty(const recordings::recording& made) {
  return std::ranges::all_of(made.regions, [](const recordings::region& one) { return one.recorded.empty(); });
}

/// Runs of the program one after the other, until one fails or records nothing.
struct recorded_runs {
  program_end end{};  // of the last one
  bool recorded = true;
  std::optional<recordings::recording> empty{};  // what the last one wrote, if there is nothing in it
  std::vector<std::string> files{};
  std::vector<recorded_run_facts> facts{};
};

bool ended_well(const program_end& end) {
  return end.signal == 0 && end.status == 0;
}

/// `path_of`: where a run writes its recording.
template <class PathOf>
recorded_runs run_all(const record_arguments& arguments, const PathOf& path_of) {
  recorded_runs all;
  for (std::size_t i = 0; i < arguments.runs && all.recorded && ended_well(all.end); ++i) {
    const std::string path = path_of(i);
    const auto before = state_of(path);
    const load_watch others;
    all.end = run_recorded(arguments, path);
    const auto used_by_others = others.used_by_others();
    const auto after = state_of(path);
    all.recorded = after && after != before;
    if (!all.recorded) break;
    const recordings::recording made = recordings::load_recording(path);
    if (is_empty(made)) {
      all.recorded = false;
      all.empty = made;
      break;
    }
    all.files.push_back(path);
    all.facts.push_back(facts_of_run(made, used_by_others));
  }
  return all;
}

void tell_of(const std::string& path, const std::string& shown, const recorded_runs& all, std::size_t kept) {
  if (all.files.size() > 1)
    for (const std::string& line : lines_of(all.facts, kept)) tell("nearfork: " + line);
  const recordings::recording made = recordings::load_recording(path);
  tell(fmt::format("nearfork: recorded {}", one_line_of(made, shown)));
  if (const std::string doubt = doubt_of(all.facts[kept], all.files.size()); !doubt.empty()) tell("nearfork: " + doubt);
}

void write_others(const recorded_runs& all, std::size_t kept, const std::vector<output_file>& outputs) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < all.files.size(); ++i)
    if (i != kept && next < outputs.size()) outputs[next++].write(recordings::read_whole_file(all.files[i]));
}

/// One run into a regular file records there: the file is complete or as it was, also if the run records
/// nothing. Else runs record to temporary files, so that the command sees what was recorded and whether it arrived.
recorded_runs run_and_tell(const record_arguments& arguments) {
  const output_file output(arguments.output, "flag --output");
  keep_program(output, "flag --output", arguments.words.front());
  std::vector<output_file> others;
  for (std::size_t i = 2; arguments.keep_all && i <= arguments.runs; ++i)
    others.emplace_back(path_of_run(arguments.output, i), "flag --keep-all");
  std::optional<scratch_folder> scratch;
  if (arguments.runs > 1 || output.way() != output_way::replaced) scratch.emplace(output.absolute_path());
  const file_kept_aside old(scratch ? std::string() : output.absolute_path());
  const recorded_runs all = run_all(arguments, [&](std::size_t i) {
    return scratch ? scratch->file(std::to_string(i) + ".nfg") : output.absolute_path();
  });
  if (all.empty) {
    if (!scratch) old.put_back();
    tell_of_empty(output.absolute_path(), all.end, *all.empty);
  } else if (!all.recorded) {
    tell_of_nothing(output.absolute_path(), all.end, arguments.words.front());
  }
  if (all.files.empty()) return all;
  const std::size_t kept = least_disturbed(all.facts);
  if (scratch) output.write(recordings::read_whole_file(all.files[kept]));
  write_others(all, kept, others);
  tell_of(all.files[kept], output.absolute_path(), all, kept);
  return all;
}

void record(const record_arguments& arguments) {
  const recorded_runs all = run_and_tell(arguments);
  if (all.end.signal != 0) end_by_signal(all.end.signal);
  if (all.end.signal != 0) throw exit_with(128 + all.end.signal);
  if (all.end.status != 0) throw exit_with(all.end.status);
  if (!all.recorded) throw exit_with{exit_code::failed};
}

}  // namespace

void add_record(CLI::App& app) {
  auto* const command = app.add_subcommand("record", "Run a program and record the task graphs of its regions");
  const auto arguments = std::make_shared<record_arguments>();
  command
      ->add_option("-o,--output", arguments->output,
                   "The recording; a file is replaced once the new one is whole, a FIFO or a device is written into")
      ->required();
  command
      ->add_option("--iterations", arguments->iterations,
                   "one: the second iteration of each region (the first iteration if there is only one); all")
      ->check(one_of({"one", "all"}))
      ->capture_default_str();
  command->add_option("--size", arguments->size,
                      "The size of a workload: default, small (if no size is given), test, or FIELD=NUMBER,...");
  add_number(*command, "--runs", arguments->runs, {1, most_runs},
             "Run the program that often and keep the recording whose tasks took the least time in all: other "
             "processes only add to it")
      ->capture_default_str();
  command->add_flag("--keep-all", arguments->keep_all,
                    "Keep the recordings of the other runs, too: g-2.nfg and so on beside g.nfg. nearfork sim takes "
                    "them all, and shows how far they lie apart");
  command
      ->add_option("program", arguments->words,
                   "The program and its arguments, after --; or one workload of nearfork bench --list")
      ->type_name(may_be_empty)  // programs may have empty arguments
      ->required();
  command->footer(
      "Ends as the program does: with its status, or by its signal; with 1 if it ended well and nothing was recorded.\n"
      "Any option of nearfork config works, such as NEARFORK_WORKERS=1 for times that nothing disturbs.\nExamples:\n"
      "  nearfork record -o g.nfg -- ./program 1000\n"
      "  nearfork record -o heat.nfg heat --size rows=1024,columns=1024,iterations=10 --iterations all\n"
      "  nearfork record -o g.nfg --runs 5 -- ./program 1000    # on a busy machine\n"
      "  nearfork graph info g.nfg");
  command->callback([arguments] { record(*arguments); });
}

}  // namespace nearfork::tools
