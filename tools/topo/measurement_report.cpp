// The report of a measurement: a table for people, JSON for programs, and a model file for the simulator.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include <nearfork/error.hpp>

#include "sim/machine/machine_model.hpp"
#include "tools/topo/machine_measurement.hpp"

namespace nearfork::tools {
namespace {

std::string shown(const reading& one, const char* unit) {
  return one.value ? fmt::format("{:.1f} {}", *one.value, unit) : "not measured: " + one.why;
}

std::string node_name(const machine& where, std::uint32_t node) {
  return where.nodes().empty() ? "0" : std::to_string(number_of(where.nodes()[node].os));
}

nlohmann::json json_of(const reading& one) {
  return one.value ? nlohmann::json(*one.value) : nlohmann::json{{"not_measured", one.why}};
}

nlohmann::json json_of(const clock_readings& of) {
  auto by = nlohmann::json::object();
  for (const chain_reading& one : of.chains) by[std::string(one.instruction)] = one.ghz;
  if (of.kernel_ghz) by["kernel"] = *of.kernel_ghz;
  return by;
}

double in_ns(std::uint64_t ps) {
  return static_cast<double>(ps) / 1000;
}

double must(const reading& one, const std::string& what) {
  if (!one.value) throw error("nearfork: a model file needs " + what + ", which could not be measured: " + one.why);
  return *one.value;
}

/// Kinds of cores are one word each in model files.
std::string word_for(std::string name) {
  std::ranges::replace(name, ' ', '_');
  return name;
}

/// Lines "key = value  # source".
class model_writer {
 public:
  void measured(const std::string& key, double value) { line(key, value, "measured: nearfork topo --measure"); }
  void estimate(const std::string& key, double value, const char* why) {
    line(key, value, std::string("estimate: ") + why);
  }
  void words(const std::string& key, const std::string& value, const char* why) {
    text_ += fmt::format("{} = {}  # estimate: {}\n", key, value, why);
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  void line(const std::string& key, double value, const std::string& source) {
    text_ += fmt::format("{} = {:.4g}  # {}\n", key, value, source);
  }
  std::string text_;
};

class model_of_measurement {
 public:
  model_of_measurement(const machine& where, const machine_measurement& seen) : where_(where), seen_(seen) {}

  std::string write() {
    to_.estimate("line_bytes", 64, "what nearly all machines have");
    to_.estimate("page_bytes", 4096, "the usual pages, no huge ones");
    for (const measured_kind& kind : seen_.kinds) write_kind(kind);
    write_ways();
    write_memory();
    write_links();
    write_power();
    write_costs();
    return "# Of this machine, by nearfork topo --measure. The format: docs/MACHINES.md.\n" + to_.take();
  }

 private:
  void write_kind(const measured_kind& kind) {
    const std::string name = word_for(kind.name);
    to_.measured("core_ghz " + name, must(kind.clock_ghz, "the clock of cores"));
    const double scalar = must(kind.operations_per_ns, "how fast cores compute");
    to_.measured("work_per_cycle " + name, scalar / must(kind.clock_ghz, "the clock of cores"));
    to_.measured("vector_work " + name,
                 std::max(1.0, must(kind.vector_operations_per_ns, "how fast cores compute") / scalar));
    to_.measured("wrong_guess_ns " + name, must(kind.wrong_guess_ns, "what a wrong guess costs"));
    to_.measured("misses_at_once " + name, must(kind.misses_at_once, "how many misses overlap"));
    to_.measured("scattered_at_once " + name, must(kind.scattered_at_once, "how many scattered misses overlap"));
    if (kind.levels.empty()) to_.estimate("hit_ns L1 " + name, 2, "the machine says nothing of its caches");
    unsigned before = 0;
    for (const measured_level& one : kind.levels) {
      // A level that the machine does not have gets the latency of the next one.
      for (unsigned level = before + 1; level <= one.level; ++level)
        to_.measured(fmt::format("hit_ns L{} {}", level, name), hit_ns(kind, one));
      before = one.level;
    }
    most_levels_ = std::max(most_levels_, before);
  }

  /// For a cache beyond the core's own: its cost in a sweep, if that is higher. The simulator divides it by
  /// misses_at_once.
  [[nodiscard]] static double hit_ns(const measured_kind& kind, const measured_level& one) {
    const double swept_ns =
        must(one.sweep_ns, "what sweeps over caches cost") * must(kind.misses_at_once, "how many misses overlap");
    return std::max(must(one.hit_ns, "the latency of every cache"), swept_ns);
  }

