#include "runtime/clocks/clock_choice.hpp"

#include <algorithm>
#include <cmath>

namespace nearfork {
namespace {

constexpr double khz_per_ghz = 1e6;

/// All kinds draw the same at the same clock (lambda = 1): the kernel does not tell by how much they differ.
clock_range range_of(const clock_unit& unit) {
  return {.least_ghz = unit.least_khz / khz_per_ghz,
          .normal_ghz = unit.normal_khz / khz_per_ghz,
          .most_ghz = unit.most_khz / khz_per_ghz};
}

bool are_alike(const clock_range& a, const clock_range& b) {
  return a.least_ghz == b.least_ghz && a.normal_ghz == b.normal_ghz && a.most_ghz == b.most_ghz;
}

/// Rounds down, but not where only the last bit is missing.
std::uint32_t khz_of(double ghz) {
  return static_cast<std::uint32_t>(std::floor(ghz * khz_per_ghz + 1e-3));
}

}  // namespace

clock_choice::clock_choice(std::span<const clock_unit> units, std::span<const std::uint32_t> core_of_worker,
                           clock_sharing how)
    : how_(how) {
  for (const clock_unit& unit : units) {
    const clock_range range = range_of(unit);
    const auto known =
        std::ranges::find_if(kinds_, [&](const kind_load& kind) { return are_alike(kind.clocks, range); });
    const auto kind = static_cast<std::size_t>(known - kinds_.begin());
    if (known == kinds_.end()) kinds_.push_back({.clocks = range});
    unit_load made{.kind = kind,
                   .cores = static_cast<std::uint32_t>(unit.cores.size()),
                   .always_works = unit.is_shared,
                   .workers = {}};
    for (std::uint32_t worker = 0; worker < core_of_worker.size(); ++worker)
      if (std::ranges::find(unit.cores, core_of_worker[worker]) != unit.cores.end()) made.workers.push_back(worker);
    kinds_[kind].cores += made.cores;
    units_.push_back(std::move(made));
  }
}

std::vector<std::uint32_t> clock_choice::clocks(const std::function<bool(std::uint32_t worker)>& waits,
                                                clock_step step) const {
  std::vector<kind_load> now = kinds_;
  std::vector<bool> unit_waits;
  for (const unit_load& unit : units_) {
    unit_waits.push_back(!unit.always_works && std::ranges::all_of(unit.workers, waits));
    if (unit_waits.back()) now[unit.kind].waiting += unit.cores;
  }
  // The runtime has nothing to do: the cores belong to the rest of the program.
  const bool all_wait = std::ranges::find(unit_waits, false) == unit_waits.end();
  const std::vector<kind_clocks> of_kinds =
      all_wait ? shared_clocks(clock_sharing::none, now) : shared_clocks(how_, now, step);
  std::vector<std::uint32_t> chosen;
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const kind_clocks& clocks = of_kinds[units_[i].kind];
    chosen.push_back(khz_of(unit_waits[i] ? clocks.waiting_ghz : clocks.working_ghz));
  }
  return chosen;
}

}  // namespace nearfork
