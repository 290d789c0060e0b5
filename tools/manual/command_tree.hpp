// The commands and their options as data, read from the parser itself: manual pages and completions come from it, and
// so cannot lag behind.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace nearfork::tools {

/// What may follow an option, or stand at a place of the command line.
enum class value_kind { none, words, machine, policy, workload, other };

struct option_facts {
  std::vector<std::string> names;  // "-o", "--output"; one without dashes for a positional argument
  std::string meaning;
  std::string type;   // "NUMBER"; empty for flags
  std::string usual;  // its value if it is not given, where the parser knows it
  bool required = false;
  bool positional = false;
  value_kind kind = value_kind::none;
  std::vector<std::string> words{};  // that are allowed; empty: others, too
};

struct command_facts {
  std::vector<std::string> path;  // "nearfork", "graph", "info"
  std::string meaning;
  std::string footer;
  std::vector<option_facts> options;  // in the order of the help
  std::vector<command_facts> commands;

  /// "nearfork graph info" with `between` = " ".
  [[nodiscard]] std::string name(const std::string& between) const;
};

[[nodiscard]] command_facts facts_of(CLI::App& command);

/// All commands, `root` first.
[[nodiscard]] std::vector<const command_facts*> all_commands(const command_facts& root);

/// One page in the format of man(7), for section 1. It tells of `of` and its subcommands.
[[nodiscard]] std::string man_page(const command_facts& of);
/// The pages: nearfork.1, nearfork-bench.1, ...
struct named_page {
  std::string file;
  std::string text;
};
[[nodiscard]] std::vector<named_page> man_pages(const command_facts& root);

[[nodiscard]] std::string bash_completion(const command_facts& root);
[[nodiscard]] std::string zsh_completion(const command_facts& root);

}  // namespace nearfork::tools
