#include "plan/packing/share_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace nearfork {
namespace {

bool is_complete(const share_evidence& seen) noexcept {
  return seen.use->is_complete() && seen.times->kept().size() >= domain_digest::most_kept;
}

/// So that the sum is 1.
void normalize(std::vector<double>& parts) noexcept {
  const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
  for (double& one : parts) one /= sum;
}

bool any_moved(const domain_digest& seen) noexcept {
  for (std::size_t d = 0; d < seen.domains(); ++d)
    if (seen.subtrees_gained(d) != 0) return true;
  return false;
}

/// How many subtrees there are is asked only where some moved: it takes a packing to know.
std::vector<double> speeds(const std::vector<double>& shares, const domain_digest& seen,
                           const std::function<std::size_t(const std::vector<double>&)>& subtrees_of,
                           const share_rule& rule) {
  const std::size_t subtrees = any_moved(seen) ? subtrees_of(shares) : 0;
  const double least = rule.least_share / static_cast<double>(shares.size());
  std::vector<double> made;
  for (std::size_t d = 0; d < shares.size(); ++d) {
    const double moved = subtrees == 0 ? 0 : seen.subtrees_gained(d) / static_cast<double>(subtrees);
    made.push_back(std::max(shares[d] + moved, least) / std::max(seen.busy(d), least));
  }
  normalize(made);
  for (double& one : made) one = std::max(one, least);
  normalize(made);
  return made;
}

double greatest_difference(const std::vector<double>& shares, const std::vector<double>& measured) noexcept {
  double greatest = 0;
  for (std::size_t d = 0; d < shares.size(); ++d) greatest = std::max(greatest, std::abs(measured[d] / shares[d] - 1));
  return greatest;
}

/// By the median. Shares that are only as good do not win: data would change their domain for nothing.
bool is_faster(const iteration_digest& tried, const iteration_digest& before, const share_rule& rule) noexcept {
  const auto before_ns = static_cast<double>(before.median_ns());
  const double gain = before_ns - static_cast<double>(tried.median_ns());
  return gain > rule.least_gain * before_ns;
}

/// If one of two domains falls to half its speed, the other one waits for half of the time: this is a third of that.
constexpr double changed_busy = 0.15;
constexpr std::size_t iterations_of_a_change = 4;

/// The last iterations of which it is known what domains did; empty if there are too few, or some had another plan.
std::vector<const iteration_summary*> seen_lately(std::span<const iteration_summary> iterations, trial_id trial,
                                                  std::size_t domains) {
  std::vector<const iteration_summary*> seen;
  for (auto one = iterations.rbegin(); one != iterations.rend() && seen.size() < iterations_of_a_change; ++one) {
    if (!one->planned || one->trial != trial) return {};
    if (one->use_of_domain.size() == domains) seen.push_back(&*one);
  }
  return seen.size() == iterations_of_a_change ? seen : std::vector<const iteration_summary*>{};
}

}  // namespace

share_choice search_shares(std::size_t domains, const std::function<share_evidence(std::size_t)>& seen,
                           const std::function<std::size_t(const std::vector<double>&)>& subtrees_of,
                           const share_rule& rule) {
  share_choice now{.shares = std::vector<double>(domains, 1.0 / static_cast<double>(domains))};
  std::vector<double> before;
  const iteration_digest* times_before = nullptr;
  for (std::size_t k = 0;; ++k) {
    const share_evidence evidence = seen(k);
    now.trial = k;
    if (evidence.use == nullptr || evidence.times == nullptr) return now;
    const bool lost = times_before != nullptr && is_hopeless(*evidence.times, *times_before, rule.early);
    if (!lost && (!is_complete(evidence) || evidence.use->domains() != domains)) return now;
    if (lost || (times_before != nullptr && !is_faster(*evidence.times, *times_before, rule)))
      return {.shares = std::move(before), .trial = k - 1, .settled = true};
    std::vector<double> next = speeds(now.shares, *evidence.use, subtrees_of, rule);
    if (k + 1 == rule.most_trials || greatest_difference(now.shares, next) <= rule.tolerance) {
      now.settled = true;
      return now;
    }
    before = std::exchange(now.shares, std::move(next));
    times_before = evidence.times;
  }
}

bool domains_have_changed(const domain_digest& then, std::span<const iteration_summary> lately, trial_id trial) {
  if (!then.is_complete()) return false;
  const auto seen = seen_lately(lately, trial, then.domains());
  if (seen.empty()) return false;
  for (std::size_t d = 0; d < then.domains(); ++d) {
    const auto more = [&](const iteration_summary* one) { return one->use_of_domain[d].busy - then.busy(d); };
    if (std::ranges::all_of(seen, [&](const iteration_summary* one) { return more(one) > changed_busy; })) return true;
    if (std::ranges::all_of(seen, [&](const iteration_summary* one) { return more(one) < -changed_busy; })) return true;
  }
  return false;
}

}  // namespace nearfork
