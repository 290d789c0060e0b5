// The machine as a tree in text: the output of `nearfork topo`, and what the recorded machines are compared with.
#include <algorithm>
#include <cstdio>
#include <map>
#include <sstream>
#include <utility>

#include "machine/model/machine.hpp"

namespace nearfork {
namespace {

std::string bytes(std::uint64_t count) {
  static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(count);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(units)) {
    value /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, value < 100 ? "%.3g %s" : "%.0f %s", value,
                units[unit]);  // 1.25 MiB, 31.5 GiB, 512 KiB
  return text;
}

/// "0-3,8": runs of consecutive numbers.
std::string ranges(const std::vector<unsigned>& numbers) {
  std::ostringstream out;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    out << (i > 0 ? "," : "") << numbers[i];
    if (end - i > 1) out << '-' << numbers[end - 1];
    i = end;
  }
  return out.str();
}

class machine_picture {
 public:
  explicit machine_picture(const machine& shown) : machine_(shown) {}

  std::string draw() {
    out_ << machine_.summary() << '\n' << "source: " << machine_.provenance() << '\n';
    if (machine_.present_pus() > machine_.pus().size())
      out_ << "this process may use " << machine_.pus().size() << " of " << machine_.present_pus()
           << " PUs (affinity or cpuset)\n";
    if (machine_.cpu_quota()) out_ << "CPU quota: " << *machine_.cpu_quota() << " cores\n";
    draw_kinds();
    for (std::size_t i = 0; i < machine_.packages().size(); ++i) draw_package(machine_.packages()[i]);
    draw_other_nodes();
    draw_distances();
    return out_.str();
  }

 private:
  void draw_kinds() {
    if (machine_.core_kinds().size() < 2) return;
    out_ << "core kinds:";
    const char* before = " ";
    for (const core_kind& kind : machine_.core_kinds()) {
      out_ << std::exchange(before, ", ") << kind.cores << " x " << kind.name;
      if (kind.max_mhz) out_ << " up to " << *kind.max_mhz << " MHz";
    }
    out_ << '\n';
  }

  void draw_package(const package& shown) {
    out_ << "package " << number_of(shown.os) << '\n';
    for (std::size_t i = 0; i < shown.domains.size(); ++i) draw_domain(shown.domains[i], i + 1 == shown.domains.size());
  }

  void draw_domain(domain_id id, bool last) {
    const domain& shown = machine_.at(id);
    const std::string stem = last ? "   " : "|  ";
    out_ << (last ? "`- " : "|- ") << "domain " << index_of_id(id) << ": " << cores_of(shown) << '\n';
    if (!shown.caches.empty()) out_ << stem << "caches: " << caches_of(shown) << '\n';
    for (const node_id node : shown.nodes) out_ << stem << "node " << describe(node) << '\n';
    if (!shown.nodes.empty()) return;
    if (shown.home) out_ << stem << "node " << describe(*shown.home) << '\n';
    else out_ << stem << "no local memory" << nearest_of(shown) << '\n';
  }

  std::string nearest_of(const domain& shown) const {
    return shown.nearest ? "; the nearest is that of node " + std::to_string(number_of(machine_.at(*shown.nearest).os))
                         : "";
  }

  std::string cores_of(const domain& shown) const {
    std::map<unsigned, unsigned> by_kind;
    std::vector<unsigned> pus;
    for (const core_id id : shown.cores) {
      ++by_kind[machine_.at(id).kind];
      for (const pu_id one : machine_.at(id).pus) pus.push_back(number_of(machine_.at(one).os));
    }
    std::sort(pus.begin(), pus.end());
    std::ostringstream text;
    text << shown.cores.size() << (shown.cores.size() == 1 ? " core" : " cores") << ", PU " << ranges(pus);
    if (machine_.core_kinds().size() > 1)
      for (const auto& [kind, cores] : by_kind) text << ", " << cores << " x " << machine_.core_kinds()[kind].name;
    return text.str();
  }

  static std::string caches_of(const domain& shown) {
    std::ostringstream text;
    for (std::size_t i = 0; i < shown.caches.size(); ++i) {
      const cache_level& cache = shown.caches[i];
      text << (i > 0 ? ", " : "") << 'L' << cache.level << ' ' << bytes(cache.size_bytes) << " / "
           << cache.shared_by_cores << (cache.shared_by_cores == 1 ? " core" : " cores");
    }
    return text.str();
  }

  std::string describe(node_id id) const {
    const memory_node& node = machine_.at(id);
    std::ostringstream text;
    text << number_of(node.os) << ": ";
    if (node.capacity_bytes == 0) text << "no memory";
    else text << name_of(node.kind) << ' ' << bytes(node.capacity_bytes);
    if (node.bandwidth_mib_per_s) text << ", " << *node.bandwidth_mib_per_s << " MiB/s";
    if (node.latency_ns) text << ", " << *node.latency_ns << " ns";
    if (node.domains.size() > 1) text << ", shared by " << node.domains.size() << " domains";
    return text.str();
  }

  void draw_other_nodes() {
    for (std::size_t i = 0; i < machine_.nodes().size(); ++i)
      if (machine_.nodes()[i].domains.empty())
        out_ << "node " << describe(node_id{static_cast<std::uint32_t>(i)}) << ", local to no core\n";
  }

  void draw_distances() {
    const auto count = static_cast<std::uint32_t>(machine_.nodes().size());
    if (count < 2 || !machine_.node_distance(node_id{0}, node_id{0})) return;
    out_ << "node distances\n       ";
    for (std::uint32_t j = 0; j < count; ++j) out_ << heading(node_id{j});
    out_ << '\n';
    for (std::uint32_t i = 0; i < count; ++i) {
      out_ << " " << heading(node_id{i});
      for (std::uint32_t j = 0; j < count; ++j)
        out_ << six_wide(std::to_string(*machine_.node_distance(node_id{i}, node_id{j})));
      out_ << '\n';
    }
  }

  /// By the system's number, as everywhere in the picture.
  std::string heading(node_id node) const {
    std::string number(1, '[');
    number.append(std::to_string(number_of(machine_.at(node).os))).push_back(']');
    return six_wide(number);
  }
  static std::string six_wide(const std::string& text) {
    return std::string(text.size() < 6 ? 6 - text.size() : 1, ' ') + text;
  }

  const machine& machine_;
  std::ostringstream out_;
};

}  // namespace

std::string picture_of(const machine& shown) {
  return machine_picture(shown).draw();
}

}  // namespace nearfork
