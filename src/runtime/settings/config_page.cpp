// docs/CONFIGURATION.md, from the table of options. A file of its own: programs that do not print it do not link it.
#include <nearfork/config.hpp>

#include <sstream>

namespace nearfork {
namespace {

/// Text for a cell, with bars escaped: a bar would end the cell.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return escaped;
}

void write_markdown_row(std::ostream& out, const config_option& option) {
  out << "| `" << option.name << "` | `" << option.environment << "` | `" << option.flag << "` | " << option.type
      << (option.unit.empty() ? "" : ", " + option.unit) << " | "
      << (option.default_value.empty() ? "(empty)" : "`" + option.default_value + "`") << " | " << cell(option.allowed)
      << " | " << cell(option.meaning) << " |\n";
}

}  // namespace

std::string config_markdown() {
  std::ostringstream out;
  out << "# Configuration\n\n"
         "Generated from the table in src/runtime/settings/config.cpp by `nearfork config --markdown`; a test compares "
         "them.\n\n"
         "Every option can be set in three ways, the later ones winning: the environment, a flag of the `nearfork`\n"
         "command, the field of `nearfork::config`. Unknown names and bad values are errors that list what is "
         "allowed.\n"
         "Whole numbers are decimal without sign or leading zeros, or hexadecimal after `0x`.\n"
         "An empty environment variable counts as unset. Variables that start with `NEARFORK_BUILD_` or\n"
         "`NEARFORK_TEST_` belong to the build and the tests and are passed over.\n\n"
         "A privileged program (setuid, setgid, or a file with capabilities) obeys no variable, for whoever starts it\n"
         "chooses them: set options in the program, or by its flags. The run report names what was ignored.\n\n"
         "| field | environment | flag | type | default | allowed | meaning |\n"
         "|---|---|---|---|---|---|---|\n";
  for (const auto& option : config_options()) write_markdown_row(out, option);
  return out.str();
}

}  // namespace nearfork
