// From files to a control: everything that may be refused is tried before anything is written.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "base/process_number.hpp"
#include "base/text/message_text.hpp"
#include "base/text/word_choice.hpp"
#include "power/frequency_control.hpp"

namespace nearfork {
namespace {

constexpr const char* not_set = "frequencies are not set";
constexpr const char* let_write =
    "sudo chmod a+w /sys/devices/system/cpu/cpufreq/policy*/scaling_*, or run the program as root (nearfork doctor)";
constexpr const char* use_hardware = "run on real hardware with a cpufreq driver, or set NEARFORK_POWER=report";

std::string file_of(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

/// One line for all files of one name that are refused for one reason.
std::vector<power_shortfall> lines_of(const std::vector<file_refusal>& refused) {
  std::map<std::pair<std::string, std::string>, std::vector<const file_refusal*>> alike;
  for (const file_refusal& one : refused) alike[{file_of(one.path), one.why}].push_back(&one);
  std::vector<power_shortfall> lines;
  for (const auto& [what, all] : alike) {
    const file_refusal& first = *all.front();
    const std::string more = all.size() > 1 ? " and " + counted(all.size() - 1, "other") : "";
    lines.push_back({not_set, first.path + more, first.why, first.path == cpufreq_folder ? use_hardware : let_write});
  }
  return lines;
}

std::vector<file_refusal> refused_for_writing(const system_files& files, std::span<const cpufreq_policy> policies,
                                              std::span<const clock_unit> units) {
  std::vector<file_refusal> refused;
  for (const clock_unit& unit : units)
    for (const std::uint32_t index : unit.policies)
      for (const std::string& path : written_files(policies[index]))
        if (const int error_number = files.try_to_open(path); error_number != 0)
          refused.push_back({path, error_number, with_number(error_number)});
  return refused;
}

struct state_opening {
  std::unique_ptr<state_file> file;
  std::optional<power_shortfall> refused;
};

state_opening open_state(const system_files& files) {
  power_shortfall refused{not_set, "", "", "make the folder writable for this user alone"};
  for (const std::string& folder : state_folders(files)) {
    state_file_opening opened = open_state_file(folder, true);
    if (opened.file != nullptr) return {std::move(opened.file), std::nullopt};
    if (opened.holder != 0)
      return {nullptr, power_shortfall{not_set, folder,
                                       opened.holder == process_number()
                                           ? "another runtime of this process sets them"
                                           : "process " + std::to_string(opened.holder) + " of this user sets them",
                                       "wait until it has ended"}};
    refused.where = folder;
    refused.why = opened.why.empty() ? with_number(opened.error_number) : opened.why;
  }
  refused.why += "; without a file there a crash could not be undone";
  return {nullptr, std::move(refused)};
}

/// Undoes what a program that was killed has left behind. True: something was.
bool undo_crash(const system_files& files, const state_file& state) {
  const std::optional<saved_frequencies> left = parse_saved(state.text());
  if (!left || left->boot != boot_of(files)) return false;
  for (const saved_policy& one : left->policies) (void)restore(files, writes_that_restore(one));
  return true;
}

std::vector<std::string> notes_on(std::span<const cpufreq_policy> policies, std::span<const clock_unit> units) {
  std::vector<std::string> notes;
  for (const clock_unit& unit : units) {
    if (unit.cores.size() == 1 && !unit.is_shared) continue;
    const cpufreq_policy& first = policies[unit.policies.front()];
    notes.push_back("CPUs " + listed(first.cpus) + " have one clock: the fastest wish wins" +
                    (unit.is_shared ? ", and CPUs that are not ours keep it at the normal clock or above" : ""));
  }
  return notes;
}

/// Cores whose clock cannot be set, as numbers of their first CPUs.
std::vector<unsigned> cores_without_unit(std::span<const std::vector<unsigned>> cpus_of_core,
                                         std::span<const clock_unit> units) {
  std::vector<unsigned> missing;
  for (std::uint32_t core = 0; core < cpus_of_core.size(); ++core) {
    const bool known = std::ranges::any_of(
        units, [&](const clock_unit& unit) { return std::ranges::find(unit.cores, core) != unit.cores.end(); });
    if (!known && !cpus_of_core[core].empty()) missing.push_back(cpus_of_core[core].front());
  }
  return missing;
}

}  // namespace

control_opening open_frequencies(std::shared_ptr<const system_files> files,
                                 std::span<const std::vector<unsigned>> cpus_of_core) {
  cpufreq_reading found = read_cpufreq(*files);
  std::vector<clock_unit> units = clock_units_of(found.policies, cpus_of_core);
  if (found.refused.empty()) found.refused = refused_for_writing(*files, found.policies, units);
  control_opening made{.refused = lines_of(found.refused)};
  if (!made.refused.empty()) return made;
  if (const std::vector<unsigned> missing = cores_without_unit(cpus_of_core, units); !missing.empty())
    made.refused.push_back({"the clocks of some cores are not set", "CPUs " + listed(missing),
                            "the kernel shows no clock of theirs (are they offline?)", "bring them online"});
  if (units.empty()) return made;
  state_opening state = open_state(*files);
  if (state.refused) {
    made.refused.push_back(*std::move(state.refused));
    return made;
  }
  if (undo_crash(*files, *state.file)) {
    found = read_cpufreq(*files);
    units = clock_units_of(found.policies, cpus_of_core);
  }
  made.notes = notes_on(found.policies, units);
  made.control.reset(
      new frequency_control(std::move(files), std::move(found.policies), std::move(units), std::move(state.file)));
  std::vector<power_shortfall> refused = made.control->take_over();
  if (refused.empty()) return made;
  made.control.reset();
  made.notes.clear();
  std::ranges::move(refused, std::back_inserter(made.refused));
  return made;
}

}  // namespace nearfork
