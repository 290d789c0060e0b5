#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/files/system_files.hpp"
#include "machine/live/grants.hpp"
#include "power/frequency_restoring.hpp"
#include "sensors/hotness/hotness.hpp"
#include "tools/command.hpp"
#include "tools/output/csv.hpp"
#include "tools/output/json_dump.hpp"
#include "tools/terminal/colours.hpp"

namespace nearfork::tools {
namespace {

colour colour_of(grant_state state) {
  if (state == grant_state::granted) return colour::green;
  return state == grant_state::denied ? colour::red : colour::yellow;
}

/// Any one of them is enough (docs/MEMORY.md).
void add_hotness(std::vector<grant>& to) {
  for (tried_source& one : live_hotness(config())->try_each()) {
    const auto state = !one.refused              ? grant_state::granted
                       : one.refused->is_missing ? grant_state::missing
                                                 : grant_state::denied;
    to.push_back({.what = "heat " + one.name,
                  .use = "tells which data are hot, so that they move to fast memory (bats); one source is enough",
                  .state = state,
                  .detail = one.refused ? std::move(one.refused->why) : "works",
                  .remedy = one.refused ? std::move(one.refused->remedy) : ""});
  }
}

void print_text(const std::vector<grant>& grants) {
  const bool coloured = stdout_has_colours();
  for (const grant& one : grants) {
    fmt::print("{:<15} {} {}\n", one.what,
               painted(colour_of(one.state), fmt::format("{:<8}", name_of(one.state)), coloured), one.detail);
    if (one.state == grant_state::granted) continue;
    fmt::print("{:<15} {:<8} for: {}\n", "", "", one.use);
    if (!one.remedy.empty()) fmt::print("{:<15} {:<8} fix: {}\n", "", "", one.remedy);
  }
}

void print_json(const std::vector<grant>& grants) {
  auto list = nlohmann::json::array();
  for (const grant& one : grants)
    list.push_back({{"what", one.what},
                    {"use", one.use},
                    {"state", name_of(one.state)},
                    {"detail", one.detail},
                    {"remedy", one.remedy}});
  fmt::print("{}\n", dumped(nlohmann::json{{"version", 1}, {"grants", list}}));
}

void print_csv(const std::vector<grant>& grants) {
  fmt::print("{}", csv_line({"what", "state", "use", "detail", "remedy"}));
  for (const grant& one : grants)
    fmt::print("{}", csv_line({one.what, std::string(name_of(one.state)), one.use, one.detail, one.remedy}));
}

// --- --restore-frequencies ---

colour colour_of(restoring_state state) {
  if (state == restoring_state::refused) return colour::red;
  return state == restoring_state::in_use ? colour::yellow : colour::green;
}

void print_text(const std::vector<restoring_result>& results) {
  const bool coloured = stdout_has_colours();
  for (const restoring_result& one : results) {
    fmt::print("{} {}\n", painted(colour_of(one.state), fmt::format("{:<8}", name_of(one.state)), coloured),
               one.state_file);
    for (const std::string& line : one.lines) fmt::print("{:<8} {}\n", "", line);
  }
}

void print_json(const std::vector<restoring_result>& results) {
  auto list = nlohmann::json::array();
  for (const restoring_result& one : results)
    list.push_back({{"state_file", one.state_file}, {"state", name_of(one.state)}, {"lines", one.lines}});
  fmt::print("{}\n", dumped(nlohmann::json{{"version", 1}, {"frequencies", list}}));
}

void restore(bool as_json) {
  const std::vector<restoring_result> results = restore_frequencies(*live_system_files());
  if (as_json) print_json(results);
  else print_text(results);
  const auto failed = [](const restoring_result& one) {
    return one.state == restoring_state::refused || one.state == restoring_state::in_use;
  };
  if (std::any_of(results.begin(), results.end(), failed)) throw exit_with{exit_code::failed};
}

}  // namespace

void add_doctor(CLI::App& app) {
  auto* const command =
      app.add_subcommand("doctor", "What this system grants or denies nearfork, and how to get what it denies");
  const auto json = std::make_shared<bool>(false);
  const auto strict = std::make_shared<bool>(false);
  const auto csv = std::make_shared<bool>(false);
  auto* const as_json = command->add_flag("--json", *json, "Print JSON");
  auto* const as_csv = command->add_flag("--csv", *csv, "Print one line per grant")->excludes(as_json);
  command->add_flag("--strict", *strict, "End with status 1 if anything is denied");
  const auto restores = std::make_shared<bool>(false);
  command
      ->add_flag("--restore-frequencies", *restores,
                 "Undo what a program with NEARFORK_POWER=manage left behind when it was killed: governors and limits "
                 "of this user's last program; status 1 if something is refused, or if the program still runs")
      ->excludes(as_csv);
  command->footer(
      "Everything is found out by trying. Examples:\n  nearfork doctor\n  nearfork doctor --json --strict\n"
      "  sudo nearfork doctor --restore-frequencies\n  nearfork doctor --restore-frequencies --json");
  command->callback([json, csv, strict, restores] {
    if (*restores) return restore(*json);
    std::vector<grant> grants = try_everything();
    add_hotness(grants);
    if (*json) print_json(grants);
    else if (*csv) print_csv(grants);
    else print_text(grants);
    const bool denied =
        std::any_of(grants.begin(), grants.end(), [](const grant& one) { return one.state == grant_state::denied; });
    if (*strict && denied) throw exit_with{exit_code::failed};
  });
}

}  // namespace nearfork::tools
