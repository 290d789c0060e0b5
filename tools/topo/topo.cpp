#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include <nearfork/error.hpp>

#include "base/output/output_file.hpp"
#include "base/output/standard_streams.hpp"
#include "machine/described/named_machines.hpp"
#include "machine/model/machine.hpp"
#include "sensors/miss_counter.hpp"
#include "tools/command.hpp"
#include "tools/output/csv.hpp"
#include "tools/output/json_dump.hpp"
#include "tools/terminal/progress_line.hpp"
#include "tools/topo/machine_measurement.hpp"
#include "tools/topo/machines_page.hpp"

namespace nearfork::tools {
namespace {

struct topo_arguments {
  std::string xml;
  std::string synthetic;
  std::string machine;
  std::optional<std::string> output;
  bool json = false;
  bool csv = false;
  bool list = false;
  bool markdown = false;
  bool measure = false;
};

/// The time of one reading, beside filling memory: long compared with an interrupt, and a few seconds for all on a
/// small machine.
constexpr double seconds_each = 0.1;
/// The time of all readings together. On machines with many nodes each gets less.
constexpr double seconds_of_all = 8;

template <class Id>
nlohmann::json numbers(const std::vector<Id>& ids) {
  auto list = nlohmann::json::array();
  for (const Id id : ids) list.push_back(static_cast<std::uint32_t>(id));
  return list;
}

nlohmann::json json_of(const package& shown, std::size_t index) {
  return {{"id", index}, {"os_index", number_of(shown.os)}, {"domains", numbers(shown.domains)}};
}

nlohmann::json json_of(const domain& shown, std::size_t index) {
  auto caches = nlohmann::json::array();
  for (const cache_level& cache : shown.caches)
    caches.push_back(
        {{"level", cache.level}, {"size_bytes", cache.size_bytes}, {"shared_by_cores", cache.shared_by_cores}});
  return {{"id", index},
          {"package", static_cast<std::uint32_t>(shown.package)},
          {"cores", numbers(shown.cores)},
          {"caches", caches},
          {"nodes", numbers(shown.nodes)}};
}

nlohmann::json json_of(const memory_node& node, std::size_t index) {
  nlohmann::json made = {{"id", index},
                         {"os_index", number_of(node.os)},
                         {"kind", name_of(node.kind)},
                         {"capacity_bytes", node.capacity_bytes},
                         {"domains", numbers(node.domains)}};
  if (node.bandwidth_mib_per_s) made["bandwidth_mib_per_s"] = *node.bandwidth_mib_per_s;
  if (node.latency_ns) made["latency_ns"] = *node.latency_ns;
  return made;
}

nlohmann::json json_of(const core& shown, const machine& whole, std::size_t index) {
  auto pus = nlohmann::json::array();
  for (const pu_id id : shown.pus)
    pus.push_back({{"id", static_cast<std::uint32_t>(id)}, {"os_index", number_of(whole.at(id).os)}});
  return {{"id", index},
          {"os_index", number_of(shown.os)},
          {"package", static_cast<std::uint32_t>(shown.package)},
          {"domain", static_cast<std::uint32_t>(shown.domain)},
          {"kind", shown.kind},
          {"pus", pus}};
}

nlohmann::json distances_of(const machine& shown) {
  auto rows = nlohmann::json::array();
  for (std::uint32_t i = 0; i < shown.nodes().size(); ++i) {
    auto row = nlohmann::json::array();
    for (std::uint32_t j = 0; j < shown.nodes().size(); ++j)
      if (const auto distance = shown.node_distance(node_id{i}, node_id{j})) row.push_back(*distance);
    if (!row.empty()) rows.push_back(row);
  }
  return rows;
}

nlohmann::json json_of(const machine& shown) {
  nlohmann::json made = {{"version", 1},
                         {"summary", shown.summary()},
                         {"source", shown.provenance()},
                         {"suggested_workers", shown.suggested_workers()}};
  for (const char* const list : {"packages", "domains", "cores", "nodes", "core_kinds"})
    made[list] = nlohmann::json::array();
  if (shown.cpu_quota()) made["cpu_quota_cores"] = *shown.cpu_quota();
  for (std::size_t i = 0; i < shown.packages().size(); ++i) made["packages"].push_back(json_of(shown.packages()[i], i));
  for (std::size_t i = 0; i < shown.domains().size(); ++i) made["domains"].push_back(json_of(shown.domains()[i], i));
  for (std::size_t i = 0; i < shown.cores().size(); ++i) made["cores"].push_back(json_of(shown.cores()[i], shown, i));
  for (std::size_t i = 0; i < shown.nodes().size(); ++i) made["nodes"].push_back(json_of(shown.nodes()[i], i));
  for (const core_kind& kind : shown.core_kinds())
    made["core_kinds"].push_back({{"name", kind.name}, {"efficiency", kind.efficiency}, {"cores", kind.cores}});
  made["node_distances"] = distances_of(shown);
  return made;
}

/// One line per PU.
std::string csv_of(const machine& shown) {
  std::string text = csv_line({"pu", "os_pu", "core", "domain", "package", "kind"});
  for (std::size_t i = 0; i < shown.cores().size(); ++i) {
    const core& one = shown.cores()[i];
    for (const pu_id id : one.pus)
      text += csv_line({std::to_string(index_of_id(id)), std::to_string(number_of(shown.at(id).os)), std::to_string(i),
                        std::to_string(index_of_id(one.domain)), std::to_string(index_of_id(one.package)),
                        shown.core_kinds().empty() ? "" : shown.core_kinds()[one.kind].name});
  }
  return text;
}

nlohmann::json json_of(const counter_opening& opened) {
  if (opened.counter != nullptr)
    return {{"cache_misses", true}, {"event", opened.counted.name}, {"line_bytes", opened.counted.line_bytes}};
  return {{"cache_misses", false}, {"why", opened.refused.why}, {"remedy", opened.refused.remedy}};
}

std::string text_of(const counter_opening& opened) {
  if (opened.counter != nullptr)
    return fmt::format("counters: cache misses by {}, {} bytes each", opened.counted.name, opened.counted.line_bytes);
  return fmt::format("counters: no cache misses ({}: {})", opened.refused.why, opened.refused.remedy);
}

/// For a described machine it is not known what it lets us count.
void print(const machine& shown, bool as_json, bool as_csv) {
  if (as_csv) {
    fmt::print("{}", csv_of(shown));
    return;
  }
  std::optional<counter_opening> counters;
  if (shown.source() == machine_source::live) counters = live_miss_counting()->open_for_this_thread();
  if (as_json) {
    nlohmann::json made = json_of(shown);
    if (counters) made["counters"] = json_of(*counters);
    fmt::print("{}\n", dumped(made));
  } else {
    fmt::print("{}", picture_of(shown));
    if (counters) fmt::print("{}\n", text_of(*counters));
  }
}

std::shared_ptr<const machine> machine_from(const topo_arguments& arguments) {
  if (!arguments.xml.empty()) return machine_from_xml_file(arguments.xml);
  if (!arguments.synthetic.empty()) return machine_from_synthetic(arguments.synthetic);
  return load_machine(arguments.machine);
}

void print_names(bool as_json, bool as_csv) {
  const std::vector<std::string> names = machine_names();
  if (as_csv) {
    fmt::print("{}", csv_line({"name", "summary"}));
    for (const std::string& name : names) fmt::print("{}", csv_line({name, load_machine(name)->summary()}));
    return;
  }
  if (as_json) {
    auto list = nlohmann::json::array();
    for (const std::string& name : names) list.push_back({{"name", name}, {"summary", load_machine(name)->summary()}});
    fmt::print("{}\n", dumped(nlohmann::json{{"version", 1}, {"machines", list}}));
    return;
  }
  for (const std::string& name : names) fmt::print("{:<16} {}\n", name, load_machine(name)->summary());
}

/// A described machine cannot be measured: its hardware is not here.
void measure_live(const topo_arguments& arguments) {
  if (!arguments.xml.empty() || !arguments.synthetic.empty() || !arguments.machine.empty())
    throw error("nearfork: only this machine can be measured; leave out NAME, --machine, --xml and --synthetic");
  std::optional<output_file> model;
  if (arguments.output) model.emplace(*arguments.output, "flag --output");
  expect_standard_output();
  const auto here = live_machine();
  progress_line line;
  const double each = std::min(seconds_each, seconds_of_all / static_cast<double>(readings_of(*here)));
  const machine_measurement seen =
      measure(*here, *live_hardware(each), [&](std::size_t done, std::size_t all, const std::string& next) {
        line.show(fmt::format("measuring {} of {}: {}", done + 1, all, next));
      });
  line.erase();
  if (model) {
    model->write(model_text_of(*here, seen));
    tell(fmt::format("wrote {}; with the machine beside it (lstopo of the same name, .xml) the simulator takes both",
                     *arguments.output));
  }
  if (arguments.json) fmt::print("{}\n", dumped(json_of(*here, seen)));
  else fmt::print("{}", table_of(*here, seen));
}

void show(const topo_arguments& arguments) {
  if (arguments.markdown) fmt::print("{}", machines_page(machine_folder()));
  else if (arguments.list) print_names(arguments.json, arguments.csv);
  else if (arguments.measure) measure_live(arguments);
  else print(*machine_from(arguments), arguments.json, arguments.csv);
}

}  // namespace

void add_topo(CLI::App& app) {
  auto* const command =
      app.add_subcommand("topo", "The machine: cache domains, cores, memory nodes, kinds, bandwidths");
  const auto arguments = std::make_shared<topo_arguments>();
  auto* const xml =
      command->add_option("--xml", arguments->xml, "Show the machine in this file, written by: lstopo FILE.xml");
  auto* const synthetic =
      command->add_option("--synthetic", arguments->synthetic, "Show the machine that hwloc makes of this string");
  auto* const machine =
      command
          ->add_option("--machine", arguments->machine,
                       "A machine by name (--list), or either of the two, as NEARFORK_MACHINE takes them")
          ->excludes(xml)
          ->excludes(synthetic);
  command->add_option("name", arguments->machine, "The same as --machine")
      ->excludes(machine)
      ->excludes(xml)
      ->excludes(synthetic);
  xml->excludes(synthetic);
  auto* const json = command->add_flag("--json", arguments->json, "Print JSON");
  auto* const csv = command->add_flag("--csv", arguments->csv, "Print one line per PU, or with --list one per machine")
                        ->excludes(json);
  auto* const list = command->add_flag("--list", arguments->list, "List the machines that have a name");
  auto* const measured = command
                             ->add_flag("--measure", arguments->measure,
                                        "Measure latencies and bandwidths of this machine, in some seconds")
                             ->excludes(list)
                             ->excludes(csv);
  command->add_option("-o,--output", arguments->output, "Write what was measured as a model file, for the simulator")
      ->needs(measured);
  command->add_flag("--markdown", arguments->markdown, "Print docs/MACHINES.md instead")->needs(list)->excludes(csv);
  command->footer(
      "Examples:\n  nearfork topo\n  nearfork topo opteron-8380\n  nearfork topo --measure -o box.model\n  nearfork "
      "topo --synthetic \"package:4 l3:1 core:4 pu:1\"\n  nearfork topo --xml box.xml --json");
  command->callback([arguments] { show(*arguments); });
}

}  // namespace nearfork::tools
