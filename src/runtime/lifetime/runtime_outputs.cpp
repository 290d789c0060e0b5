#include "runtime/lifetime/runtime_outputs.hpp"

#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <new>

#include <nearfork/detail/seam.hpp>
#include <nearfork/error.hpp>

#include "base/output/numbered_path.hpp"
#include "base/output/output_file.hpp"
#include "base/process_number.hpp"
#include "runtime/lifetime/scheduler.hpp"
#include "runtime/recording/graph_recorder.hpp"

namespace nearfork {
namespace {

constexpr const char* to_stderr = "stderr";
constexpr const char* report_option = "the run report, NEARFORK_REPORT";
constexpr const char* recording_option = "the recording, NEARFORK_RECORD";

/// The files that runtimes of this process wrote reports to: the mark that each was left with, and its number of
/// reports. Never destroyed: the process's own runtime may outlive all static objects.
struct report_files {
  std::mutex mutex;
  int process = 0;
  std::map<file_mark, std::size_t> reports_in;
};

report_files& all_report_files() {
  static report_files& files = *new report_files;
  return files;
}

constinit seam::atomic<bool> lost{false};

bool is_json(const std::string& path) {
  return path.ends_with(".json");
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A FIFO or a device gets one report after the other.
void add_to_file(const std::string& text, const output_file& file) {
  report_files& files = all_report_files();
  const std::lock_guard lock(files.mutex);
  if (files.process != process_number()) files.reports_in.clear();  // a fork()'s child is another process
  files.process = process_number();
  const bool is_whole = file.way() == output_way::replaced;
  const auto there = is_whole ? file.mark() : std::nullopt;
  const auto ours = there ? files.reports_in.find(*there) : files.reports_in.end();
  const std::size_t before = ours == files.reports_in.end() ? 0 : ours->second;
  if (before == 0) file.write(text);
  else file.write(with_one_more(content_of(file.absolute_path()), before, text, is_json(file.absolute_path())));
  if (before != 0) files.reports_in.erase(ours);
  if (const auto now = file.mark(); is_whole && now) files.reports_in[*now] = before + 1;
}

void add_report(const run_report& report, const std::string& target) {
  if (target == to_stderr) return write_report(report, target);
  add_to_file(is_json(target) ? to_json(report) : to_text(report), output_file(target, report_option));
}

/// Runs `act`; if that fails, says so on stderr.
template <class Act>
void tell_if_lost(const char* what, const std::string& path, Act act) noexcept {
  try {
    act();
    return;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr,
                 "nearfork: no memory is left for the %s to %s; give the program more (ulimit -v shows a limit)\n",
                 what, path.c_str());
  } catch (const std::exception& failed) {
    std::fprintf(stderr, "%s\n", failed.what());
  }
  lost.store(true, seam::memory_order_relaxed);  // a flag by itself
}

std::string option_text(const config& settings, const char* name) {
  const std::string source = settings.source_of(name);
  return source.find(' ') == source.npos ? "config::" + std::string(name) : source;
}

struct checked_output {
  const char* option;
  const char* noun;
  const char* variable;
};
struct earlier_output {
  std::string path;
  const char* noun;
  const char* variable;
};

/// Makes `path` absolute, which is not to be one file with the earlier outputs.
void check_output(std::string& path, const config& settings, const checked_output& what,
                  std::initializer_list<earlier_output> earlier) {
  if (path.empty()) return;
  const output_file output(path, option_text(settings, what.option));
  path = output.absolute_path();
  for (const earlier_output& other : earlier)
    if (!other.path.empty() && output.replaces(other.path))
      throw error("nearfork: the " + std::string(other.noun) + " and the " + what.noun + " would both be " + path +
                  "; give " + other.variable + " and " + what.variable + " different paths");
}

}  // namespace

config with_checked_outputs(config settings) {
  if (!settings.report.empty() && settings.report != to_stderr)
    settings.report = output_file(settings.report, option_text(settings, "report")).absolute_path();
  const std::string report = settings.report;
  check_output(settings.record, settings, {"record", "recording", "NEARFORK_RECORD"},
               {{report, "run report", "NEARFORK_REPORT"}});
  check_output(settings.trace, settings, {"trace", "trace", "NEARFORK_TRACE"},
               {{report, "run report", "NEARFORK_REPORT"}, {settings.record, "recording", "NEARFORK_RECORD"}});
  return settings;
}

void write_outputs(const scheduler& stopped, const config& settings) noexcept {
  if (run_trace* const trace = stopped.trace(); trace != nullptr) {
    // A worker whose task was the last one may not have noted its end yet.
    if (!stopped.workers().runs_caller()) (void)stopped.workers().becomes_idle();
    tell_if_lost("trace", settings.trace, [&] { trace->write(); });
  }
  if (!settings.report.empty())
    tell_if_lost("run report", settings.report, [&] { add_report(stopped.report(), settings.report); });
  if (const graph_recorder* const recorder = stopped.recorder(); recorder != nullptr && !settings.record.empty())
    tell_if_lost("recording", settings.record, [&] {
      output_file(numbered_path(settings.record, recording_option), recording_option)
          .write(recorder->file(stopped.report().machine));
    });
}

bool an_output_was_lost() noexcept {
  return lost.load(seam::memory_order_relaxed);
}

std::string with_one_more(const std::string& before, std::size_t reports, const std::string& report, bool as_json) {
  if (!as_json) return before + '\n' + report;
  constexpr std::string_view array_end = "\n]\n";
  const std::size_t kept = before.size() - (reports == 1 ? 1 : array_end.size());
  return (reports == 1 ? "[\n" : "") + before.substr(0, kept) + ",\n" + report.substr(0, report.size() - 1) +
         std::string(array_end);
}

}  // namespace nearfork
