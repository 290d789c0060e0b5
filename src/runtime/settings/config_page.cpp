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
         "`nearfork config --markdown` prints this page from the table in src/runtime/settings/config.cpp. A test "
         "compares "
         "the\ntwo.\n\n"
         "An option can be set in three ways: by an environment variable, by a flag of the `nearfork` command, and by "
         "a\n"
         "field of `nearfork::config`. A flag overrides the variable, and a field overrides both. An unknown name or a "
         "bad\nvalue is an error, and its message lists what is allowed.\n\n"
         "Write whole numbers in decimal digits without sign and leading zeros, or in hexadecimal digits after "
         "`0x`.\n\n"
         "An empty environment variable counts as unset. Variables that start with `NEARFORK_BUILD_` or "
         "`NEARFORK_TEST_`\nbelong to the build and to the tests; the library ignores them.\n\n"
         "A privileged program (setuid, setgid, or a file with capabilities) ignores all these variables, because the "
         "user\nwho starts the program chooses them. Set its options in the program or by its flags. The run report "
         "names "
         "the\nvariables that were ignored.\n\n"
         "| field | environment | flag | type | default | allowed | meaning |\n"
         "|---|---|---|---|---|---|---|\n";
  for (const auto& option : config_options()) write_markdown_row(out, option);
  return out.str();
}

}  // namespace nearfork
