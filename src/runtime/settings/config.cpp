// The table of options: a row has the name of an option, its allowed values, and how it is read and shown.
// Environment, flags, struct and docs/CONFIGURATION.md all come from here.
#include <nearfork/config.hpp>

#include <algorithm>
#include <cctype>
#include <functional>

#include <nearfork/error.hpp>

#include "base/made_once.hpp"
#include "base/privileged.hpp"
#include "base/text/message_text.hpp"
#include "base/text/number_text.hpp"
#include "base/text/word_choice.hpp"
#include "runtime/settings/environment.hpp"
#include "runtime/settings/switch_text.hpp"

namespace nearfork {
namespace {

constexpr number_range worker_range{0, 4096};
constexpr number_range stack_range{std::uint64_t{16} << 10, std::uint64_t{1} << 30};
constexpr number_range spin_range{0, 10000};
constexpr number_range profile_range{0, 100'000'000};
constexpr number_range move_range{0, std::uint64_t{1} << 40};
constexpr number_range record_range{1, 1'000'000'000};
// The kernel shows at most 15 characters of a thread's name, and the worker's index takes some of them.
constexpr std::size_t longest_name = 64;
constexpr std::size_t longest_shown = 80;  // of the text that a message repeats

constexpr const char* size_suffixes = " (K, M and G are KiB, MiB and GiB)";

constexpr std::string_view environment_prefix = "NEARFORK_";
// Build options and test switches share the prefix; no option's name may begin so (config_test holds this).
constexpr std::string_view foreign_prefixes[] = {"NEARFORK_BUILD_", "NEARFORK_TEST_"};

struct row {
  std::string_view name;
  std::string_view type;
  std::string_view unit;
  std::string_view meaning;
  std::function<std::string()> allowed;
  std::function<bool(config&, std::string_view)> try_set;  // false: not allowed, config unchanged
  std::function<std::string(const config&)> show;
  std::vector<std::string> (*words)() = nullptr;  // the values of an option whose values are words
};

template <class Field, class Value>
bool assign(Field& field, const std::optional<Value>& value) {
  if (value) field = static_cast<Field>(*value);
  return value.has_value();
}

template <class Field>
row number_row(std::string_view name, std::string_view unit, std::string_view meaning, number_range range,
               Field config::* field) {
  return {name,
          "whole number",
          unit,
          meaning,
          [=] { return text_of(range); },
          [=](config& c, std::string_view text) { return assign(c.*field, parse_number(text, range)); },
          [=](const config& c) { return std::to_string(c.*field); }};
}

template <class Field>
row switch_row(std::string_view name, std::string_view meaning, Field config::* field) {
  return {name,
          "switch",
          "",
          meaning,
          [] { return std::string(switch_words); },
          [=](config& c, std::string_view text) { return assign(c.*field, parse_switch(text)); },
          [=](const config& c) { return std::string(static_cast<bool>(c.*field) ? "on" : "off"); }};
}

row text_row(std::string_view name, std::string_view meaning, std::string_view allowed, std::string config::* field,
             bool (*fits)(std::string_view)) {
  return {name,
          "text",
          "",
          meaning,
          [=] { return std::string(allowed); },
          [=](config& c, std::string_view text) {
            if (!fits(text)) return false;
            c.*field = text;
            return true;
          },
          [=](const config& c) { return c.*field; }};
}

row policy_row() {
  return {"policy",
          "word",
          "",
          "how nearfork spreads work: which worker steals from which, and which task runs where; auto steals at "
          "random, and "
          "tries plans where a region recurs",
          [] { return listed(policy_names()); },
          [](config& c, std::string_view text) {
            const auto names = policy_names();
            if (std::find(names.begin(), names.end(), text) == names.end()) return false;
            c.policy = text;
            return true;
          },
          [](const config& c) { return c.policy; },
          policy_names};
}

row pin_row() {
  return {"pin",
          "word",
          "",
          "bind each worker to one PU; auto: only on machines with several cache domains, memory nodes or kinds of "
          "core, because elsewhere no core is nearer to data than another",
          [] { return "auto, " + std::string(switch_words); },
          [](config& c, std::string_view text) {
            if (const auto said = parse_switch(text)) c.pin = *said ? pinning::on : pinning::off;
            else if (text == "auto") c.pin = pinning::automatic;
            else return false;
            return true;
          },
          [](const config& c) {
            return std::string(c.pin == pinning::automatic ? "auto" : c.pin == pinning::on ? "on" : "off");
          }};
}

row iterations_row() {
  return {
      "record_iterations",
      "word",
      "",
      "which iterations of a region are recorded; all: every iteration; one: the second iteration, because the first "
      "one touches pages for the first time, which takes longer; or the first iteration, if the region has only one",
      [] { return std::string("one, all"); },
      [](config& c, std::string_view text) {
        if (text != "one" && text != "all") return false;
        c.record_iterations = text == "all" ? recorded_iterations::all : recorded_iterations::one;
        return true;
      },
      [](const config& c) { return std::string(c.record_iterations == recorded_iterations::all ? "all" : "one"); }};
}

row stack_row() {
  return {"stack_bytes",
          "size",
          "bytes",
          "the size of a fiber's stack; each task tree that waits has a stack; a stack takes that many addresses, and "
          "memory only for the part that was used; a task that needs more ends the program with a message",
          [] { return size_text(stack_range.least) + " to " + size_text(stack_range.most) + size_suffixes; },
          [](config& c, std::string_view text) { return assign(c.stack_bytes, parse_size(text, stack_range)); },
          [](const config& c) { return size_text(c.stack_bytes); }};
}

row move_row() {
  return {
      "move_bytes",
      "size",
      "bytes",
      "how many bytes of placed memory may be moved to their tasks before one iteration of a region; 0: none, and only "
      "pages that no thread has touched yet follow a plan",
      [] { return size_text(move_range.least) + " to " + size_text(move_range.most) + size_suffixes; },
      [](config& c, std::string_view text) { return assign(c.move_bytes, parse_size(text, move_range)); },
      [](const config& c) { return size_text(c.move_bytes); }};
}

// A NUL would cut the text short in every system call that gets it.
bool is_plain_text(std::string_view text) {
  return text.find('\0') == text.npos;
}

bool is_short_name(std::string_view text) {
  return !text.empty() && text.size() <= longest_name &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return c >= 0x20 && c != 0x7f; });
}

std::vector<row> make_rows() {
  return std::vector<row>{
      policy_row(),
      number_row("workers", "",
                 "how many workers run tasks; 0: as many as the machine grants (cores of the affinity "
                 "mask and cpuset, bounded by the CPU quota)",
                 worker_range, &config::workers),
      text_row(
          "machine",
          "the machine to plan for; empty: this machine; else the name of a machine (nearfork topo --list), an lstopo "
          "XML file, or a synthetic description; its domains are mapped onto the cores of this machine",
          "a name such as opteron-8380, a path ending in .xml, or a synthetic "
          "description such as \"package:2 l3:1 core:4 pu:1\"",
          &config::machine, is_plain_text),
      text_row("machine_folder", "the folder with the named machines",
               "empty for the folder that was installed with nearfork, or a path", &config::machine_folder,
               is_plain_text),
      pin_row(),
      switch_row(
          "pin_waits",
          "run each task tree on a thread of its own, which blocks where the tree waits: locks that know their owner "
          "(std::recursive_mutex, std::shared_mutex) may then be held across joins, and thread_locals keep their "
          "addresses; a join that waits takes 10 to 50 us instead of 1, and cache misses are not counted",
          &config::pin_waits),
      switch_row(
          "strict",
          "throw an error for each degradation that the run report would name otherwise: a worker that could not be "
          "pinned; a stack without its guard page; memory that is not on the node that was asked for; and, on several "
          "domains under a policy that was named and asks for the size of tasks (acab, cats, laws, their variants, "
          "auto), cache "
          "misses that cannot be counted; a policy that was not named is content with what there is, and the report "
          "says so",
          &config::strict),
      text_row("report",
               "where nearfork writes the run report when the runtime stops (docs/OUTPUTS.md); several runtimes of a "
               "process may share a file",
               "empty for nowhere, stderr, or a path (JSON "
               "if it ends in .json, else text)",
               &config::report, is_plain_text),
      stack_row(),
      number_row("spin_us", "microseconds", "how long a worker without work searches before it parks", spin_range,
                 &config::spin_us),
      number_row("profile_tasks", "tasks",
                 "how many tasks of a region's iteration a policy may profile; a region with more tasks is not "
                 "planned, and its report says so",
                 profile_range, &config::profile_tasks),
      move_row(),
      text_row(
          "record",
          "the file that gets the task graphs of regions when the runtime stops (docs/RECORDING.md, docs/OUTPUTS.md); "
          "nearfork graph shows them",
          "empty for nowhere, or a path", &config::record, is_plain_text),
      iterations_row(),
      number_row(
          "record_tasks", "tasks",
          "how many tasks a recording may have; iterations that find no room are left out, and the run report says so",
          record_range, &config::record_tasks),
      number_row("seed", "", "the start of random numbers: the same seed gives the same order of victims", any_number,
                 &config::seed),
      text_row("name", "what reports and thread names call the runtime", "1 to 64 characters, no control characters",
               &config::name, is_short_name),
  };
}

const std::vector<row>& rows() {
  static constinit made_once<const std::vector<row>> table;
  return table.get(make_rows);
}

std::string environment_name(const row& option) {
  std::string name(environment_prefix);
  for (const char c : option.name) name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

std::string flag_name(const row& option) {
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

const row& row_called(std::string_view name) {
  for (const auto& option : rows())
    if (option.name == name) return option;
  throw error("no option is called " + quoted(name, longest_shown) +
              suggestion(name, names_of([](const row& option) { return std::string(option.name); })));
}

std::string remark_on(const row& option, std::string_view value) {
  if (option.words != nullptr) return did_you_mean(value, option.words());
  return option.type == "whole number" || option.type == "size" ? std::string(remark_on_number(value)) : "";
}

std::string refusal(const row& option, std::string_view value, std::string_view where) {
  return (where.empty() ? "option " + std::string(option.name) : std::string(where)) + ": bad value " +
         quoted(value, longest_shown) + remark_on(option, value) + "; allowed: " + option.allowed();
}

void set_row(config& changed, const row& option, std::string_view value, std::string_view where) {
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
  const row& asked = row_called(option);
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
}

std::vector<config_option> config_options() {
  std::vector<config_option> options;
  for (const auto& option : rows())
    options.push_back({std::string(option.name), environment_name(option), flag_name(option), std::string(option.type),
                       option.show(config{}), option.allowed(), std::string(option.unit), std::string(option.meaning)});
  return options;
}

}  // namespace nearfork
