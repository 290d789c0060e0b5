#include "plan/packing/crossing.hpp"

#include <cstddef>
#include <cstdint>

namespace nearfork {
namespace {

/// The part of the time that the mean domain waits; 0: not known.
double waiting(const domain_digest* use) {
  if (use == nullptr || !use->is_complete() || use->domains() == 0) return 0;
  double busy = 0;
  for (std::size_t d = 0; d < use->domains(); ++d) busy += use->busy(d);
  return 1 - busy / static_cast<double>(use->domains());
}

/// False if the plan would be slower than plain stealing even if nobody waited.
bool may_win(const iteration_digest& apart, double waiting, const iteration_digest& plain) {
  return plain.count() == 0 ||
         static_cast<double>(apart.median_ns()) * (1 - waiting) < static_cast<double>(plain.median_ns());
}

crossing judge(const iteration_digest& together, const iteration_digest& apart, const tuning_rule& early) {
  if (is_hopeless(together, apart, early)) return crossing::forbidden;
  const auto faster = together.most_are([&](std::uint64_t ns) { return ns < apart.kept().front(); });
  if (!faster) return crossing::tried;
  return *faster ? crossing::allowed : crossing::forbidden;
}

}  // namespace

crossing choose_crossing(const crossing_evidence& seen, const crossing_rule& rule) {
  const double waited = waiting(seen.use);
  if (waited < rule.least_waiting || !may_win(seen.apart, waited, seen.plain)) return crossing::forbidden;
  return seen.together == nullptr ? crossing::tried : judge(*seen.together, seen.apart, rule.early);
}

}  // namespace nearfork
