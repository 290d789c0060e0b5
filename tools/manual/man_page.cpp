#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include <nearfork/config.hpp>

#include "tools/manual/command_tree.hpp"

namespace nearfork::tools {
namespace {

/// For man(7): no word of a text is a request, and a dash is a dash.
std::string escaped(const std::string& text) {
  std::string made;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) made += "\\&";
    if (c == '\\') made += "\\e";
    else if (c == '-') made += "\\-";
    else made += c;
    line_begins = c == '\n';
  }
  return made;
}

std::string bold(const std::string& text) {
  return "\\fB" + escaped(text) + "\\fR";
}
std::string italic(const std::string& text) {
  return "\\fI" + escaped(text) + "\\fR";
}

std::string heading(const option_facts& one) {
  std::string made;
  for (const std::string& name : one.names)
    made += (made.empty() ? "" : ", ") + (one.positional ? italic(name) : bold(name));
  if (!one.type.empty() && !one.positional) made += " " + italic(one.type);
  return made;
}

std::string synopsis_of(const command_facts& of) {
  std::string made = bold(of.name(" "));
  const bool any = std::ranges::any_of(of.options, [](const option_facts& one) { return !one.positional; });
  if (any) made += " [" + italic("options") + "]";
  for (const option_facts& one : of.options)
    if (one.positional) made += one.required ? " " + italic(one.names.front()) : " [" + italic(one.names.front()) + "]";
  if (!of.commands.empty()) made += " " + italic("command");
  return made;
}

std::string description_of(const option_facts& one) {
  std::string text = one.meaning;
  if (!text.empty() && text.back() != '.') text += '.';
  if (one.kind == value_kind::words) text += fmt::format(" One of: {}.", fmt::join(one.words, ", "));
  if (!one.usual.empty()) text += fmt::format(" Without it: {}.", one.usual);
  if (one.required) text += " Required.";
  return text;
}

std::string options_of(const command_facts& of) {
  std::string made;
  for (const option_facts& one : of.options)
    made += fmt::format(".TP\n{}\n{}\n", heading(one), escaped(description_of(one)));
  return made;
}

/// Lines of the footer that are indented are examples, and keep their form.
std::string notes_of(const command_facts& of) {
  if (of.footer.empty()) return {};
  std::string made;
  std::istringstream lines(of.footer);
  bool in_example = false;
  for (std::string line; std::getline(lines, line);) {
    const bool example = line.starts_with("  ");
    if (example != in_example) made += example ? ".PP\n.nf\n" : ".fi\n.PP\n";
    in_example = example;
    made += line.empty() ? std::string(".PP\n") : escaped(line) + "\n";
  }
  return ".SH NOTES\n" + made + (in_example ? ".fi\n" : "");
}

std::string commands_of(const command_facts& of, bool have_pages) {
  std::string made = ".SH COMMANDS\n";
  for (const command_facts& one : of.commands)
    made += have_pages ? fmt::format(".TP\n{}\n{}. See {}(1).\n", bold(one.name(" ")), escaped(one.meaning),
                                     bold(one.name("-")))
                       : fmt::format(".SS {}\n{}.\n.PP\n{}\n{}", escaped(one.name(" ")), escaped(one.meaning),
                                     synopsis_of(one), options_of(one));
  return made;
}

std::string environment() {
  std::string made = ".SH ENVIRONMENT\n";
  for (const config_option& one : config_options())
    made += fmt::format(".TP\n{}\n{}\n", bold(std::string(one.environment)), escaped(std::string(one.meaning)));
  return made + ".TP\n" + bold("NO_COLOR") + "\nAny value but the empty one: no colours, on terminals either.\n";
}

}  // namespace

std::string man_page(const command_facts& of) {
  const bool is_root = of.path.size() == 1;
  std::string made = fmt::format(".TH \"{}\" \"1\" \"\" \"nearfork\" \"User Commands\"\n.SH NAME\n{} \\- {}\n",
                                 of.name("-"), escaped(of.name("-")), escaped(of.meaning));
  made += ".SH SYNOPSIS\n" + synopsis_of(of) + "\n";
  if (!of.options.empty()) made += ".SH OPTIONS\n" + options_of(of);
  if (!of.commands.empty()) made += commands_of(of, is_root);
  if (is_root) made += environment();
  made += notes_of(of);
  if (!is_root) made += ".SH SEE ALSO\n" + bold(of.path.front()) + "(1)\n";
  return made;
}

std::vector<named_page> man_pages(const command_facts& root) {
  std::vector<named_page> made{{root.name("-") + ".1", man_page(root)}};
  for (const command_facts& one : root.commands) made.push_back({one.name("-") + ".1", man_page(one)});
  return made;
}

}  // namespace nearfork::tools
