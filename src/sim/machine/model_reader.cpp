#include "sim/machine/model_reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/text/word_choice.hpp"
#include "machine/described/named_machines.hpp"
#include "sim/machine/cache_layout.hpp"
#include "sim/machine/link_network.hpp"
#include "sim/machine/link_reader.hpp"
#include "sim/machine/model_text.hpp"
#include "sim/machine/model_values.hpp"

namespace nearfork::sim {
namespace {

constexpr double bytes_of_a_mib = 1 << 20;

/// The levels that any core has, at least L1: a machine without known caches has a model, too.
std::vector<std::string> levels_of(const machine& where) {
  unsigned most = 1;
  for (const cache_instance& one : caches_of(where).caches) most = std::max(most, one.level);
  std::vector<std::string> names;
  for (unsigned level = 1; level <= most; ++level) names.push_back("L" + std::to_string(level));
  return names;
}

std::uint64_t hit_ps(model_values& values, const std::string& level, const std::string& kind, double ghz) {
  const auto cycles = values.find_for_kind("hit_cycles", {level}, kind);
  const auto ns = values.find_for_kind("hit_ns", {level}, kind);
  if (cycles && ns) values.wrong("hit_cycles and hit_ns are both said of " + level);
  if (!cycles && !ns)
    values.missing("hit_cycles " + level + " or hit_ns " + level + " (for cores of kind " + kind + ")");
  return in_thousandths(cycles ? *cycles / ghz : *ns);
}

/// Both clocks or neither.
void read_clock_range(model_values& values, const std::string& kind, double ghz, core_model& made) {
  const auto least = values.find_for_kind("core_ghz_min", {}, kind);
  const auto most = values.find_for_kind("core_ghz_max", {}, kind);
  if (!least && !most) return;
  if (!least || !most)
    values.missing((least ? "core_ghz_max" : "core_ghz_min") + (" (for cores of kind " + kind + ")"));
  if (*least > ghz || *most < ghz)
    values.wrong("core_ghz of kind " + kind + " is not within core_ghz_min and core_ghz_max");
  made.least_mhz = static_cast<std::uint32_t>(in_thousandths(*least));
  made.most_mhz = static_cast<std::uint32_t>(in_thousandths(*most));
}

core_model read_kind(model_values& values, const std::string& name, const std::vector<std::string>& levels) {
  core_model made;
  const double ghz = values.must_for_kind("core_ghz", {}, name);
  made.mhz = static_cast<std::uint32_t>(in_thousandths(ghz));
  read_clock_range(values, name, ghz, made);
  made.work_per_cycle = values.must_for_kind("work_per_cycle", {}, name);
  made.vector_work = values.find_for_kind("vector_work", {}, name).value_or(made.vector_work);
  if (const auto ns = values.find_for_kind("wrong_guess_ns", {}, name)) made.wrong_guess_ps = in_thousandths(*ns);
  made.memory_level_parallelism = values.must_for_kind("misses_at_once", {}, name);
  made.scattered_parallelism =
      values.find_for_kind("scattered_at_once", {}, name).value_or(made.memory_level_parallelism);
  made.smt_speedup = values.find_for_kind("smt_speedup", {}, name).value_or(made.smt_speedup);
  made.hit_ps.clear();
  made.associativity.clear();
  for (const std::string& level : levels) {
    made.hit_ps.push_back(hit_ps(values, level, name, ghz));
    made.associativity.push_back(values.whole_for_kind("ways", {level}, name));
  }
  return made;
}

/// 0: none.
unsigned read_exclusive_level(model_values& values, const std::vector<std::string>& levels) {
  const model_entry* const said = values.entry("exclusive");
  if (said == nullptr) return 0;
  if (levels.size() < 2 || said->value != levels.back())
    refuse(values.text(), said->line,
           "only the last level can be exclusive, and only if there is another before it: " + quoted(said->value) +
               " is not; levels are " + listed(levels));
  return static_cast<unsigned>(levels.size());
}

core_power read_power(model_values& values, const std::string& kind) {
  const core_power made{in_thousandths(values.must_for_kind("core_busy_w", {}, kind)),
                        in_thousandths(values.must_for_kind("core_idle_w", {}, kind))};
  if (made.idle_mw > made.busy_mw) values.wrong("cores of kind " + kind + " use more when idle than when busy");
  return made;
}

bool says(const model_values& values, std::string_view key) {
  return std::ranges::find(values.text().entries, key, &model_entry::key) != values.text().entries.end();
}

cost_model read_costs(model_values& values) {
  cost_model costs;
  costs.fork_ps = values.thousandths("fork_ns");
  costs.planned_fork_ps = values.thousandths("planned_fork_ns");
  for (std::size_t d = 0; d < steal_distances; ++d)
    costs.steal_ps[d] = values.thousandths("steal_ns", {std::string(name_of(static_cast<steal_distance>(d)))});
  costs.failed_look_ps = values.thousandths("failed_look_ns");
  costs.pool_ps = values.thousandths("pool_ns");
  costs.suspend_ps = values.thousandths("suspend_ns");
  costs.resume_ps = values.thousandths("resume_ns");
  costs.notice_ps = values.thousandths("notice_ns");
  costs.spin_ps = values.thousandths("spin_ns");
  costs.wake_ps = values.thousandths("wake_ns");
  costs.notify_ps = values.thousandths("notify_ns");
  if (says(values, "mug_ns")) costs.mug_ps = values.thousandths("mug_ns");
  if (says(values, "move_page_ns")) costs.move_page_ps = values.thousandths("move_page_ns");
  return costs;
}

/// Reads latency and bandwidth of every node, for every domain.
class memory_reader {
 public:
  memory_reader(const machine& where, model_values& values, const interconnect& between)
      : where_(where), values_(values), between_(between), ways_(between) {}

