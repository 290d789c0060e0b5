#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tools/manual/command_tree.hpp"

namespace nearfork::tools {
namespace {

/// Inside '...' and inside [...] of _arguments.
std::string escaped_for_zsh(const std::string& text) {
  std::string made;
  for (const char c : text) {
    if (c == '\'') made += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\') made += std::string("\\") + c;
    else made += c == '\n' ? ' ' : c;
  }
  return made;
}

std::string action_of(const option_facts& one) {
  if (one.kind == value_kind::machine) return "_nearfork_machines";
  if (one.words.empty()) return "_files";
  if (one.kind == value_kind::workload)
    return fmt::format("_alternative \"words\\:word\\:({})\" \"files\\:file\\:_files\"", fmt::join(one.words, " "));
  return fmt::format("({})", fmt::join(one.words, " "));
}

std::string lines_of(const option_facts& one) {
  if (one.positional) return fmt::format("    '*:{}:{}' \\\n", escaped_for_zsh(one.names.front()), action_of(one));
  std::string made;
  for (const std::string& name : one.names)
    made += one.type.empty() ? fmt::format("    '{}[{}]' \\\n", name, escaped_for_zsh(one.meaning))
                             : fmt::format("    '*{}[{}]:{}:{}' \\\n", name, escaped_for_zsh(one.meaning),
                                           escaped_for_zsh(one.type), action_of(one));
  return made;
}

std::string function_name(const command_facts& of) {
  return "_" + of.name("_");
}

std::string function_of(const command_facts& of) {
  std::string made = fmt::format("{}() {{\n  local line state\n  _arguments -C \\\n", function_name(of));
  bool placed = false;  // one action for all places: their number does not matter to a completion
  for (const option_facts& one : of.options) {
    if (one.positional && placed) continue;
    placed = placed || one.positional;
    made += lines_of(one);
  }
  if (of.commands.empty()) return made + "    && return 0\n}\n";
  std::string branches;
  for (const command_facts& one : of.commands) {
    branches += fmt::format("    {}) {} ;;\n", one.path.back(), function_name(one));
  }
  std::vector<std::string> words;
  for (const command_facts& one : of.commands) words.push_back(one.path.back());
  made += fmt::format("    '1:command:({})' \\\n    '*::argument:->rest' && return 0\n", fmt::join(words, " "));
  return made + "  case $line[1] in\n" + branches + "  esac\n}\n";
}

}  // namespace

std::string zsh_completion(const command_facts& root) {
  std::string made =
      "#compdef nearfork\n# Completion of nearfork for zsh. Made by: nearfork completion zsh\n"
      "_nearfork_machines() {\n  compadd -- ${(f)\"$(nearfork topo --list 2>/dev/null | cut -d' ' -f1)\"}\n  "
      "_files\n}\n";
  for (const command_facts* const one : all_commands(root)) made += function_of(*one);
  return made + "_nearfork \"$@\"\n";
}

}  // namespace nearfork::tools
