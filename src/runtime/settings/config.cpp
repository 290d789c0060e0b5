// The table of options (option_rows.hpp), read from the environment and from the program.
// Environment, flags, struct and docs/CONFIGURATION.md all come from here.
#include <nearfork/config.hpp>

#include <algorithm>
#include <cctype>

#include <nearfork/error.hpp>

#include "base/made_once.hpp"
#include "base/privileged.hpp"
#include "base/text/message_text.hpp"
#include "base/text/number_text.hpp"
#include "base/text/word_choice.hpp"
#include "plan/dataflow/activation.hpp"
#include "runtime/settings/environment.hpp"
#include "runtime/settings/option_rows.hpp"

namespace nearfork {
namespace {

constexpr std::size_t longest_shown = 80;  // of the text that a message repeats

constexpr std::string_view environment_prefix = "NEARFORK_";
// Build options and test switches share the prefix; no option's name may begin so (config_test holds this).
constexpr std::string_view foreign_prefixes[] = {"NEARFORK_BUILD_", "NEARFORK_TEST_"};

const std::vector<option_row>& rows() {
  static constinit made_once<const std::vector<option_row>> table;
  return table.get(make_option_rows);
}

std::string environment_name(const option_row& option) {
  std::string name(environment_prefix);
  for (const char c : option.name) name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

std::string flag_name(const option_row& option) {
  std::string name = "--" + std::string(option.name);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

template <class Name>
std::vector<std::string> names_of(Name name) {
  std::vector<std::string> names;
  for (const auto& option : rows()) names.push_back(name(option));
  return names;
}

const option_row& row_called(std::string_view name) {
  for (const auto& option : rows())
    if (option.name == name) return option;
  throw error("no option is called " + quoted(name, longest_shown) +
              suggestion(name, names_of([](const option_row& option) { return std::string(option.name); })));
}

std::string remark_on(const option_row& option, std::string_view value) {
  if (option.words) return did_you_mean(value, option.words());
  return option.type == "whole number" || option.type == "size" ? std::string(remark_on_number(value)) : "";
}

std::string refusal(const option_row& option, std::string_view value, std::string_view where) {
  return (where.empty() ? "option " + std::string(option.name) : std::string(where)) + ": bad value " +
         quoted(value, longest_shown) + remark_on(option, value) + "; allowed: " + option.allowed();
}

void set_row(config& changed, const option_row& option, std::string_view value, std::string_view where) {
  if (!option.try_set(changed, value)) throw error(refusal(option, value, where));
  std::erase_if(changed.settings, [&](const auto& setting) { return setting.option == option.name; });
  changed.settings.push_back(
      {std::string(option.name), option.show(changed), where.empty() ? "program" : std::string(where)});
}

bool is_foreign(std::string_view name) {
  return std::any_of(std::begin(foreign_prefixes), std::end(foreign_prefixes),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

/// Empty if the entry was applied or is not ours, else what is wrong with it.
std::string apply(config& changed, const environment_entry& entry) {
  if (!entry.name.starts_with(environment_prefix) || is_foreign(entry.name)) return {};
  for (const auto& option : rows()) {
    if (environment_name(option) != entry.name) continue;
    if (entry.value.empty()) return {};
    try {
      set_row(changed, option, entry.value, "environment variable " + entry.name);
      return {};
    } catch (const error& wrong) {
      return wrong.what();
    }
  }
  return "unknown environment variable " + quoted(entry.name, longest_shown) +
         suggestion(entry.name, names_of(environment_name));
}

/// The variables that would set an option. Others are left out: their names may be anything.
std::vector<std::string> options_named_by(std::span<const environment_entry> environment) {
  std::vector<std::string> names;
  for (const auto& option : rows()) {
    const std::string name = environment_name(option);
    if (std::ranges::any_of(environment, [&](const auto& entry) { return entry.name == name && !entry.value.empty(); }))
      names.push_back(name);
  }
  return names;
}

}  // namespace

config config_from(std::span<const environment_entry> environment) {
  config result;
  std::string problems;
  for (const auto& entry : environment)
    if (const auto problem = apply(result, entry); !problem.empty())
      problems += (problems.empty() ? "" : "\n") + problem;
  if (!problems.empty()) throw error(problems);
  return result;
}

config config::from_environment() {
  const std::vector<environment_entry> environment = read_environment();
  if (!is_privileged()) return config_from(environment);
  config untouched;
  untouched.ignored_variables = options_named_by(environment);
  return untouched;
}

void config::set(std::string_view option, std::string_view value, std::string_view where) {
  set_row(*this, row_called(option), value, where);
}

std::string config::text_of(std::string_view option) const {
  return row_called(option).show(*this);
}

std::string config::source_of(std::string_view option) const {
  const option_row& asked = row_called(option);
  const std::string now = asked.show(*this);
  for (const auto& done : settings)
    if (done.option == asked.name && done.text == now) return done.where;
  return now == asked.show(config{}) ? "default" : "program";
}

void config::check() const {
  config scratch;
  for (const auto& option : rows())
    if (const auto value = option.show(*this); !option.try_set(scratch, value))
      throw error(refusal(option, value, "field " + std::string(option.name) + " of nearfork::config"));
  // The enumerations have the same values in the same order.
  const std::string_view wrong = conflict(static_cast<push_heuristic>(push), static_cast<buffer_allocation>(alloc));
  if (!wrong.empty()) throw error("nearfork: " + std::string(wrong));
}

std::vector<config_option> config_options() {
  std::vector<config_option> options;
  for (const auto& option : rows())
    options.push_back({std::string(option.name), environment_name(option), flag_name(option), std::string(option.type),
                       option.show(config{}), option.allowed(), std::string(option.unit), std::string(option.meaning)});
  return options;
}

}  // namespace nearfork
