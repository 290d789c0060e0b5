#include "plan/search/victim_order.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>
#include <utility>

namespace nearfork {
namespace {

using victim = victim_order::victim;

std::vector<victim> other_workers(const worker_layout& layout, std::uint32_t self) {
  std::vector<victim> others;
  for (std::uint32_t worker = 0; worker < layout.workers(); ++worker)
    if (worker != self) others.push_back({worker, layout.distance(self, worker)});
  return others;
}

std::vector<victim> other_workers_of_domain(const worker_layout& layout, std::uint32_t self) {
  std::vector<victim> others = other_workers(layout, self);
  std::erase_if(others, [&](const victim& other) { return layout.domain_of(other.index) != layout.domain_of(self); });
  return others;
}

/// Those of the other side are near, those of the own side are far.
std::vector<victim> other_workers_by_side(const worker_layout& layout, std::uint32_t self) {
  std::vector<victim> others = other_workers(layout, self);
  const bool own_side = layout.is_big(layout.domain_of(self));
  for (victim& other : others) other.distance = layout.is_big(layout.domain_of(other.index)) == own_side ? 1 : 0;
  return others;
}

/// A domain is as far away as its nearest worker.
std::vector<victim> other_domains(const worker_layout& layout, std::uint32_t self) {
  std::vector<victim> others;
  for (std::uint32_t domain = 0; domain < layout.domains(); ++domain) {
    if (domain == layout.domain_of(self)) continue;
    const auto members = layout.workers_of(domain);
    const auto nearest = *std::min_element(members.begin(), members.end(), [&](auto a, auto b) {
      return layout.distance(self, a) < layout.distance(self, b);
    });
    others.push_back({domain, layout.distance(self, nearest)});
  }
  return others;
}

/// A number with which `size` has no divisor in common, near that fraction of it.
std::uint32_t nearest_coprime(std::uint32_t size, double fraction) {
  const auto meant = static_cast<std::uint32_t>(size * fraction);
  for (std::uint32_t off = 0;; ++off)
    for (const std::uint32_t tried : {meant + off, meant - std::min(meant, off)})
      if (std::gcd(tried, size) == 1) return tried % size;
}

}  // namespace

victim_order::victim_order(std::vector<victim> victims, victim_spread spread) {
  const bool in_rings = spread != victim_spread::random;
  std::sort(victims.begin(), victims.end(), [&](victim a, victim b) {
    return std::tuple(in_rings ? a.distance : 0, a.index) < std::tuple(in_rings ? b.distance : 0, b.index);
  });
  for (std::uint32_t i = 0; i < victims.size(); ++i) {
    const bool ring_starts = i > 0 && in_rings && victims[i].distance != victims[i - 1].distance;
    if (ring_starts) end_ring();
    victims_.push_back(victims[i].index);
  }
  if (!victims_.empty()) end_ring();
}

/// Short strides, and those of nearly the whole ring, would find the ends of a busy stretch first. Of eight sets of
/// strides tried, on rings of 7 to 255 with stretches of 2 to a half, these found all of a stretch most evenly.
void victim_order::end_ring() {
  constexpr std::array<double, ways> fractions = {.618, .382, .414, .586, .276, .724, .303, .697};
  ring made{.begin = rings_.empty() ? 0 : rings_.back().end, .end = static_cast<std::uint32_t>(victims_.size())};
  for (std::uint32_t i = 0; i < ways; ++i) made.strides[i] = nearest_coprime(made.end - made.begin, fractions[i]);
  rings_.push_back(made);
}

victim_order victims_of(const search_step& step, const worker_layout& layout, std::uint32_t self) {
  switch (step.where) {
    case look::same_domain: return {other_workers_of_domain(layout, self), step.spread};
    case look::any_deque:
      return {step.spread == victim_spread::other_side_first ? other_workers_by_side(layout, self)
                                                             : other_workers(layout, self),
              step.spread};
    case look::remote_low_pools:
    case look::remote_weak_pools:
    case look::remote_high_pools: return {other_domains(layout, self), step.spread};
    case look::own_deque:
    case look::own_high_pool:
    case look::own_weak_pool:
    case look::own_low_pool:
    case look::injector: break;
  }
  return {{}, step.spread};
}

std::vector<std::uint32_t> choose_victims(const victim_order& victims, rng& random) {
  std::vector<std::uint32_t> order;
  victims.ask(random, [&](std::uint32_t index) {
    order.push_back(index);
    return false;
  });
  return order;
}

}  // namespace nearfork
