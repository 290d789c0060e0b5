#include "tools/manual/command_tree.hpp"

#include <algorithm>
#include <string_view>

#include <nearfork/config.hpp>

#include "tools/options.hpp"
#include "workloads/workload.hpp"

namespace nearfork::tools {
namespace {

/// Options whose values have names that are no fixed set of words. Only these are not known from the parser.
value_kind kind_called(std::string_view name) {
  if (name == "--machine" || name == "name") return value_kind::machine;
  if (name == "--policy") return value_kind::policy;
  if (name == "workloads" || name == "subject" || name == "program") return value_kind::workload;
  return value_kind::other;
}

std::vector<std::string> words_of(value_kind kind) {
  std::vector<std::string> words;
  if (kind == value_kind::policy) {
    words = policy_names();
    words.emplace_back("all");
  }
  if (kind == value_kind::workload)
    for (const workloads::workload& one : workloads::all_workloads()) words.emplace_back(one.name);
  return words;
}

/// The words of one_of().
std::vector<std::string> allowed_words(CLI::Option& option) {
  try {
    return words_in(option.get_validator(allowed_words_name)->get_description());
  } catch (const CLI::OptionNotFound&) {
    return {};
  }
}

option_facts facts_of(CLI::Option& option) {
  option_facts made;
  made.meaning = option.get_description();
  made.required = option.get_required();
  made.positional = !option.nonpositional();
  if (made.positional) made.names.push_back(option.get_name());
  for (const std::string& one : option.get_snames()) made.names.push_back("-" + one);
  for (const std::string& one : option.get_lnames()) made.names.push_back("--" + one);
  if (option.get_items_expected_max() == 0) return made;
  made.type = option.get_type_name();
  made.type = made.type.substr(0, made.type.find(':'));  // what follows are allowed words
  made.usual = option.get_default_str();
  made.words = allowed_words(option);
  made.kind = made.words.empty() ? kind_called(made.names.back()) : value_kind::words;
  if (made.words.empty()) made.words = words_of(made.kind);
  return made;
}

void add(std::vector<const command_facts*>& to, const command_facts& one) {
  to.push_back(&one);
  for (const command_facts& each : one.commands) add(to, each);
}

}  // namespace

std::string command_facts::name(const std::string& between) const {
  std::string made;
  for (const std::string& one : path) made.append(made.empty() ? "" : between).append(one);
  return made;
}

command_facts facts_of(CLI::App& command) {
  command_facts made{
      .path = {}, .meaning = command.get_description(), .footer = command.get_footer(), .options = {}, .commands = {}};
  for (const CLI::App* at = &command; at != nullptr; at = at->get_parent())
    made.path.insert(made.path.begin(), at->get_name());
  for (const bool positional : {true, false})
    for (CLI::Option* const one : command.get_options())
      if (one->nonpositional() != positional) made.options.push_back(facts_of(*one));
  for (CLI::App* const one : command.get_subcommands({})) made.commands.push_back(facts_of(*one));
  return made;
}

std::vector<const command_facts*> all_commands(const command_facts& root) {
  std::vector<const command_facts*> made;
  add(made, root);
  return made;
}

}  // namespace nearfork::tools
