#include "tools/command_line.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "base/text/message_text.hpp"
#include "base/text/word_choice.hpp"
#include "tools/options.hpp"
#include "tools/terminal/colours.hpp"

namespace nearfork::tools {
namespace {

constexpr const char* statuses = R"(Each subcommand has a --help of its own. Example: nearfork bench heat --workers 1,2

Exit status: 0 if all went well; 1 if the command could not do what was asked; 2 for wrong answers (bench); 100 and up for a
command line that is not understood; 130 if Ctrl-C ended sim early; record, run and trace end as the program does that they ran, and advise if it fails.)";

std::vector<std::string> command_names(const CLI::App& of) {
  std::vector<std::string> names;
  for (const CLI::App* const one : of.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(one->get_name());
  return names;
}

/// "--output" rather than "-o" where an option has both.
std::vector<std::string> option_names(const CLI::App& of) {
  std::vector<std::string> names;
  for (const CLI::Option* const one : of.get_options())
    if (one->nonpositional()) names.push_back(one->get_name());
  return names;
}

std::string whole_name(const CLI::App& of) {
  return of.get_parent() == nullptr ? of.get_name() : whole_name(*of.get_parent()) + " " + of.get_name();
}

std::string text_of(const std::string& word, const CLI::App& of) {
  const std::string command = whole_name(of);
  if (word.size() > 1 && word.front() == '-') {
    const std::string option = word.substr(0, word.find('='));
    return command + " has no option " + nearfork::quoted(option) + suggestion(option, option_names(of));
  }
  if (const auto names = command_names(of); !names.empty())
    return command + " has no command " + nearfork::quoted(word) + suggestion(word, names);
  return command + " does not expect " + nearfork::quoted(word) + "; the arguments before it are all that it takes";
}

}  // namespace

void add_commands(CLI::App& app) {
  app.set_version_flag("--version", "nearfork 0.1.0");
  app.require_subcommand(1);
  app.footer(statuses);
  add_topo(app);
  add_doctor(app);
  add_bench(app);
  add_sim(app);
  add_reproduce(app);
  add_record(app);
  add_graph(app);
  add_run(app);
  add_trace(app);
  add_report(app);
  add_advise(app);
  add_config(app);
  add_man(app);
  add_completion(app);
  refuse_empty_values(app);
}

std::string unknown_word(const CLI::App& app) {
  // Innermost first: the words behind an option that a command does not have are left to the command around it.
  for (const CLI::App* const one : app.get_subcommands())
    if (std::string said = unknown_word(*one); !said.empty()) return said;
  // "--" is among them where something before it is wrong.
  for (const std::string& word : app.remaining())
    if (word != "--") return text_of(word, app);
  return {};
}

namespace {

const CLI::App& innermost_command(const CLI::App& app) {
  const auto given = app.get_subcommands();
  return given.empty() ? app : innermost_command(*given.front());
}

/// Prints through the C streams, whose failures main() reports.
int said(const CLI::App& app, const CLI::ParseError& what) {
  std::ostringstream out;
  std::ostringstream complaint;
  const int status = app.exit(what, out, complaint);
  // "files is required" alone does not say for what.
  if (status == static_cast<int>(CLI::ExitCodes::RequiredError))
    std::fprintf(stderr, "%s: ", whole_name(innermost_command(app)).c_str());
  std::fputs(out.str().c_str(), stdout);
  std::fputs(complaint.str().c_str(), stderr);
  return status;
}

}  // namespace

int end_of_parse(const CLI::App& app, const CLI::ParseError& wrong) {
  if (wrong.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return said(app, wrong);
  // First, because an option may be missing only because its name was misspelled.
  const std::string unknown = unknown_word(app);
  if (unknown.empty()) return said(app, wrong);
  fmt::print(stderr, "{}\nRun with --help for more information.\n",
             painted(colour::red, unknown, stderr_has_colours()));
  return static_cast<int>(CLI::ExitCodes::ExtrasError);
}

}  // namespace nearfork::tools
