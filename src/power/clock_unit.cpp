#include "power/clock_unit.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace nearfork {
namespace {

bool overlap(const std::vector<unsigned>& a, const std::vector<unsigned>& b) {
  return std::ranges::any_of(a, [&](unsigned cpu) { return std::ranges::find(b, cpu) != b.end(); });
}

/// Sets of numbers that grow together.
class joined_sets {
 public:
  explicit joined_sets(std::size_t members) : set_of_(members) { std::iota(set_of_.begin(), set_of_.end(), 0U); }
  void join(std::size_t a, std::size_t b) {
    const std::uint32_t from = set_of_[a];
    const std::uint32_t to = set_of_[b];
    std::ranges::replace(set_of_, from, to);
  }
  [[nodiscard]] std::uint32_t set_of(std::size_t member) const { return set_of_[member]; }

 private:
  std::vector<std::uint32_t> set_of_;
};

/// Whether each of the policy's CPUs is a hardware thread of one of the cores.
bool is_all_of(const cpufreq_policy& policy, std::span<const std::vector<unsigned>> cpus_of_core) {
  return std::ranges::all_of(policy.cpus, [&](unsigned cpu) {
    return std::ranges::any_of(cpus_of_core,
                               [&](const auto& cpus) { return std::ranges::find(cpus, cpu) != cpus.end(); });
  });
}

/// A clock that all policies can have.
void narrow(clock_unit& unit, const cpufreq_policy& policy) {
  unit.least_khz = std::max(unit.least_khz, policy.least_khz);
  unit.normal_khz = std::min(unit.normal_khz, policy.normal_khz());
  unit.most_khz = std::min(unit.most_khz, policy.most_khz);
}

}  // namespace

std::vector<clock_unit> clock_units_of(std::span<const cpufreq_policy> policies,
                                       std::span<const std::vector<unsigned>> cpus_of_core) {
  const std::size_t cores = cpus_of_core.size();
  joined_sets sets(cores + policies.size());
  std::vector<bool> is_bound(cores + policies.size(), false);
  for (std::size_t core = 0; core < cores; ++core)
    for (std::size_t i = 0; i < policies.size(); ++i)
      if (overlap(cpus_of_core[core], policies[i].cpus)) {
        sets.join(core, cores + i);
        is_bound[core] = is_bound[cores + i] = true;
      }
  constexpr std::uint32_t any = std::numeric_limits<std::uint32_t>::max();
  std::vector<clock_unit> units;
  std::vector<std::uint32_t> set_of_unit;
  for (std::uint32_t core = 0; core < cores; ++core) {
    if (!is_bound[core]) continue;
    const std::uint32_t set = sets.set_of(core);
    const auto known = std::ranges::find(set_of_unit, set);
    const auto at = static_cast<std::size_t>(known - set_of_unit.begin());
    if (known == set_of_unit.end()) {
      set_of_unit.push_back(set);
      units.push_back({.normal_khz = any, .most_khz = any});
    }
    units[at].cores.push_back(core);
  }
  for (std::uint32_t i = 0; i < policies.size(); ++i) {
    if (!is_bound[cores + i]) continue;
    const auto found = std::ranges::find(set_of_unit, sets.set_of(cores + i));
    clock_unit& unit = units[static_cast<std::size_t>(found - set_of_unit.begin())];
    unit.policies.push_back(i);
    unit.is_shared = unit.is_shared || !is_all_of(policies[i], cpus_of_core);
    narrow(unit, policies[i]);
  }
  for (clock_unit& unit : units) {
    unit.most_khz = std::max(unit.most_khz, unit.least_khz);
    unit.normal_khz = std::clamp(unit.normal_khz, unit.least_khz, unit.most_khz);
  }
  return units;
}

}  // namespace nearfork
