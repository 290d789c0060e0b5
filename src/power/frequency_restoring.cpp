#include "power/frequency_restoring.hpp"

#include <cerrno>
#include <optional>
#include <utility>

#include "base/text/message_text.hpp"
#include "power/saved_frequencies.hpp"
#include "power/state_file.hpp"

namespace nearfork {
namespace {

/// A policy that is not there any more (its CPUs are offline, or the driver was changed) counts as a failure.
restoring_result restore_saved(const system_files& files, const state_file& state, const saved_frequencies& before) {
  restoring_result made{.state_file = state.path(), .state = restoring_state::restored};
  for (const saved_policy& one : before.policies)
    for (const restoring_write& write : writes_that_restore(one)) {
      const std::vector<restoring_failure> failed = restore(files, {&write, 1});
      for (const restoring_failure& refused : failed) {
        made.state = restoring_state::refused;
        made.lines.push_back(refused.path + ": " + with_number(refused.error_number));
      }
      if (failed.empty()) made.lines.push_back(write.path + ": " + files.read(write.path).text);
    }
  if (made.state == restoring_state::restored)
    if (const int refused = state.replace({}); refused != 0)
      made.lines.push_back(state.path() + ": cannot be emptied: " + with_number(refused));
  return made;
}

restoring_result restore_by(const system_files& files, const std::string& folder) {
  const state_file_opening opened = open_state_file(folder, false);
  restoring_result made{.state_file = folder};
  if (opened.file == nullptr) {
    if (opened.error_number == ENOENT) return made;
    made.state = opened.holder != 0 ? restoring_state::in_use : restoring_state::refused;
    made.lines.push_back(opened.holder != 0
                             ? "process " + std::to_string(opened.holder) + " runs and restores them itself"
                         : opened.why.empty() ? with_number(opened.error_number)
                                              : opened.why);
    return made;
  }
  made.state_file = opened.file->path();
  const std::string text = opened.file->text();
  if (text.empty()) return made;
  const std::optional<saved_frequencies> before = parse_saved(text);
  if (!before) {
    made.state = restoring_state::refused;
    made.lines.emplace_back("it is damaged; nothing was written. Look at it, and remove it");
    return made;
  }
  if (before->boot != boot_of(files)) {
    made.lines.emplace_back("the system has started anew since: nothing to restore");
    (void)opened.file->replace({});
    return made;
  }
  return restore_saved(files, *opened.file, *before);
}

}  // namespace

const char* name_of(restoring_state state) noexcept {
  switch (state) {
    case restoring_state::nothing: return "nothing";
    case restoring_state::restored: return "restored";
    case restoring_state::in_use: return "in use";
    case restoring_state::refused: return "refused";
  }
  return "?";
}

std::vector<restoring_result> restore_frequencies(const system_files& files) {
  std::vector<restoring_result> all;
  for (const std::string& folder : state_folders(files)) all.push_back(restore_by(files, folder));
  return all;
}

}  // namespace nearfork
