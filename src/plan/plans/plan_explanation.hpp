// Why a plan is as it is: facts for the run report, beside what the plan does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nearfork {

/// What a policy came to.
enum class plan_decision : std::uint8_t {
  none,               // nobody was asked
  one_domain,         // plain: nothing is remote and no cache is another one
  no_forks,           // plain: there is nothing to place
  tree_too_large,     // plain: more tasks than may be profiled
  sizes_unknown,      // plain: neither bytes nor the size of the input are known, or no cache is
  cpu_bound,          // plain: too few bytes for the time
  fits_one_cache,     // plain: there is nothing to cut
  trying_plain,       // plain, to compare it with what is planned
  no_plan_is_faster,  // plain: the best packing that was tried did not prove to be faster
  by_rule,            // planned, from the way down alone
  packed,             // planned, once for all
  trying,             // planned, to compare this packing with the best one so far
  settled,            // planned, with the best of those that were tried
};
[[nodiscard]] std::string_view name_of(plan_decision decision) noexcept;

/// What was measured of one packing.
struct packing_trial {
  std::int32_t level = 0;
  std::uint64_t iterations = 0;
  std::uint64_t shortest_ns = 0;
  std::uint64_t median_ns = 0;
  friend bool operator==(const packing_trial&, const packing_trial&) = default;
};

struct plan_explanation {
  std::string_view policy{};  // a literal
  plan_decision decision = plan_decision::none;
  /// 0: the first packing; each further level has its subtree roots one level further down, each negative one further up.
  std::int32_t packing_level = 0;
  std::uint32_t subtrees = 0;  // 0: not known before it runs
  /// Bytes per subtree; both 0: not known.
  double least_bytes = 0;
  double most_bytes = 0;
  bool turns_back = false;  // its sweeps run forward and backward in turn
  /// The part of the region's work that has its home in each domain, by bytes or, where they are not known, by shares;
  /// what is nowhere at home is missing from the sum of 1.
  std::vector<double> domain_shares{};
  std::vector<packing_trial> trials{};  // in the order in which they were made
  packing_trial plain_trial{};          // without any plan; no iterations: it was not tried
  friend bool operator==(const plan_explanation&, const plan_explanation&) = default;
};

/// One fact a line, without indentation.
[[nodiscard]] std::vector<std::string> lines_of(const plan_explanation& why);

}  // namespace nearfork
