#include "tools/load/processor_use.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace nearfork::tools {

std::optional<std::uint64_t> busy_ticks(std::string_view stat) {
  // cpu  user nice system idle iowait irq softirq steal guest guest_nice; guests count in user and nice already.
  constexpr std::string_view all_cores = "cpu ";
  constexpr std::size_t idle = 3;
  constexpr std::size_t iowait = 4;
  constexpr std::size_t columns = 8;
  if (!stat.starts_with(all_cores)) return std::nullopt;
  std::istringstream line{std::string(stat.substr(0, stat.find('\n')).substr(all_cores.size()))};
  std::uint64_t busy = 0;
  for (std::size_t column = 0; column < columns; ++column) {
    std::uint64_t ticks = 0;
    if (!(line >> ticks)) return std::nullopt;
    if (column != idle && column != iowait) busy += ticks;
  }
  return busy;
}

double cores_used_by_others(const processor_use& before, const processor_use& after, double elapsed_s) {
  const double others_s = (after.all_s - before.all_s) - (after.own_s - before.own_s);
  return elapsed_s > 0 ? std::max(0.0, others_s / elapsed_s) : 0;
}

std::string disturbance_text(std::optional<double> used_by_others) {
  if (used_by_others.value_or(0) <= disturbing_cores) return {};
  return fmt::format("disturbed: other processes kept {:.1f} cores busy meanwhile", *used_by_others);
}

load_watch::load_watch() : began_(clock::now()), before_(read_processor_use()) {}

std::optional<double> load_watch::used_by_others() const {
  constexpr double shortest_s = 0.1;  // the system counts in steps of 10 ms
  const auto after = read_processor_use();
  const double elapsed_s = std::chrono::duration<double>(clock::now() - began_).count();
  if (!before_ || !after || elapsed_s < shortest_s) return std::nullopt;
  return cores_used_by_others(*before_, *after, elapsed_s);
}

}  // namespace nearfork::tools
