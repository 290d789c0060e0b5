#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include <nearfork/error.hpp>

#include "base/text/message_text.hpp"
#include "base/text/word_choice.hpp"
#include "recording/recording_file.hpp"
#include "tools/command.hpp"
#include "tools/output/csv.hpp"
#include "tools/output/json_dump.hpp"
#include "tools/recordings/recording_facts.hpp"

namespace nearfork::tools {
namespace {

using nlohmann::ordered_json;

struct graph_arguments {
  std::string file;
  std::string region;
  bool json = false;
  bool csv = false;
};

void info(const graph_arguments& arguments) {
  const recordings::recording made = recordings::load_recording(arguments.file);
  if (arguments.json) fmt::print("{}\n", dumped(json_of(made, arguments.file)));
  else if (arguments.csv) fmt::print("{}", csv_of(made));
  else fmt::print("{}", text_of(made, arguments.file));
}

void check(const graph_arguments& arguments) {
  try {
    const recordings::recording made = recordings::load_recording(arguments.file);
    if (arguments.json)
      fmt::print("{}\n", dumped(ordered_json{{"version", 1}, {"file", arguments.file}, {"sound", true}}));
    else fmt::print("sound: {}\n", one_line_of(made, arguments.file));
  } catch (const error& wrong) {
    if (!arguments.json) throw;
    fmt::print("{}\n",
               dumped(ordered_json{{"version", 1}, {"file", arguments.file}, {"sound", false}, {"why", wrong.what()}}));
    throw exit_with{exit_code::failed};
  }
}

// --- dump ---

const char* name_of(recordings::access_kind kind) {
  return kind == recordings::access_kind::read ? "reads" : "writes";
}

ordered_json json_of(const recordings::data_access& one, const recordings::recording& made) {
  ordered_json access = {{"kind", name_of(one.kind)},
                         {"block", made.blocks[one.block].name},
                         {"begin", one.begin_byte},
                         {"bytes", one.size_bytes}};
  if (one.count > 1) {
    access["count"] = one.count;
    access["stride"] = one.stride_bytes;
  }
  return access;
}

std::string text_of(const recordings::data_access& one, const recordings::recording& made) {
  std::string text =
      fmt::format(" {} {} [{}, +{})", name_of(one.kind), made.blocks[one.block].name, one.begin_byte, one.size_bytes);
  if (one.count > 1) text += fmt::format(" x {} every {}", one.count, one.stride_bytes);
  return text;
}

/// The task that waits for the graph is its parent in the tree.
std::uint32_t creator_of(const recordings::flow_order& flow, std::size_t place, std::uint32_t parent) {
  return flow.creator(place) == recordings::flow_order::by_waiting_task ? parent : flow.creator(place);
}

/// " after 3, 4, created by 3"; empty: it is no dataflow task, or waits for nothing but its creation by the parent.
std::string order_text(const recordings::flow_order& flow, std::uint32_t task, std::uint32_t parent) {
  const auto place = flow.place_of(task);
  if (!place) return {};
  std::string text = ", dataflow";
  const auto list = [&text](const char* word, std::span<const std::uint32_t> numbers) {
    if (!numbers.empty()) text += fmt::format(" {} {}", word, fmt::join(numbers, ", "));
  };
  list("after", flow.predecessors(*place));
  if (flow.creator(*place) != recordings::flow_order::by_waiting_task)
    text += fmt::format(" by {}", creator_of(flow, *place, parent));
  list("alone in", flow.exclusions(*place));
  return text;
}

ordered_json json_of(const recordings::task_graph& graph, std::uint32_t task, std::uint32_t parent,
                     const recordings::recording& made) {
  auto stretches = ordered_json::array();
  const auto forks = graph.forks(task);
  for (std::uint32_t i = 0; i <= forks.size(); ++i) {
    const auto work = graph.work(task, i);
    auto accesses = ordered_json::array();
    for (const recordings::data_access& one : work.accesses) accesses.push_back(json_of(one, made));
    ordered_json stretch = {{"time_ns", work.time_ns}, {"accesses", accesses}};
    if (i < forks.size())
      stretch["then_forks"] = {{"first_child", forks[i].first_child}, {"children", forks[i].branching}};
    stretches.push_back(stretch);
  }
  ordered_json one = {{"task", task}, {"parent", nullptr}, {"stretches", stretches}};
  if (task != 0) one["parent"] = parent;
  if (const auto place = graph.flow().place_of(task))
    one["dataflow"] = {{"creator", creator_of(graph.flow(), *place, parent)},
                       {"predecessors", graph.flow().predecessors(*place)},
                       {"exclusions", graph.flow().exclusions(*place)}};
  return one;
}

void print_text(const recordings::task_graph& graph, std::uint32_t task, std::uint32_t parent,
                const recordings::recording& made) {
  std::string line = task == 0
                         ? "    task 0, the root:"
                         : fmt::format("    task {} of {}{}:", task, parent, order_text(graph.flow(), task, parent));
  const auto forks = graph.forks(task);
  for (std::uint32_t i = 0; i <= forks.size(); ++i) {
    const auto work = graph.work(task, i);
    line += fmt::format(" {} ns", work.time_ns);
    for (const recordings::data_access& one : work.accesses) line += text_of(one, made);
    if (i < forks.size())
      line += fmt::format(", forks {}-{},", forks[i].first_child, forks[i].first_child + forks[i].branching - 1);
  }
  fmt::print("{}\n", line);
}

bool is_text(const graph_arguments& arguments) {
  return !arguments.json && !arguments.csv;
}

const std::vector<std::string> dump_columns{"region", "iteration", "task",  "parent", "stretch", "time_ns", "kind",
                                            "block",  "begin",     "bytes", "count",  "stride",  "after"};

/// The predecessors of a dataflow task, with spaces between them.
std::string after_of(const recordings::flow_order& flow, std::uint32_t task) {
  const auto place = flow.place_of(task);
  return place ? fmt::format("{}", fmt::join(flow.predecessors(*place), " ")) : "";
}

/// A line per access; one without an access for a stretch that has none. The time of a stretch is on its first line.
void print_csv(const std::string& region, const recordings::iteration& of, std::uint32_t task, std::uint32_t parent,
               const recordings::recording& made) {
  const std::size_t stretches = of.graph.forks(task).size() + 1;
  const std::string after = after_of(of.graph.flow(), task);
  for (std::uint32_t i = 0; i < stretches; ++i) {
    const auto work = of.graph.work(task, i);
    std::vector<std::string> line{region,
                                  std::to_string(of.number),
                                  std::to_string(task),
                                  task == 0 ? "" : std::to_string(parent),
                                  std::to_string(i),
                                  std::to_string(work.time_ns)};
    const std::size_t known = line.size();
    if (work.accesses.empty()) {
      line.resize(dump_columns.size() - 1);
      line.push_back(after);
      fmt::print("{}", csv_line(line));
    }
    for (const recordings::data_access& one : work.accesses) {
      line.resize(known);
      line.insert(line.end(), {name_of(one.kind), made.blocks[one.block].name, std::to_string(one.begin_byte),
                               std::to_string(one.size_bytes), std::to_string(one.count),
                               one.count > 1 ? std::to_string(one.stride_bytes) : "", after});
      fmt::print("{}", csv_line(line));
      line[known - 1] = "0";
    }
  }
}

std::vector<std::string> names_of(const recordings::recording& made) {
  std::vector<std::string> names;
  for (const recordings::region& one : made.regions) names.push_back(one.name);
  return names;
}

/// Writes task by task, so that a large graph is not held as text. In JSON one task per line: JSON Lines.
void dump(const graph_arguments& arguments) {
  const recordings::recording made = recordings::load_recording(arguments.file);
  if (arguments.csv) fmt::print("{}", csv_line(dump_columns));
  bool found = arguments.region.empty();
  for (const recordings::region& region : made.regions) {
    if (!arguments.region.empty() && region.name != arguments.region) continue;
    found = true;
    if (is_text(arguments)) fmt::print("region {}\n", region.name);
    for (const recordings::iteration& one : region.recorded) {
      if (is_text(arguments)) fmt::print("  iteration {}: {} ns\n", one.number, one.duration_ns);
      const auto parents = parents_of(one.graph);
      for (std::uint32_t task = 0; task < one.graph.tasks(); ++task) {
        if (arguments.csv) {
          print_csv(region.name, one, task, parents[task], made);
          continue;
        }
        if (!arguments.json) {
          print_text(one.graph, task, parents[task], made);
          continue;
        }
        ordered_json line = {{"region", region.name}, {"iteration", one.number}};
        line.update(json_of(one.graph, task, parents[task], made));
        fmt::print("{}\n", dumped(line, -1));
      }
    }
  }
  if (!found)
    throw error("nearfork: " + arguments.file + " has no region " + nearfork::quoted(arguments.region) +
                did_you_mean(arguments.region, names_of(made)) + "; nearfork graph info lists them");
}

CLI::App* add(CLI::App& command, const char* name, const char* what, const std::shared_ptr<graph_arguments>& arguments,
              void (*act)(const graph_arguments&), const char* lines = "") {
  auto* const added = command.add_subcommand(name, what);
  added->add_option("file", arguments->file, "A recording, made by nearfork record")->required();
  auto* const json = added->add_flag("--json", arguments->json, "Print JSON");
  if (act != check) added->add_flag("--csv", arguments->csv, lines)->excludes(json);
  added->callback([arguments, act] { act(*arguments); });
  return added;
}

}  // namespace

void add_graph(CLI::App& app) {
  auto* const command =
      app.add_subcommand("graph", "Look at a recording: what it holds, every task of it, whether it is sound");
  command->require_subcommand(1);
  const auto arguments = std::make_shared<graph_arguments>();
  add(*command, "info", "Regions, iterations, how many tasks, how much work", arguments, info,
      "Print one line per recorded iteration")
      ->footer("Examples:\n  nearfork graph info g.nfg\n  nearfork graph info g.nfg --json");
  auto* const dumped =
      add(*command, "dump", "Every task: its parent, its stretches of work and what they touch, its forks", arguments,
          dump, "Print one line per access");
  dumped->add_option("--region", arguments->region, "This one alone");
  dumped->footer(
      "With --json one task a line, with --csv one access.\nExamples:\n  nearfork graph dump g.nfg | less\n  nearfork "
      "graph dump g.nfg "
      "--region heat --json");
  add(*command, "check", "Read the file to its end; status 1 and the reason if it is damaged", arguments, check)
      ->footer("Example:\n  nearfork graph check g.nfg && nearfork graph info g.nfg");
  command->footer(
      "Examples:\n  nearfork record -o g.nfg -- ./program\n  nearfork graph info g.nfg\n  nearfork graph check g.nfg");
}

}  // namespace nearfork::tools
