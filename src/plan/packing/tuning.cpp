#include "plan/packing/tuning.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace nearfork {

trial_summary summary_of(trial_id trial, std::string what, const iteration_digest& seen) {
  return {.trial = trial,
          .what = std::move(what),
          .iterations = seen.count(),
          .shortest_ns = seen.shortest_ns(),
          .median_ns = seen.median_ns()};
}

namespace {

struct search {
  const profile& measured;
  const std::function<bool(std::int32_t)>& exists;
  const tuning_rule& rule;
  trial_series series = 0;
  tuning found{};
  std::int32_t best = 0;

  /// nullptr: there is no evidence yet.
  const iteration_digest* evidence_of(std::int32_t level) {
    const trial_id trial = trial_of_packing(level, series);
    const iteration_digest* const seen = measured.evidence_of(trial);
    if (seen != nullptr) found.trials.push_back(summary_of(trial, packing_text(level), *seen));
    return seen;
  }

  verdict judge(std::int32_t level) {
    const iteration_digest* const seen = evidence_of(level);
    if (seen == nullptr) return verdict::undecided;
    const iteration_digest& saved = *measured.evidence_of(trial_of_packing(best, series));
    if (rule.as_printed) {
      const bool better = level > 0 ? seen->first_ns() < saved.first_ns() : seen->first_ns() <= saved.first_ns();
      return better ? verdict::better : verdict::not_better;
    }
    const verdict now = compare(*seen, saved, rule);
    found.trials.back().given_up = now == verdict::not_better && seen->kept().size() < iteration_digest::most_kept;
    return now;
  }

  /// Goes from the first packing outward, `step` by `step`. False if a packing needs more iterations.
  bool walk(std::int32_t step) {
    for (std::int32_t level = step; level != step * (rule.most_levels + 1) && exists(level); level += step) {
      const verdict now = judge(level);
      if (now == verdict::undecided) {
        found.level = level;
        return false;
      }
      if (now == verdict::not_better) break;
      best = level;
    }
    return true;
  }

  bool follow() {
    const iteration_digest* const first = evidence_of(0);
    if (!exists(1) && !exists(-1)) return true;
    if (first == nullptr || first->kept().size() < (rule.as_printed ? 1 : iteration_digest::most_kept)) return false;
    if (!walk(1)) return false;
    return best > 0 || walk(-1);
  }
};

}  // namespace

bool is_hopeless(const iteration_digest& tried, const iteration_digest& best, const tuning_rule& rule) noexcept {
  const std::size_t seen = tried.kept().size();
  if (seen == 0) return false;
  const std::uint64_t fastest_ns = tried.kept().front();
  if (seen >= rule.hopeless_after) return fastest_ns >= best.median_ns();
  const double times = seen <= rule.clearly_slower.size() ? rule.clearly_slower[seen - 1] : 0;
  return times > 0 && static_cast<double>(fastest_ns) >=
                          times * static_cast<double>(best.median_ns()) + static_cast<double>(best.spread_ns());
}

verdict compare(const iteration_digest& tried, const iteration_digest& best, const tuning_rule& rule) noexcept {
  const std::size_t seen = tried.kept().size();
  if (is_hopeless(tried, best, rule)) return verdict::not_better;
  if (seen < iteration_digest::most_kept) return verdict::undecided;
  const auto best_ns = static_cast<double>(best.median_ns());
  const double gain = best_ns - static_cast<double>(tried.median_ns());
  const auto spreads = static_cast<double>(tried.spread_ns() + best.spread_ns());
  return gain > std::max(spreads, rule.least_gain * best_ns) ? verdict::better : verdict::not_better;
}

tuning tune(const profile& measured, const std::function<bool(std::int32_t)>& exists, const tuning_rule& rule,
            trial_series series) {
  search all{.measured = measured, .exists = exists, .rule = rule, .series = series};
  all.found.settled = all.follow();
  if (all.found.settled) all.found.level = all.best;
  return all.found;
}

}  // namespace nearfork
