#include <fmt/core.h>

#include <memory>

#include <nearfork/config.hpp>

#include "tools/command.hpp"

namespace nearfork::tools {
namespace {

void print_settings() {
  const config now = config::from_environment();
  fmt::print("{:<14} {:<24} {:<12} {}\n", "option", "environment", "value", "from");
  for (const config_option& option : config_options())
    fmt::print("{:<14} {:<24} {:<12} {}\n", option.name, option.environment, now.text_of(option.name),
               now.source_of(option.name));
}

}  // namespace

void add_config(CLI::App& app) {
  auto* const command = app.add_subcommand("config", "What the environment configures, and what may be configured");
  const auto markdown = std::make_shared<bool>(false);
  command->add_flag("--markdown", *markdown, "Print docs/CONFIGURATION.md instead");
  command->footer("Example: NEARFORK_WORKERS=2 nearfork config");
  command->callback([markdown] {
    if (*markdown) fmt::print("{}", config_markdown());
    else print_settings();
  });
}

}  // namespace nearfork::tools
