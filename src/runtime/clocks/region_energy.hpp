// The energy of a region's iterations, by package.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nearfork/run_report.hpp>

#include "sensors/energy_meter.hpp"

namespace nearfork {

/// What packages took within some time, as the report shows it.
[[nodiscard]] std::vector<package_energy> energy_of(const std::vector<std::string>& packages,
                                                    std::span<const std::uint64_t> taken_uj, std::uint64_t time_ns);

/// A reading of the meter at an iteration's begin; empty where nothing is measured.
using energy_mark = std::vector<std::uint64_t>;
/// Empty also if there is no memory for it.
[[nodiscard]] energy_mark read_mark(energy_meter* meter) noexcept;

/// Between two readings, by all packages; nullopt: one is missing.
[[nodiscard]] std::optional<std::uint64_t> taken_nj(const energy_mark& before, const energy_mark& after) noexcept;

/// By package, in one iteration. Empty: a reading is missing, or there is no memory for it.
[[nodiscard]] std::vector<double> watts_of(const energy_mark& before, const energy_mark& after,
                                           std::uint64_t duration_ns) noexcept;

/// The sum over iterations.
struct region_energy {
  std::vector<std::uint64_t> taken_uj{};  // by package
  std::uint64_t time_ns = 0;
  std::uint64_t iterations = 0;  // that were measured

  /// Adds an iteration, unless a mark is missing, or there is no memory for it.
  void add(const energy_mark& before, const energy_mark& after, std::uint64_t duration_ns) noexcept;
};

}  // namespace nearfork
