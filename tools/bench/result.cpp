#include "tools/bench/result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tools/bench/statistics.hpp"
#include "tools/load/processor_use.hpp"

namespace nearfork::tools {
const contender_result* serial_contender(const workload_result& result) {
  const auto found = std::ranges::find(result.contenders, "serial", &contender_result::name);
  return found == result.contenders.end() ? nullptr : &*found;
}

const contender_result* first_contender(const workload_result& result) {
  const auto found = std::ranges::find_if(result.contenders, [](const auto& one) { return one.name != "serial"; });
  return found == result.contenders.end() ? nullptr : &*found;
}

bool any_wrong(const bench_result& result) {
  return std::ranges::any_of(result.workloads, [](const workload_result& one) {
    return std::ranges::any_of(one.contenders, [](const contender_result& each) { return each.wrong > 0; });
  });
}

std::vector<std::string> warnings_of(const workload_result& result) {
  std::vector<std::string> warnings;
  if (std::string disturbed = disturbance_text(result.cores_used_by_others); !disturbed.empty())
    warnings.push_back(std::move(disturbed));
  for (const contender_result& one : result.contenders) {
    const time_summary times = summarize(one.times_ns);
    const std::string who = fmt::format("{} ({})", one.label, one.workers);
    if (one.wrong > 0)
      warnings.push_back(fmt::format("WRONG ANSWER, {}: {} times; first: {}", who, one.wrong, one.first_fault));
    if (is_noisy(times))
      warnings.push_back(fmt::format("noisy, {}: times usually deviate by {:.0f}% from their median", who,
                                     100 * relative_spread(times)));
  }
  return warnings;
}

}  // namespace nearfork::tools
