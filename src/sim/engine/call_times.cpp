#include "sim/engine/call_times.hpp"

#include <algorithm>

#include "sim/engine/event_queue.hpp"
#include "sim/machine/link_network.hpp"

namespace nearfork::sim {
namespace {

constexpr std::uint64_t lines_of_steal = 3;

}  // namespace

call_times::call_times(const worker_layout& layout, const cost_model& costs) : layout_(layout) {
  const std::uint64_t in_cache_ps = costs.steal_ps[static_cast<std::size_t>(steal_distance::cache)];
  for (std::size_t d = 0; d < steal_distances; ++d)
    of_distance_[d] = (std::max(costs.steal_ps[d], in_cache_ps) - in_cache_ps) / lines_of_steal;
}

call_times::call_times(const worker_layout& layout, const cost_model& costs, const machine& where,
                       const interconnect& between, std::span<const worker_place> places)
    : call_times(layout, costs) {
  if (between.links.empty() || between.further_link_ps == 0) return;
  seats_ = between.seats;
  for (const worker_place& place : places)
    seat_.push_back(between.seat_of_domain[index_of_id(where.at(where.at(place.pu).core).domain)]);
  const link_network network(between);
  for (std::uint32_t from = 0; from < seats_; ++from)
    for (std::uint32_t to = 0; to < seats_; ++to) {
      const std::size_t links = network.way(from, to).size();
      of_links_.push_back(links < 2 ? 0 : (links - 1) * between.further_link_ps);
    }
}

}  // namespace nearfork::sim
