#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include <nearfork/error.hpp>
#include <nearfork/nearfork.hpp>

#include "base/output/output_file.hpp"
#include "base/output/standard_streams.hpp"
#include "recording/recording_file.hpp"
#include "recording/whole_file.hpp"
#include "tools/command.hpp"
#include "tools/options.hpp"
#include "tools/recordings/program_run.hpp"
#include "tools/recordings/recording_facts.hpp"
#include "tools/workload_words.hpp"
#include "workloads/workload.hpp"

namespace nearfork::tools {
namespace {

struct record_arguments {
  std::string output;
  std::string iterations = "one";
  std::string size;
  std::vector<std::string> words;
};

/// The file that the program records to: the output itself, or, if that is a FIFO or a device, a file that is copied
/// into it afterwards. So the command sees what was recorded and whether it arrived.
class recorded_file {
 public:
  explicit recorded_file(const output_file& output) : output_(output), path_(output.absolute_path()) {
    if (output.way() == output_way::replaced) return;
    std::error_code failed;
    const std::filesystem::path temporary = std::filesystem::temp_directory_path(failed);
    scratch_ = (temporary / "nearfork-record-XXXXXX").string();
    if (failed || ::mkdtemp(scratch_.data()) == nullptr)
      throw error("nearfork: cannot make a folder for temporary files" + (failed ? "" : " in " + temporary.string()) +
                  ": a recording for " + output.absolute_path() +
                  " is made there; set TMPDIR to a folder that may be written");
    path_ = scratch_ + "/recording.nfg";
  }
  ~recorded_file() {
    std::error_code ignored;
    if (!scratch_.empty()) std::filesystem::remove_all(scratch_, ignored);
  }
  recorded_file(const recorded_file&) = delete;
  recorded_file& operator=(const recorded_file&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// Throws: nearfork::error.
  void deliver() const {
    if (!scratch_.empty()) output_.write(recordings::read_whole_file(path_));
  }

 private:
  const output_file& output_;
  std::string path_;
  std::string scratch_;
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
  const auto problem = workloads::prepare(which, size, 1);
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

/// Prints what there is to say about the file. False: there is no file, or nothing in it.
bool tell_of(const std::string& path, const std::string& shown, const program_end& end, bool is_new) {
  if (!is_new) {
    tell(
        fmt::format("nearfork: nothing was recorded to {}: the program {}; it must use nearfork (outside of a runtime "
                    "with a config of "
                    "its own, which the environment does not reach), and end by exit() or by returning from main(); if "
                    "the recording "
                    "could not be written, that is said above",
                    shown,
                    end.signal != 0 ? fmt::format("ended by signal {}", end.signal)
                                    : fmt::format("ended with status {}", end.status)));
    return false;
  }
  const recordings::recording made = recordings::load_recording(path);
  tell(fmt::format("nearfork: recorded {}", one_line_of(made, shown)));
  if (made.regions.empty())
    tell("nearfork: the program started nearfork, but no region and no run() of it forked anything and returned");
  return !made.regions.empty();
}

struct recorded_program {
  program_end end;
  bool recorded;
};

recorded_program run_and_tell(const record_arguments& arguments) {
  const output_file output(arguments.output, "flag --output");
  const recorded_file file(output);
  const auto before = state_of(file.path());
  const program_end end = run_recorded(arguments, file.path());
  const auto after = state_of(file.path());
  const bool is_new = after && after != before;
  if (is_new) file.deliver();
  return {end, tell_of(file.path(), output.absolute_path(), end, is_new)};
}

void record(const record_arguments& arguments) {
  const auto [end, recorded] = run_and_tell(arguments);
  if (end.signal != 0) end_by_signal(end.signal);
  if (end.signal != 0) throw exit_with(128 + end.signal);
  if (end.status != 0) throw exit_with(end.status);
  if (!recorded) throw exit_with{exit_code::failed};
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
                   "one: of each region the second iteration (the first where there is no second); all")
      ->check(one_of({"one", "all"}))
      ->capture_default_str();
  command->add_option("--size", arguments->size,
                      "Of a workload: default, small (what it is without this), test, or FIELD=NUMBER,...");
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
      "  nearfork graph info g.nfg");
  command->callback([arguments] { record(*arguments); });
}

}  // namespace nearfork::tools
