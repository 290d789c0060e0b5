// Whether the workers of a domain that has run dry take work of other domains: tried once the best packing is known.
//
// Data that caches keep from iteration to iteration are lost to a domain whose tasks others take. Where a sweep finds
// nothing in the caches, such a task only reads memory that lies further away, and its thief would have waited.
// Domains with equal shares seldom end at the same time: in a graph, edges lead to the same few nodes, which are near
// one domain only. Such differences are too small for other shares (share_search.hpp), and they change.
//
// Domains keep to themselves while shares and packings are compared, because that tells how fast they are. Where they
// cross for good, a domain that becomes slow later is helped and hardly looks less fast, so no new search begins.
#pragma once

#include <cstdint>

#include "plan/packing/tuning.hpp"
#include "plan/profile/domain_digest.hpp"
#include "plan/profile/iteration_digest.hpp"

namespace nearfork {

enum class crossing : std::uint8_t {
  forbidden,
  tried,  // not yet decided
  allowed,
};

/// What is known about a plan.
struct crossing_evidence {
  const iteration_digest& apart;               // its iterations while domains keep to themselves: at least one
  const domain_digest* use = nullptr;          // what domains did in them
  const iteration_digest* together = nullptr;  // its iterations with crossing; nullptr: none yet
  const iteration_digest& plain;               // iterations of plain stealing
};

struct crossing_rule {
  /// No trial where domains wait for less than this part of the time: crossing saves nothing else.
  double least_waiting = 0.01;
  /// When a trial is given up before its evidence is complete.
  tuning_rule early{};
};

/// Crossing is allowed once most of its iterations are faster than all others under the plan. If it makes no
/// difference, that happens by chance in one of twelve trials. What it gains may be less than iterations differ by
/// elsewhere, so medians and spreads (tuning.hpp) would ask for too much.
[[nodiscard]] crossing choose_crossing(const crossing_evidence& seen, const crossing_rule& rule = {});

/// The trial of that packing with crossing.
[[nodiscard]] constexpr trial_id trial_of_crossing(std::int32_t level, trial_series series) noexcept {
  constexpr trial_series beyond_shares = 1U << 8;
  return trial_of_packing(level, series + beyond_shares);
}

}  // namespace nearfork