  [[nodiscard]] std::uint64_t latency_ps(domain_id from, std::uint32_t node) {
    return must_ps("memory_ns", from, node);
  }
  [[nodiscard]] std::uint64_t write_ps(domain_id from, std::uint32_t node) { return must_ps("write_ns", from, node); }

  [[nodiscard]] std::uint64_t line_ps(std::uint32_t node, std::uint32_t line_bytes) {
    return line_ps_at(must_of_node("node_gb_s", node), line_bytes);
  }

  [[nodiscard]] side_cache_model side_cache(std::uint32_t node, std::uint32_t line_bytes) {
    const auto mib = of_node("side_cache_mib", node);
    if (!mib) return {};
    return {static_cast<std::uint64_t>(std::llround(*mib * bytes_of_a_mib)),
            line_ps_at(must_of_node("side_cache_gb_s", node), line_bytes)};
  }
  [[nodiscard]] std::uint64_t side_ps(domain_id from, std::uint32_t node) {
    return of_node("side_cache_mib", node) ? must_ps("side_cache_ns", from, node) : 0;
  }

 private:
  std::optional<double> of_node(const std::string& key, std::uint32_t node) {
    const auto general = values_.find(key, {kind(node)});
    const auto own = values_.find(key, {number(node)});
    return own ? own : general;
  }
  [[nodiscard]] double must_of_node(const std::string& key, std::uint32_t node) {
    if (const auto found = of_node(key, node)) return *found;
    values_.missing(key + " " + kind(node));
  }
  [[nodiscard]] std::string kind(std::uint32_t node) const {
    return std::string(name_of(where_.nodes().empty() ? memory_kind::dram : where_.nodes()[node].kind));
  }
  [[nodiscard]] std::string number(std::uint32_t node) const {
    return where_.nodes().empty() ? "0" : std::to_string(number_of(where_.nodes()[node].os));
  }
  [[nodiscard]] std::string distance(domain_id from, std::uint32_t node) const {
    return std::to_string(distance_to(where_, from, node));
  }

  [[nodiscard]] std::uint64_t must_ps(const std::string& key, domain_id from, std::uint32_t node) {
    if (const auto said = said_ps(key, from, node)) return *said;
    if (const auto along = along_links_ps(key, from, node)) return *along;
    values_.missing(key + " " + kind(node) + " " + distance(from, node));
  }

  std::optional<std::uint64_t> said_ps(const std::string& key, domain_id from, std::uint32_t node) {
    const auto at_distance = values_.find(key, {kind(node), distance(from, node)});
    if (const auto home = where_.nodes().empty() ? std::nullopt : seat_of(where_.at(from)))
      if (const auto own = values_.find(key, {number(static_cast<std::uint32_t>(index_of_id(*home))), number(node)}))
        return in_thousandths(*own);
    if (!at_distance) return std::nullopt;
    return in_thousandths(*at_distance) + between_.further_link_ps * further_links(from, node);
  }

