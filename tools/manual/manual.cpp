#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nearfork/error.hpp>

#include "base/output/output_file.hpp"
#include "base/text/message_text.hpp"
#include "base/text/word_choice.hpp"
#include "tools/command.hpp"
#include "tools/manual/command_tree.hpp"
#include "tools/options.hpp"

namespace nearfork::tools {
namespace {

void write_all(const std::vector<named_page>& pages, const std::filesystem::path& folder) {
  for (const named_page& one : pages) output_file((folder / one.file).string(), "flag --folder").write(one.text);
}

/// `command`: "bench" or "nearfork-bench".
void print_page(const std::vector<named_page>& pages, const std::string& command) {
  constexpr std::string_view prefix = "nearfork-";
  std::vector<std::string> known;
  for (const named_page& one : pages) {
    known.push_back(one.file.substr(0, one.file.rfind('.')));
    if (known.back().starts_with(prefix)) known.back().erase(0, prefix.size());
    if (known.back() == command || std::string(prefix) + known.back() == command) {
      fmt::print("{}", one.text);
      return;
    }
  }
  throw error("nearfork: there is no page " + nearfork::quoted(command) + suggestion(command, known));
}

}  // namespace

void add_man(CLI::App& app) {
  auto* const command = app.add_subcommand("man", "The manual pages, made from the options themselves");
  const auto page = std::make_shared<std::string>("nearfork");
  const auto folder = std::make_shared<std::string>();
  command->add_option("command", *page, "A command; nearfork itself if not given");
  command->add_option("--folder", *folder, "Write all pages to this folder, which exists");
  command->footer("Examples:\n  nearfork man bench | man -l -\n  nearfork man --folder ~/.local/share/man/man1");
  command->callback([&app, page, folder] {
    const auto pages = man_pages(facts_of(app));
    if (folder->empty()) print_page(pages, *page);
    else write_all(pages, *folder);
  });
}

void add_completion(CLI::App& app) {
  auto* const command = app.add_subcommand("completion", "What a shell needs to complete this command's words");
  const auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "The shell")->required()->check(one_of({"bash", "zsh"}));
  command->footer(
      "Installed with nearfork. By hand:\n  . <(nearfork completion bash)\n  nearfork completion zsh > _nearfork    "
      "# into a folder of $fpath");
  command->callback([&app, shell] {
    const command_facts all = facts_of(app);
    fmt::print("{}", *shell == "bash" ? bash_completion(all) : zsh_completion(all));
  });
}

}  // namespace nearfork::tools
