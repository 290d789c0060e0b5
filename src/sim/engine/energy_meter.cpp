#include "sim/engine/energy_meter.hpp"

#include <algorithm>
#include <cmath>

namespace nearfork::sim {
namespace {

constexpr double mw_ps_per_nj = 1e6;
constexpr double most_nj = 9e18;  // fits 64 bits: about 2 kW over the 53 days of virtual time

double energy(std::uint64_t mw, std::uint64_t time_ps) {
  return static_cast<double>(mw) * static_cast<double>(time_ps);
}

}  // namespace

std::uint64_t busy_power_mw(const core_power& nominal, std::uint32_t nominal_mhz, std::uint32_t mhz) {
  const double ratio = mhz / static_cast<double>(nominal_mhz);
  const auto idle = static_cast<double>(nominal.idle_mw);
  const auto cubic = static_cast<double>(nominal.busy_mw) - idle;
  return static_cast<std::uint64_t>(std::llround(idle + cubic * ratio * ratio * ratio));
}

energy_meter::energy_meter(const machine& where, const machine_model& model)
    : known_(model.power.has_value()), by_core_(where.cores().size()) {
  if (!known_) return;
  packages_mw_ = model.power->package_mw * where.packages().size();
  for (std::uint32_t c = 0; c < by_core_.size(); ++c) {
    const unsigned kind = where.cores()[c].kind;
    const core_power& nominal = model.power->cores[kind];
    by_core_[c] = {busy_power_mw(nominal, model.kinds[kind].mhz, core_mhz(where, model, core_id{c})), nominal.idle_mw};
  }
}

std::optional<std::uint64_t> energy_meter::used_nj(std::uint64_t duration_ps,
                                                   std::span<const std::uint64_t> busy_ps) const {
  if (!known_) return std::nullopt;
  double sum = energy(packages_mw_, duration_ps);
  for (std::size_t c = 0; c < by_core_.size(); ++c)
    sum += energy(by_core_[c].busy_mw, busy_ps[c]) + energy(by_core_[c].idle_mw, duration_ps - busy_ps[c]);
  return static_cast<std::uint64_t>(std::llround(std::min(sum / mw_ps_per_nj, most_nj)));
}

}  // namespace nearfork::sim
