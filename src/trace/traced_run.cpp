#include "trace/traced_run.hpp"

#include <numeric>

namespace nearfork::traces {

std::optional<std::uint32_t> node_of_domain(const machine& where, std::uint32_t domain) {
  const auto& all = where.domains();
  if (domain >= all.size()) return std::nullopt;
  const auto& nodes = all[domain].nodes;
  const std::optional<node_id> node = nodes.empty() ? all[domain].nearest : std::optional(nodes.front());
  return node ? std::optional(number_of(where.at(*node).os)) : std::nullopt;
}

std::uint64_t lost_events(const traced_run& run) noexcept {
  return std::accumulate(run.workers.begin(), run.workers.end(), run.others_lost,
                         [](std::uint64_t sum, const traced_worker& one) { return sum + one.lost; });
}

}  // namespace nearfork::traces
