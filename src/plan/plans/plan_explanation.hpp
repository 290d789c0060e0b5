// Why a plan is as it is: facts for the run report.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plan/profile/trial_id.hpp"

namespace nearfork {

/// The decision of a policy.
enum class plan_decision : std::uint8_t {
  none,               // no policy was asked
  one_domain,         // plain: no memory is remote, and there is only one cache
  no_forks,           // plain: there is nothing to place
  tree_too_large,     // plain: more tasks than may be profiled
  sizes_unknown,      // plain: neither bytes nor the input size are known, or no cache is
  cpu_bound,          // plain: too few bytes for the time
  fits_one_cache,     // plain: there is nothing to cut
  trying_plain,       // plain, to compare it with the planned packings
  no_plan_is_faster,  // plain: the best tried packing was not proved to be faster
  by_rule,            // planned, by a rule
  packed,             // planned, once and for all
  trying,             // planned, to compare this packing with the best one so far
  settled,            // planned, with the best of the tried packings
  balancing,          // planned, to see how often the sides want to cross under this balancing factor
  balanced,           // planned, with the balancing factor that the search ended at
  moving_data,        // plain, until it is known whether hot data lie better where they were moved to
  locating,           // planned, to see in which domains subgraphs find their data
  located,            // planned, with each subgraph where it found most of its data
  only_data,          // plain: only the data are placed
  too_few_tasks,      // plain: too few for subgraphs that keep a domain busy
  nothing_placed,     // plain: the region has no data that plans place
};
[[nodiscard]] std::string_view name_of(plan_decision decision) noexcept;

/// The measurements of one trial, in the words of the policy that made it.
struct trial_summary {
  trial_id trial{};
  std::string what{};  // "2 down", "plain stealing"
  std::uint64_t iterations = 0;
  std::uint64_t shortest_ns = 0;
  std::uint64_t median_ns = 0;
  bool given_up = false;  // it was slower so clearly that it did not run as often as the others
  friend bool operator==(const trial_summary&, const trial_summary&) = default;
};

/// How the data are shared between big and little cores, and what workers without work do.
struct balance_summary {
  std::vector<double> factors{};    // alpha of each trial, in order; empty: the machine has no two sides
  std::vector<double> crossings{};  // wanted, per iteration, in the trials that are over
  double big_share = 0;             // of the data, in the big domains
  std::uint32_t monopolies = 0;     // domains whose workers take work from others
  std::uint32_t distributions = 0;  // domains whose workers leave it to others
  friend bool operator==(const balance_summary&, const balance_summary&) = default;
};

/// Where data lie, what was moved, and where subgraphs are at home, under BATS.
struct traffic_summary {
  bool bandwidths_known = true;           // else all nodes count as equally fast
  std::vector<std::uint32_t> os_nodes{};  // the system's numbers; empty: the policy places no data
  std::vector<double> data_shares{};      // by node: of the data as they were placed
  std::vector<double> heat_before{};      // by node: its part of the accesses that were gauged; empty: none were
  std::vector<double> heat_after{};       // the same once hot chunks have moved
  bool looks_for_heat = false;            // the policy wants to know how hot chunks are
  std::uint64_t chunks = 0;               // that were gauged
  std::uint64_t moves = 0;                // of these, to be moved
  std::uint64_t without_room = 0;         // would have moved, but their node had no room
  std::uint32_t high = 0;                 // subgraphs at home where most of their data are
  std::uint32_t weak = 0;                 // subgraphs of which no domain has most of the data
  friend bool operator==(const traffic_summary&, const traffic_summary&) = default;
};

struct plan_explanation {
  std::string_view policy{};  // a string literal
  plan_decision decision = plan_decision::none;
  std::int32_t packing_level = 0;  // that of the plan
  std::uint32_t subtrees = 0;      // 0: not known before the plan runs
  /// Bytes per subtree; both 0: not known.
  double least_bytes = 0;
  double most_bytes = 0;
  bool turns_back = false;  // sweeps run forward and backward in turn
  bool crosses = false;     // workers of a domain without work take other domains' (only told by auto)
  /// The part of the region's work that is homed in each domain: by bytes, or, if these are not known, by shares. Work
  /// without a home is missing, so the sum may be below 1.
  std::vector<double> domain_shares{};
  /// The shares of the data that domains were given because they are not equally fast; empty: equal ones.
  std::vector<double> measured_shares{};
  std::vector<trial_summary> trials{};  // in the order in which they were made
  trial_summary plain_trial{};          // of plain stealing; no iterations: it was not tried
  /// Of the plan and of plain stealing, when they were compared once more after the search; empty: they were not.
  std::vector<trial_summary> later_trials{};
  balance_summary balance{};
  traffic_summary traffic{};
  friend bool operator==(const plan_explanation&, const plan_explanation&) = default;
};

/// What a packing is called that lies `level` levels below the first one: "first packing", "2 down", "1 up".
[[nodiscard]] std::string packing_text(std::int32_t level);

/// One line per fact, without indentation.
[[nodiscard]] std::vector<std::string> lines_of(const plan_explanation& why);
/// The same as one text: "no plan" without lines.
[[nodiscard]] std::string one_line(const plan_explanation& why);

}  // namespace nearfork