  void write_ways() {
    for (unsigned level = 1; level <= std::max(1U, most_levels_); ++level)
      to_.estimate(fmt::format("ways L{}", level), level < 3 ? 8 : 16, "of the usual size");
  }

  void write_memory() {
    std::set<std::string> said;
    std::vector<double> most(std::max<std::size_t>(1, where_.nodes().size()), 0);
    for (const measured_pair& pair : seen_.pairs) {
      const std::string key = latency_key(pair);
      if (said.insert(key).second) to_.measured(key, must(pair.latency_ns, "the latency of all memory"));
      most[pair.node] = std::max(most[pair.node], must(pair.read_gb_per_s, "the bandwidth of all memory"));
    }
    for (std::uint32_t node = 0; node < most.size(); ++node)
      to_.measured("node_gb_s " + node_name(where_, node), most[node]);
  }

  [[nodiscard]] std::string latency_key(const measured_pair& pair) const {
    const auto home = sim::seat_of(where_.at(pair.domain));
    if (home && !where_.nodes().empty())
      return fmt::format("memory_ns {} {}", node_name(where_, static_cast<std::uint32_t>(index_of_id(*home))),
                         node_name(where_, pair.node));
    const auto kind = where_.nodes().empty() ? memory_kind::dram : where_.nodes()[pair.node].kind;
    return fmt::format("memory_ns {} {}", name_of(kind), sim::distance_to(where_, pair.domain, pair.node));
  }

  /// Links all packages directly with each other, at the bandwidth of the slowest pair.
  void write_links() {
    if (where_.packages().size() < 2) return;
    std::string pairs;
    for (std::size_t i = 0; i < where_.packages().size(); ++i)
      for (std::size_t j = i + 1; j < where_.packages().size(); ++j)
        pairs += fmt::format("{}{}-{}", pairs.empty() ? "" : " ", number_of(where_.packages()[i].os),
                             number_of(where_.packages()[j].os));
    to_.words("seats", "packages", "the machine says nothing of its links");
    to_.words("links all", pairs, "every package with every other");
    std::optional<double> slowest;
    for (const measured_pair& pair : seen_.pairs)
      if (in_another_package(pair))
        slowest = std::min(slowest.value_or(1e300), must(pair.read_gb_per_s, "the bandwidth of all memory"));
    if (slowest) to_.measured("link_gb_s all", *slowest);
    else to_.estimate("link_gb_s all", 10, "no memory was seen in another package");
  }

  [[nodiscard]] bool in_another_package(const measured_pair& pair) const {
    if (where_.nodes().empty() || where_.nodes()[pair.node].domains.empty()) return false;
    const auto& locals = where_.nodes()[pair.node].domains;
    return std::ranges::none_of(locals,
                                [&](domain_id d) { return where_.at(d).package == where_.at(pair.domain).package; });
  }

  void write_power() {
    to_.estimate("core_busy_w", 5, "a core of a server; not measured");
    to_.estimate("core_idle_w", 0.5, "a tenth of a busy core; not measured");
    to_.estimate("package_w", 50, "not measured");
  }

  /// A distance that no two PUs have gets the value of the next nearer one.
  [[nodiscard]] double handover_at(std::size_t distance) const {
    double nearest = 30;
    for (const measured_handover& one : seen_.handovers)
      if (static_cast<std::size_t>(one.distance) <= distance && one.ns.value) nearest = *one.ns.value;
    return nearest;
  }

  void write_costs() {
    const sim::cost_model usual;
    constexpr const char* ours = "nearfork's own on a current core";
    const double farthest = handover_at(steal_distances - 1);
    to_.measured("invalidation_ns", farthest);
    to_.estimate("fork_ns", in_ns(usual.fork_ps), ours);
    to_.estimate("planned_fork_ns", in_ns(usual.planned_fork_ps), ours);
    for (std::size_t d = 0; d < steal_distances; ++d)
      to_.estimate(fmt::format("steal_ns {}", name_of(static_cast<steal_distance>(d))), 3 * handover_at(d),
                   "three times what a line takes, which is measured");
    to_.estimate("failed_look_ns", in_ns(usual.failed_look_ps), ours);
    to_.estimate("pool_ns", in_ns(usual.pool_ps), ours);
    to_.estimate("suspend_ns", in_ns(usual.suspend_ps), ours);
    to_.estimate("resume_ns", in_ns(usual.resume_ps), ours);
    to_.estimate("notice_ns", handover_at(1), "a line from another core, which is measured");
    to_.estimate("spin_ns", in_ns(usual.spin_ps), "the default of spin_us");
    to_.estimate("wake_ns", in_ns(usual.wake_ps), "a futex of a current kernel");
    to_.estimate("notify_ns", in_ns(usual.notify_ps), "a futex of a current kernel");
  }

