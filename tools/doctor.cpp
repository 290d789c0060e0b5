#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "machine/live/grants.hpp"
#include "tools/command.hpp"
#include "tools/output/json_dump.hpp"
#include "tools/terminal/colours.hpp"

namespace nearfork::tools {
namespace {

colour colour_of(grant_state state) {
  if (state == grant_state::granted) return colour::green;
  return state == grant_state::denied ? colour::red : colour::yellow;
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

}  // namespace

void add_doctor(CLI::App& app) {
  auto* const command =
      app.add_subcommand("doctor", "What this system grants or denies nearfork, and how to get what it denies");
  const auto json = std::make_shared<bool>(false);
  const auto strict = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON");
  command->add_flag("--strict", *strict, "End with status 1 if anything is denied");
  command->footer("Everything is found out by trying. Examples:\n  nearfork doctor\n  nearfork doctor --json --strict");
  command->callback([json, strict] {
    const std::vector<grant> grants = try_everything();
    if (*json) print_json(grants);
    else print_text(grants);
    const bool denied =
        std::any_of(grants.begin(), grants.end(), [](const grant& one) { return one.state == grant_state::denied; });
    if (*strict && denied) throw exit_with{exit_code::failed};
  });
}

}  // namespace nearfork::tools
