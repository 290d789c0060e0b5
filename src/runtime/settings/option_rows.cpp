#include "runtime/settings/option_rows.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>

#include "base/text/control_chars.hpp"
#include "base/text/number_text.hpp"
#include "base/text/word_choice.hpp"
#include "plan/course/clock_search.hpp"
#include "runtime/settings/switch_text.hpp"

namespace nearfork {
namespace {

constexpr number_range worker_range{0, 4096};
constexpr number_range stack_range{std::uint64_t{16} << 10, std::uint64_t{1} << 30};
constexpr number_range spin_range{0, 10000};
constexpr number_range profile_range{0, 100'000'000};
constexpr number_range move_range{0, std::uint64_t{1} << 40};
constexpr number_range malloc_range{std::uint64_t{64} << 10, std::uint64_t{1} << 40};
constexpr number_range heat_cost_range{1, 1000};
constexpr number_range record_range{1, 1'000'000'000};
constexpr number_range trace_range{64, std::uint64_t{1} << 24};
constexpr number_range sampling_range{0, std::uint64_t{1} << 20};
constexpr number_range push_range{0, std::uint64_t{1} << 40};
constexpr number_range mailbox_range{1, 65'536};
constexpr number_range poll_range{0, 1'000'000};
constexpr number_range stall_range{0, 1'000'000};
// The kernel shows at most 15 characters of a thread's name, and the worker's index takes some of them.
constexpr std::size_t longest_name = 64;

constexpr const char* size_suffixes = " (K, M and G are KiB, MiB and GiB)";

template <class Field, class Value>
bool assign(Field& field, const std::optional<Value>& value) {
  if (value) field = static_cast<Field>(*value);
  return value.has_value();
}

template <class Field>
option_row number_row(std::string_view name, std::string_view unit, std::string_view meaning, number_range range,
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
option_row switch_row(std::string_view name, std::string_view meaning, Field config::* field) {
  return {name,
          "switch",
          "",
          meaning,
          [] { return std::string(switch_words); },
          [=](config& c, std::string_view text) { return assign(c.*field, parse_switch(text)); },
          [=](const config& c) { return std::string(static_cast<bool>(c.*field) ? "on" : "off"); }};
}

option_row text_row(std::string_view name, std::string_view meaning, std::string_view allowed,
                    std::string config::* field, bool (*fits)(std::string_view)) {
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

option_row policy_row() {
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

/// What a field says that has none of its enumerators: no row takes it.
std::string no_word(std::size_t value) {
  return "enumerator " + std::to_string(value);
}

option_row pin_row() {
  return {
      "pin",
      "word",
      "",
      "bind each worker to one PU; auto: only on machines with several cache domains, memory nodes or kinds of "
      "core, because elsewhere no core is nearer to data than another; there, while a worker sleeps, it is kept off "
      "the PU of the thread that woke it last, if the system wakes threads beside their wakers",
      [] { return "auto, " + std::string(switch_words); },
      [](config& c, std::string_view text) {
        if (const auto said = parse_switch(text)) c.pin = *said ? pinning::on : pinning::off;
        else if (text == "auto") c.pin = pinning::automatic;
        else return false;
        return true;
      },
      [](const config& c) {
        switch (c.pin) {
          case pinning::automatic: return std::string("auto");
          case pinning::on: return std::string("on");
          case pinning::off: return std::string("off");
        }
        return no_word(static_cast<std::size_t>(c.pin));
      }};
}

/// The words are in the order of the field's values.
template <class Field>
option_row word_row(std::string_view name, std::string_view meaning, std::span<const std::string_view> words,
                    Field config::* field) {
  return {name,
          "word",
          "",
          meaning,
          [=] { return listed(std::vector<std::string>(words.begin(), words.end())); },
          [=](config& c, std::string_view text) {
            const auto found = std::ranges::find(words, text);
            if (found == words.end()) return false;
            c.*field = static_cast<Field>(found - words.begin());
            return true;
          },
          [=](const config& c) {
            const auto value = static_cast<std::size_t>(c.*field);
            return value < words.size() ? std::string(words[value]) : no_word(value);
          },
          [=] { return std::vector<std::string>(words.begin(), words.end()); }};
}

/// The shortest text that parse_decimal() reads as `value`.
std::string decimal_text(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

/// A factor between 0 and 1000.
option_row weight_row(std::string_view name, std::string_view meaning, double config::* field) {
  return {name,
          "number",
          "",
          meaning,
          [] { return std::string("0 to 1000, with decimals"); },
          [=](config& c, std::string_view text) {
            const auto value = parse_decimal(text);
            return value && *value >= 0 && *value <= 1000 && assign(c.*field, value);
          },
          [=](const config& c) { return decimal_text(c.*field); }};
}

constexpr std::string_view push_words[] = {"none", "input", "output", "weighted"};
constexpr std::string_view alloc_words[] = {"immediate", "deferred"};
constexpr std::string_view power_words[] = {"off", "report", "manage"};
constexpr std::string_view recorded_words[] = {"one", "all"};
constexpr std::string_view malloc_words[] = {"initial", "all"};
constexpr std::string_view hotness_words[] = {"auto", "hints", "samples", "damon", "clear_refs", "page_idle", "none"};

template <class Number>
option_row size_row(std::string_view name, std::string_view meaning, number_range range, Number config::* field) {
  return {name,
          "size",
          "bytes",
          meaning,
          [=] { return size_text(range.least) + " to " + size_text(range.most) + size_suffixes; },
          [=](config& c, std::string_view text) { return assign(c.*field, parse_size(text, range)); },
          [=](const config& c) { return size_text(c.*field); }};
}

// A NUL would cut the text short in every system call that gets it.
bool is_plain_text(std::string_view text) {
  return text.find('\0') == text.npos;
}

bool is_short_name(std::string_view text) {
  return !text.empty() && text.size() <= longest_name && std::none_of(text.begin(), text.end(), is_control);
}

}  // namespace

std::vector<option_row> make_option_rows() {
  return {
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
          "misses that cannot be counted; energy or clocks that power asks for; a policy that was not named is content "
          "with what there is, and the report "
          "says so",
          &config::strict),
      word_row("power",
               "off: no energy is read, and no clock is set; report: the run report has the energy of each region; "
               "manage: the same, and cores whose workers wait get their lowest clock, while others are raised by the "
               "power that this saves; all clocks are restored when the runtime stops, however it stops "
               "(docs/POWER.md)",
               power_words, &config::power),
      word_row(
          "goal",
          "what clocks are chosen for if power is manage; time: the most work per second; energy: the least energy "
          "for a region's iteration that takes at most 3% longer than at normal clocks; edp: the least product "
          "of energy and time; other goals than time need counters of energy",
          goal_names, &config::goal),
      text_row("report",
               "where nearfork writes the run report when the runtime stops (docs/OUTPUTS.md); several runtimes of a "
               "process may share a file",
               "empty for nowhere, stderr, or a path (JSON "
               "if it ends in .json, else text)",
               &config::report, is_plain_text),
      size_row("stack_bytes",
               "the size of a fiber's stack; each task tree that waits has a stack; a stack takes that many addresses, "
               "and memory only for the part that was used; a task that needs more ends the program with a message",
               stack_range, &config::stack_bytes),
      number_row("spin_us", "microseconds", "how long a worker without work searches before it parks", spin_range,
                 &config::spin_us),
      number_row("profile_tasks", "tasks",
                 "how many tasks of a region's iteration a policy may profile; a region with more tasks is not "
                 "planned, and its report says so",
                 profile_range, &config::profile_tasks),
      size_row("move_bytes",
               "how many bytes of placed memory may be moved to their tasks before one iteration of a region; 0: none, "
               "and only pages that no thread has touched yet follow a plan",
               move_range, &config::move_bytes),
      size_row("malloc_from",
               "with libnearfork-malloc.so (nearfork run --place-malloc): the size of the smallest block of malloc or "
               "operator new that becomes placed memory; the settings of the last runtime that started hold for the "
               "process",
               malloc_range, &config::malloc_from),
      word_row("malloc_blocks",
               "which of these blocks become placed memory; initial: those that are allocated before any region, or "
               "by a task while a region is in its first iteration; all: every one",
               malloc_words, &config::malloc_blocks),
      word_row(
          "hotness",
          "what tells how hot data are, for policies that move hot data (bats); auto: hints if tasks give any, else "
          "the best of the others that the system grants; hints: reads() and writes() in tasks; samples: accesses "
          "sampled by the processor; damon: the kernel's DAMON, as root; clear_refs: marks of pages in use in "
          "/proc/self; page_idle: marks of idle pages, as root; none: hot data do not move; what was used, and its "
          "cost, is on the run report",
          hotness_words, &config::hotness),
      number_row(
          "hotness_cost", "thousandths",
          "how much of the iteration in which hot data are looked for the looking may take; more looks cost more "
          "and see more; a source that takes longer is switched off afterwards",
          heat_cost_range, &config::hotness_cost),
      text_row(
          "record",
          "the file that gets the task graphs of regions when the runtime stops (docs/RECORDING.md, docs/OUTPUTS.md); "
          "nearfork graph shows them",
          "empty for nowhere, or a path", &config::record, is_plain_text),
      word_row("record_iterations",
               "which iterations of a region are recorded; all: every iteration; one: the second iteration, because "
               "the first one touches pages for the first time, which takes longer; or the first iteration, if the "
               "region has only one",
               recorded_words, &config::record_iterations),
      number_row(
          "record_tasks", "tasks",
          "how many tasks a recording may have; iterations that find no room are left out, and the run report says so",
          record_range, &config::record_tasks),
      text_row("trace",
               "the file that gets the trace of the run when the runtime stops, in Perfetto's format (docs/TRACES.md, "
               "docs/OUTPUTS.md); ui.perfetto.dev shows it",
               "empty for nowhere, or a path", &config::trace, is_plain_text),
      number_row(
          "trace_events", "events",
          "how many events of the trace each worker keeps, rounded up to a power of two; the oldest give way, and "
          "the run report says how many",
          trace_range, &config::trace_events),
      number_row(
          "trace_tasks", "",
          "which tasks the trace has beside those that a worker took from elsewhere and the roots of planned "
          "subtrees: 1: every task, n: one of n, 0: none; each task then costs what it costs in a recording, and "
          "a dataflow task two events; with `record` only tasks of recorded iterations",
          sampling_range, &config::trace_tasks),
      word_row("push",
               "which data of a dataflow task decide where it runs, on machines with several memory nodes: when its "
               "last input is written, the task is pushed to a worker of the node from which these data cost the "
               "least; none: it stays with the worker that made it ready; output and weighted need alloc=immediate",
               push_words, &config::push),
      word_row("alloc",
               "when a buffer of a dataflow graph gets its memory, on machines with several memory nodes; immediate: "
               "when a task that reads it is created, on the creator's node; deferred: when the task that writes it "
               "starts, on the node that runs that task",
               alloc_words, &config::alloc),
      size_row("push_threshold", "dataflow tasks whose data are smaller than this are not pushed", push_range,
               &config::push_threshold),
      weight_row("push_input_weight", "what a byte that a task reads counts, if push is input or weighted",
                 &config::push_input_weight),
      weight_row("push_output_weight",
                 "what a byte that a task writes counts, if push is output or weighted: how much longer than a read a "
                 "write takes",
                 &config::push_output_weight),
      number_row("mailbox_tasks", "tasks",
                 "how many pushed tasks one worker's mailbox holds; a task that finds the mailbox full stays near the "
                 "worker that made it ready",
                 mailbox_range, &config::mailbox_tasks),
      number_row("mpi_poll_us", "microseconds",
                 "how often is asked whether awaited messages have come (docs/MPI.md) while all workers have work; 0: "
                 "between all tasks, and never during a task",
                 poll_range, &config::mpi_poll_us),
      number_row("mpi_stall_s", "seconds",
                 "how long a task may wait for a message until a report on stderr names it (docs/MPI.md); 0: there is "
                 "no such report",
                 stall_range, &config::mpi_stall_s),
      number_row("seed", "", "the start of random numbers: the same seed gives the same order of victims", any_number,
                 &config::seed),
      text_row("name", "what reports and thread names call the runtime", "1 to 64 characters, no control characters",
               &config::name, is_short_name),
  };
}

}  // namespace nearfork
