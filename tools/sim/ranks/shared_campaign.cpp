#include "tools/sim/ranks/shared_campaign.hpp"

#include <exception>

#include <nearfork/error.hpp>

#include "base/value_bytes.hpp"

namespace nearfork {

/// Its state is its own: jobs that have one are simulated by rank 0.
template <>
inline constexpr bool value_parts::is_left_out<clock_search> = true;

namespace tools {
namespace {

/// What a rank hands to rank 0.
struct rank_results {
  std::string failure;  // empty: none
  std::vector<std::size_t> jobs;
  std::vector<simulation_outcome> outcomes;
};

/// No choice by cost, and no queue at rank 0: which rank simulates what depends on nothing but the numbers, and nobody
/// waits for a rank that computes.
bool is_of(std::size_t job, const simulation_job& what, const rank_exchange& ranks) {
  const auto all = static_cast<std::size_t>(ranks.ranks());
  const std::size_t of = what.goal != run_goal::time ? 0 : job % all;
  return of == static_cast<std::size_t>(ranks.rank());
}

rank_results simulated_here(const rank_exchange& ranks, const std::vector<simulation_job>& jobs, unsigned threads,
                            const campaign_watcher& watch, const campaign_stop& stops) {
  rank_results mine;
  std::vector<simulation_job> chosen;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!is_of(i, jobs[i], ranks)) continue;
    mine.jobs.push_back(i);
    chosen.push_back(jobs[i]);
  }
  try {
    mine.outcomes = simulate_all(chosen, threads, watch, stops);
  } catch (const std::exception& failed) {
    mine.failure = failed.what();
    mine.jobs.clear();
  }
  return mine;
}

}  // namespace

std::vector<simulation_outcome> simulate_among(rank_exchange* ranks, const std::vector<simulation_job>& jobs,
                                               unsigned threads, const campaign_watcher& watch,
                                               const campaign_stop& stops) {
  if (ranks == nullptr) return simulate_all(jobs, threads, watch, stops);
  rank_results mine = simulated_here(*ranks, jobs, threads, watch, stops);
  const bool collects = ranks->rank() == 0;
  // Its own outcomes rank 0 keeps as they are.
  const std::vector<std::string> all = ranks->gathered(collects ? std::string() : bytes_of_value(mine));
  if (!collects) return {};
  std::vector<simulation_outcome> outcomes(jobs.size());
  const auto take = [&](rank_results results) {
    if (!results.failure.empty()) throw error(results.failure);
    for (std::size_t i = 0; i < results.jobs.size(); ++i)
      outcomes.at(results.jobs[i]) = std::move(results.outcomes.at(i));
  };
  take(std::move(mine));
  for (std::size_t from = 1; from < all.size(); ++from) take(value_of_bytes<rank_results>(all[from]));
  return outcomes;
}

}  // namespace tools
}  // namespace nearfork