  const machine& where_;
  const machine_measurement& seen_;
  model_writer to_;
  unsigned most_levels_ = 0;
};

}  // namespace

std::string table_of(const machine& where, const machine_measurement& seen) {
  std::string text = "measured on " + where.summary() + "\n";
  const auto add = [&text](const std::string& what, const std::string& value) {
    fmt::format_to(std::back_inserter(text), "  {:<40} {}\n", what, value);
  };
  for (const measured_kind& kind : seen.kinds) {
    text += "cores of kind " + kind.name + "\n";
    add("clock", shown(kind.clock_ghz, "GHz"));
    for (const measured_level& one : kind.levels)
      add(fmt::format("L{} (walking through {} KiB)", one.level, one.bytes >> 10), shown(one.hit_ns, "ns"));
    add("operations", shown(kind.operations_per_ns, "in a nanosecond"));
    add("operations in vectors", shown(kind.vector_operations_per_ns, "in a nanosecond"));
    add("a branch guessed wrong", shown(kind.wrong_guess_ns, "ns"));
    add("misses at once, in a sweep", shown(kind.misses_at_once, ""));
    add("misses at once, of lines that lie apart", shown(kind.scattered_at_once, ""));
  }
  fmt::format_to(std::back_inserter(text), "memory (walking through {} MiB)\n", seen.memory_bytes >> 20);
  for (const measured_pair& pair : seen.pairs)
    add(fmt::format("domain {} from node {}", index_of_id(pair.domain), node_name(where, pair.node)),
        shown(pair.latency_ns, "ns") + ", " + shown(pair.read_gb_per_s, "GB/s read by all its cores"));
  text += "a written line, to another PU\n";
  for (const measured_handover& one : seen.handovers)
    add("meeting at " + std::string(name_of(one.distance)), shown(one.ns, "ns"));
  return text;
}

nlohmann::json json_of(const machine& where, const machine_measurement& seen) {
  nlohmann::json made = {{"version", 1},
                         {"summary", where.summary()},
                         {"walked_through_bytes", seen.memory_bytes},
                         {"core_kinds", nlohmann::json::array()},
                         {"memory", nlohmann::json::array()},
                         {"handover", nlohmann::json::array()}};
  for (const measured_kind& kind : seen.kinds) {
    auto levels = nlohmann::json::array();
    for (const measured_level& one : kind.levels)
      levels.push_back({{"level", one.level},
                        {"walked_through_bytes", one.bytes},
                        {"hit_ns", json_of(one.hit_ns)},
                        {"sweep_ns", json_of(one.sweep_ns)}});
    made["core_kinds"].push_back({{"name", kind.name},
                                  {"clock_ghz", json_of(kind.clock_ghz)},
                                  {"clock_ghz_by", json_of(kind.clocks)},
                                  {"levels", levels},
                                  {"operations_per_ns", json_of(kind.operations_per_ns)},
                                  {"vector_operations_per_ns", json_of(kind.vector_operations_per_ns)},
                                  {"wrong_guess_ns", json_of(kind.wrong_guess_ns)},
                                  {"misses_at_once", json_of(kind.misses_at_once)},
                                  {"scattered_at_once", json_of(kind.scattered_at_once)}});
  }
  for (const measured_pair& pair : seen.pairs)
    made["memory"].push_back({{"domain", index_of_id(pair.domain)},
                              {"node", pair.node},
                              {"latency_ns", json_of(pair.latency_ns)},
                              {"read_gb_per_s", json_of(pair.read_gb_per_s)}});
  for (const measured_handover& one : seen.handovers)
    made["handover"].push_back({{"distance", name_of(one.distance)}, {"ns", json_of(one.ns)}});
  return made;
}

std::string model_text_of(const machine& where, const machine_measurement& seen) {
  return model_of_measurement(where, seen).write();
}

}  // namespace nearfork::tools
