#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include <nearfork/error.hpp>

#include "machine/machine.hpp"
#include "sensors/miss_counter.hpp"
#include "tools/command.hpp"

namespace nearfork::tools {
namespace {

struct topo_arguments {
  std::string xml;
  std::string synthetic;
  std::string machine;
  bool json = false;
};

template <class Id>
nlohmann::json numbers(const std::vector<Id>& ids) {
  auto list = nlohmann::json::array();
  for (const Id id : ids) list.push_back(static_cast<std::uint32_t>(id));
  return list;
}

nlohmann::json json_of(const domain& shown, std::size_t index) {
  auto caches = nlohmann::json::array();
  for (const cache_level& cache : shown.caches)
    caches.push_back({{"level", cache.level}, {"size_bytes", cache.size_bytes}, {"shared_by_cores", cache.shared_by_cores}});
  return {{"id", index},       {"package", static_cast<std::uint32_t>(shown.package)}, {"cores", numbers(shown.cores)},
          {"caches", caches},  {"nodes", numbers(shown.nodes)}};
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
  for (const pu_id id : shown.pus) pus.push_back({{"id", static_cast<std::uint32_t>(id)}, {"os_index", number_of(whole.at(id).os)}});
  return {{"id", index}, {"domain", static_cast<std::uint32_t>(shown.domain)}, {"kind", shown.kind}, {"pus", pus}};
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
  for (const char* const list : {"domains", "cores", "nodes", "core_kinds"}) made[list] = nlohmann::json::array();
  made["packages"] = shown.packages().size();
  if (shown.cpu_quota()) made["cpu_quota_cores"] = *shown.cpu_quota();
  for (std::size_t i = 0; i < shown.domains().size(); ++i) made["domains"].push_back(json_of(shown.domains()[i], i));
  for (std::size_t i = 0; i < shown.cores().size(); ++i) made["cores"].push_back(json_of(shown.cores()[i], shown, i));
  for (std::size_t i = 0; i < shown.nodes().size(); ++i) made["nodes"].push_back(json_of(shown.nodes()[i], i));
  for (const core_kind& kind : shown.core_kinds())
    made["core_kinds"].push_back({{"name", kind.name}, {"efficiency", kind.efficiency}, {"cores", kind.cores}});
  made["node_distances"] = distances_of(shown);
  return made;
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

/// Of a machine that is described nobody knows what it lets us count.
void print(const machine& shown, bool as_json) {
  std::optional<counter_opening> counters;
  if (shown.source() == machine_source::live) counters = live_miss_counting()->open_for_this_thread();
  if (as_json) {
    nlohmann::json made = json_of(shown);
    if (counters) made["counters"] = json_of(*counters);
    fmt::print("{}\n", made.dump(2));
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

}  // namespace

void add_topo(CLI::App& app) {
  auto* const command = app.add_subcommand("topo", "The machine: cache domains, cores, memory nodes, kinds, bandwidths");
  const auto arguments = std::make_shared<topo_arguments>();
  auto* const xml = command->add_option("--xml", arguments->xml, "Show the machine in this file, written by: lstopo FILE.xml");
  auto* const synthetic = command->add_option("--synthetic", arguments->synthetic, "Show the machine that hwloc makes of this string");
  command->add_option("--machine", arguments->machine, "Either of the two, as NEARFORK_MACHINE takes them")->excludes(xml)->excludes(synthetic);
  xml->excludes(synthetic);
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer("Examples:\n  nearfork topo\n  nearfork topo --synthetic \"package:4 l3:1 core:4 pu:1\"\n  nearfork topo --xml box.xml --json");
  command->callback([arguments] { print(*machine_from(*arguments), arguments->json); });
}

}  // namespace nearfork::tools
