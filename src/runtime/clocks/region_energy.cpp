#include "runtime/clocks/region_energy.hpp"

#include <new>
#include <utility>

namespace nearfork {

std::vector<package_energy> energy_of(const std::vector<std::string>& packages, std::span<const std::uint64_t> taken_uj,
                                      std::uint64_t time_ns) {
  std::vector<package_energy> all;
  const double seconds = static_cast<double>(time_ns) / 1e9;
  for (std::size_t i = 0; i < packages.size() && i < taken_uj.size(); ++i) {
    const double joules = static_cast<double>(taken_uj[i]) / 1e6;
    all.push_back({.package = packages[i], .joules = joules, .watts = seconds > 0 ? joules / seconds : 0});
  }
  return all;
}

energy_mark read_mark(energy_meter* meter) noexcept {
  if (meter == nullptr) return {};
  try {
    return meter->read_uj().value_or(energy_mark{});
  } catch (const std::bad_alloc&) {
    return {};
  }
}

namespace {

bool are_comparable(const energy_mark& before, const energy_mark& after) noexcept {
  return !before.empty() && before.size() == after.size();
}

}  // namespace

std::optional<std::uint64_t> taken_nj(const energy_mark& before, const energy_mark& after) noexcept {
  if (!are_comparable(before, after)) return std::nullopt;
  std::uint64_t sum_uj = 0;
  for (std::size_t i = 0; i < before.size(); ++i) sum_uj += after[i] - before[i];
  return sum_uj * 1000;
}

std::vector<double> watts_of(const energy_mark& before, const energy_mark& after, std::uint64_t duration_ns) noexcept {
  if (!are_comparable(before, after) || duration_ns == 0) return {};
  try {
    std::vector<double> made;
    for (std::size_t i = 0; i < before.size(); ++i)
      made.push_back(static_cast<double>(after[i] - before[i]) * 1e3 / static_cast<double>(duration_ns));
    return made;
  } catch (const std::bad_alloc&) {
    return {};
  }
}

void region_energy::add(const energy_mark& before, const energy_mark& after, std::uint64_t duration_ns) noexcept {
  if (!are_comparable(before, after)) return;
  try {
    taken_uj.resize(before.size());
  } catch (const std::bad_alloc&) {
    return;
  }
  for (std::size_t i = 0; i < before.size(); ++i) taken_uj[i] += after[i] - before[i];
  time_ns += duration_ns;
  ++iterations;
}

}  // namespace nearfork
