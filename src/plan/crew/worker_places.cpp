#include "plan/crew/worker_places.hpp"

#include <algorithm>

#include <nearfork/error.hpp>

#include "machine/model/cores_as_domains.hpp"
#include "machine/model/part_of_machine.hpp"
#include "plan/crew/core_sides.hpp"

namespace nearfork {
namespace {

/// More than any machine needs: each worker is a thread with a stack and a deque.
constexpr std::uint32_t most_workers = 4096;

/// The first PU of each core, domain by domain; then the second PU of each core, and so on.
std::vector<pu_id> pus_in_turn(const machine& on) {
  std::vector<pu_id> turn;
  std::size_t most_pus = 0;
  for (const core& one : on.cores()) most_pus = std::max(most_pus, one.pus.size());
  for (std::size_t i = 0; i < most_pus; ++i)
    for (const domain& each : on.domains())
      for (const core_id id : each.cores)
        if (i < on.at(id).pus.size()) turn.push_back(on.at(id).pus[i]);
  return turn;
}

}  // namespace

std::shared_ptr<const machine> seen_by(policy_needs needs, std::shared_ptr<const machine> on) {
  if (!needs.core_domains || on->domains().size() != 1 || on->cores().size() < 2) return on;
  return std::make_shared<machine>(cores_as_domains(*on));
}

std::vector<worker_place> place_workers(const machine& on, std::uint32_t wanted) {
  const std::uint32_t count = wanted != 0 ? wanted : on.suggested_workers();
  if (count > most_workers)
    throw error("nearfork: " + std::to_string(count) + " workers were asked for; at most " +
                std::to_string(most_workers) + " are possible");
  const std::vector<pu_id> turn = pus_in_turn(on);
  std::vector<worker_place> places;
  // Workers of one domain get consecutive numbers, in any order of their PUs.
  for (std::uint32_t d = 0; d < on.domains().size(); ++d)
    for (std::uint32_t i = 0; i < count; ++i) {
      const pu_id given = turn[i % turn.size()];
      if (on.at(on.at(given).core).domain == domain_id{d}) places.push_back({given, domain_id{d}});
    }
  return places;
}

std::shared_ptr<const machine> planned_part(std::shared_ptr<const machine> on,
                                            const std::vector<worker_place>& places) {
  std::vector<domain_id> used;
  for (const worker_place& one : places)
    if (used.empty() || used.back() != one.domain) used.push_back(one.domain);
  if (used.size() == on->domains().size()) return on;
  return std::make_shared<machine>(with_domains(*on, used));
}

worker_layout layout_of(const machine& on, const std::vector<worker_place>& places) {
  std::vector<std::uint32_t> domain_of;
  std::vector<std::vector<core_id>> cores_of_domain;
  std::uint32_t dense = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i > 0 && places[i].domain != places[i - 1].domain) ++dense;
    domain_of.push_back(dense);
    cores_of_domain.resize(dense + std::size_t{1});
    cores_of_domain[dense].push_back(on.at(places[i].pu).core);
  }
  std::vector<std::uint8_t> distances;
  for (const worker_place& a : places)
    for (const worker_place& b : places) distances.push_back(static_cast<std::uint8_t>(on.distance(a.pu, b.pu)));
  return worker_layout(std::move(domain_of), std::move(distances), sides_of(on, cores_of_domain));
}

std::vector<int> ranks_of(const machine& on, const std::vector<worker_place>& places) {
  std::vector<int> ranks;
  for (const worker_place& one : places) ranks.push_back(rank_of(on, on.at(one.pu).core));
  return ranks;
}

}  // namespace nearfork
