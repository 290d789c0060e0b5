// Manual pages and completions know every command and option that the parser knows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tools/command_line.hpp"
#include "tools/manual/command_tree.hpp"
#include "unit/tools/command_run.hpp"

namespace {

using namespace nearfork::tools;
using command_run::ending;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

command_facts whole_command() {
  CLI::App app{"under test", "nearfork"};
  add_commands(app);
  return facts_of(app);
}

std::string with_man_dashes(std::string name) {
  for (std::size_t at = 0; (at = name.find('-', at)) != std::string::npos; at += 2) name.insert(at, "\\");
  return name;
}

/// The page that tells of a command: that of nearfork, or of its subcommand.
std::string page_about(const command_facts& root, const command_facts& of) {
  for (const command_facts& one : root.commands)
    if (of.path.size() > 1 && one.path.back() == of.path[1]) return man_page(one);
  return man_page(root);
}

TEST(man_pages, tell_of_every_command_and_option) {
  const command_facts root = whole_command();
  EXPECT_EQ(man_pages(root).size(), root.commands.size() + 1);
  for (const command_facts* const one : all_commands(root)) {
    const std::string page = page_about(root, *one);
    EXPECT_THAT(page, HasSubstr(with_man_dashes(one->name(" "))));
    for (const option_facts& option : one->options)
      for (const std::string& name : option.names) EXPECT_THAT(page, HasSubstr(with_man_dashes(name)));
  }
  EXPECT_THAT(man_page(root), AllOf(HasSubstr("NEARFORK_WORKERS"), HasSubstr("NO_COLOR"), HasSubstr("Exit status")));
}

/// The lines of a footer that are to be typed, as one script: they are indented.
std::string examples_in(const std::string& footer) {
  std::istringstream lines(footer);
  std::string script;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("  ")) script += line + "\n";
  return script;
}

TEST(help, has_examples_that_shells_can_read) {
  const std::string file = testing::TempDir() + "nearfork-examples-" + std::to_string(::getpid()) + ".sh";
  const command_facts root = whole_command();
  for (const command_facts* const one : all_commands(root)) {
    std::ofstream(file) << examples_in(one->footer);
    const ending read = command_run::run_command("", "bash -n " + file);
    EXPECT_EQ(read.status, 0) << one->name(" ") << ": " << read.output;
  }
  std::remove(file.c_str());
}

TEST(man_pages, are_text_and_no_requests) {
  const command_facts made{.path = {"c"}, .meaning = "a-b", .footer = ".line\n  'x\\y", .options = {}, .commands = {}};
  EXPECT_THAT(man_page(made), AllOf(HasSubstr("a\\-b"), HasSubstr("\n\\&.line\n"), HasSubstr("  'x\\ey")));
}

TEST(man_command, prints_a_page_and_knows_which_there_are) {
  const ending shown = command_run::run_command("", NEARFORK_COMMAND " man bench");
  EXPECT_EQ(shown.status, 0);
  EXPECT_THAT(shown.output, AllOf(testing::StartsWith(".TH \"nearfork-bench\" \"1\""), HasSubstr("\\-\\-reps")));
  const ending refused = command_run::run_command("", NEARFORK_COMMAND " man bensh");
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.output, HasSubstr("did you mean bench?"));
}

/// What bash offers for the last word of a line.
std::vector<std::string> offered(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& one : words) line += " '" + one + "'";
  const std::string script = ". <(" NEARFORK_COMMAND " completion bash); COMP_WORDS=(" NEARFORK_COMMAND + line +
                             "); COMP_CWORD=" + std::to_string(words.size()) +
                             "; _nearfork; printf \"%s\\n\" \"${COMPREPLY[@]}\"";
  std::string quoted = script;
  for (std::size_t at = 0; (at = quoted.find('\'', at)) != std::string::npos; at += 4) quoted.replace(at, 1, "'\\''");
  const ending ran = command_run::run_command("", "bash -c '" + quoted + "'");
  std::vector<std::string> made;
  for (std::size_t begin = 0; begin < ran.output.size();) {
    const std::size_t end = std::min(ran.output.find('\n', begin), ran.output.size());
    if (end > begin) made.push_back(ran.output.substr(begin, end - begin));
    begin = end + 1;
  }
  return made;
}

TEST(bash_completion, offers_commands_options_and_values) {
  EXPECT_THAT(offered({"re"}), testing::UnorderedElementsAre("record", "report", "reproduce"));
  EXPECT_THAT(offered({"graph", ""}), AllOf(Contains("info"), Contains("check"), Contains("--help")));
  EXPECT_THAT(offered({"graph", "dump", "--re"}), testing::ElementsAre("--region"));
  EXPECT_THAT(offered({"record", "--iterations", ""}), testing::UnorderedElementsAre("one", "all"));
  EXPECT_THAT(offered({"completion", "z"}), testing::ElementsAre("zsh"));
  EXPECT_THAT(offered({"sim", "--policy", "la"}), AllOf(Contains("laws"), Not(Contains("random"))));
  EXPECT_THAT(offered({"sim", "mergeso"}), testing::ElementsAre("mergesort"));
  EXPECT_THAT(offered({"sim", "--machine", "opteron-83"}), testing::ElementsAre("opteron-8380"));
}

TEST(bash_completion, knows_every_option) {
  const command_facts root = whole_command();
  for (const command_facts* const one : all_commands(root)) {
    std::vector<std::string> words(one->path.begin() + 1, one->path.end());
    words.emplace_back("--");
    const auto known = offered(words);
    for (const option_facts& option : one->options)
      if (!option.positional && option.names.back().starts_with("--")) {
        EXPECT_THAT(known, Contains(option.names.back())) << one->name(" ");
      }
  }
}

TEST(zsh_completion, has_every_command_and_option) {
  const command_facts root = whole_command();
  const std::string script = zsh_completion(root);
  EXPECT_THAT(script, testing::StartsWith("#compdef nearfork\n"));
  for (const command_facts* const one : all_commands(root)) {
    const std::size_t at = script.find("\n_" + one->name("_") + "() {");
    ASSERT_NE(at, std::string::npos) << one->name(" ");
    const std::string own = script.substr(at, script.find("\n}\n", at) - at);
    for (const option_facts& option : one->options)
      for (const std::string& name : option.names)
        if (!option.positional) {
          EXPECT_THAT(own, HasSubstr(name + "["));
        }
  }
  if (command_run::run_command("", "zsh --version").status != 0) GTEST_SKIP() << "zsh is not installed";
  EXPECT_EQ(command_run::run_command("", "sh -c '" NEARFORK_COMMAND " completion zsh | zsh -n'").status, 0);
}

/// Values that are completed by a list of their own still have options.
TEST(completions, know_values_of_options_that_exist) {
  bool machine = false;
  bool policy = false;
  bool workload = false;
  const command_facts root = whole_command();
  for (const command_facts* const one : all_commands(root))
    for (const option_facts& option : one->options) {
      machine = machine || option.kind == value_kind::machine;
      policy = policy || option.kind == value_kind::policy;
      workload = workload || option.kind == value_kind::workload;
      if (option.kind == value_kind::policy || option.kind == value_kind::workload) {
        EXPECT_THAT(option.words, Not(IsEmpty()));
      }
    }
  EXPECT_TRUE(machine && policy && workload);
}

}  // namespace
