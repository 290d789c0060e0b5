#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tools/manual/command_tree.hpp"

namespace nearfork::tools {
namespace {

/// What bash runs to complete a value: words, names of machines and files, or files.
std::string offer(const option_facts& one) {
  if (one.kind == value_kind::machine) return "_nearfork_machines";
  if (one.words.empty()) return "_nearfork_files";
  const bool files = one.kind == value_kind::workload;  // or a recording, or a program
  return fmt::format("_nearfork_words \"{}\"{}", fmt::join(one.words, " "), files ? "; _nearfork_files" : "");
}

std::string words_after(const command_facts& of) {
  std::vector<std::string> words;
  for (const command_facts& one : of.commands) words.push_back(one.path.back());
  for (const option_facts& one : of.options)
    if (!one.positional) words.insert(words.end(), one.names.begin(), one.names.end());
  return fmt::format("{}", fmt::join(words, " "));
}

/// The values of options, and the options themselves, of one command.
std::string part_of(const command_facts& of) {
  std::string made = fmt::format("    \"{}\")\n      case \"$previous\" in\n", of.name(" "));
  for (const option_facts& one : of.options)
    if (!one.positional && !one.type.empty())
      made += fmt::format("        {}) {}; return ;;\n", fmt::join(one.names, "|"), offer(one));
  made += "      esac\n";
  const auto place = std::ranges::find_if(of.options, &option_facts::positional);
  if (place != of.options.end()) made += fmt::format("      [[ $word != -* ]] && {{ {}; return; }}\n", offer(*place));
  return made + fmt::format("      _nearfork_words \"{}\" ;;\n", words_after(of));
}

constexpr const char* opening = R"bash(# Completion of nearfork for bash. Made by: nearfork completion bash
_nearfork_words() { COMPREPLY+=($(compgen -W "$1" -- "$word")); }
_nearfork_files() { compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -f -- "$word")); }
_nearfork_machines() {
  _nearfork_words "$("${COMP_WORDS[0]}" topo --list 2>/dev/null | cut -d' ' -f1)"
  _nearfork_files
}
_nearfork() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=nearfork i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$command ${COMP_WORDS[i]}" in
)bash";

}  // namespace

std::string bash_completion(const command_facts& root) {
  const auto all = all_commands(root);
  std::vector<std::string> names;
  for (const command_facts* const one : all)
    if (one != &root) names.push_back("\"" + one->name(" ") + "\"");
  std::string made = opening;
  made +=
      fmt::format("      {}) command=\"$command ${{COMP_WORDS[i]}}\" ;;\n    esac\n  done\n  case \"$command\" in\n",
                  fmt::join(names, "|"));
  for (const command_facts* const one : all) made += part_of(*one);
  return made + "  esac\n}\ncomplete -F _nearfork nearfork\n";
}

}  // namespace nearfork::tools