  /// The links of the route beyond the first.
  [[nodiscard]] std::uint64_t further_links(domain_id from, std::uint32_t node) const {
    if (ways_.empty()) return 0;
    const std::size_t links = way(from, node).size();
    return links < 2 ? 0 : links - 1;
  }
  [[nodiscard]] std::span<const link_network::lane> way(domain_id from, std::uint32_t node) const {
    return ways_.way(between_.seat_of_domain[index_of_id(from)], between_.seat_of_node[node]);
  }

  /// The latency from the cores at that memory, plus the links on the route.
  std::optional<std::uint64_t> along_links_ps(const std::string& key, domain_id from, std::uint32_t node) {
    if (ways_.empty() || where_.nodes()[node].domains.empty()) return std::nullopt;
    const auto near = said_ps(key, where_.nodes()[node].domains.front(), node);
    if (!near) return std::nullopt;
    std::uint64_t sum = *near;
    for (const link_network::lane lane : way(from, node)) {
      const auto& latency_ps = between_.links[lane / 2].latency_ps;
      if (!latency_ps) return std::nullopt;
      sum += *latency_ps;
    }
    return sum;
  }

  const machine& where_;
  model_values& values_;
  const interconnect& between_;
  link_network ways_;
};

void read_memory(const machine& where, model_values& values, machine_model& made) {
  memory_reader memory(where, values, made.between);
  const auto for_each_pair = [&](auto&& visit) {
    for (std::uint32_t d = 0; d < where.domains().size(); ++d)
      for (std::uint32_t node = 0; node < node_count(where); ++node) visit(domain_id{d}, node);
  };
  for_each_pair([&](domain_id from, std::uint32_t node) { made.memory_ps.push_back(memory.latency_ps(from, node)); });
  if (says(values, "write_ns"))
    for_each_pair([&](domain_id from, std::uint32_t node) { made.write_ps.push_back(memory.write_ps(from, node)); });
  for (std::uint32_t node = 0; node < node_count(where); ++node)
    made.node_line_ps.push_back(memory.line_ps(node, made.line_bytes));
  made.node_bytes = node_bytes_of(where);
  if (!says(values, "side_cache_mib")) return;
  for (std::uint32_t node = 0; node < node_count(where); ++node)
    made.side_caches.push_back(memory.side_cache(node, made.line_bytes));
  for_each_pair([&](domain_id from, std::uint32_t node) { made.side_ps.push_back(memory.side_ps(from, node)); });
}

/// The name of a core kind as one word.
std::string word_for(std::string name) {
  std::ranges::replace(name, ' ', '_');
  return name;
}

machine_model read_model(const machine& where, model_values& values) {
  machine_model made;
  made.from = values.text().name;
  made.line_bytes = values.whole("line_bytes");
  made.page_bytes = values.whole("page_bytes");
  made.invalidation_ps = values.thousandths("invalidation_ns");
  if (const auto ns = values.find("dvfs_ns")) made.clock_change_ps = in_thousandths(*ns);
  const std::vector<std::string> levels = levels_of(where);
  made.exclusive_level = read_exclusive_level(values, levels);
  power_model power;
  for (const core_kind& kind : where.core_kinds()) {
    made.kinds.push_back(read_kind(values, word_for(kind.name), levels));
    power.cores.push_back(read_power(values, word_for(kind.name)));
  }
  power.package_mw = values.thousandths("package_w");
  made.power = std::move(power);
  made.between = read_interconnect(where, values, made.line_bytes);
  read_memory(where, values, made);
  made.costs = read_costs(values);
  return made;
}

}  // namespace

machine_model load_model(const machine& where, std::string_view text, std::string name) {
  const model_text parsed = parse_model_text(text, std::move(name));
  model_values values(parsed, where.provenance());
  machine_model made = read_model(where, values);
  values.require_all_used();
  require_fit(where, made);
  return made;
}

machine_model load_model_file(const machine& where, const std::string& path) {
  return load_model(where, text_of_model_file(path), path);
}

}  // namespace nearfork::sim
