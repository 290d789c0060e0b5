#include "sim/cores/energy_meter.hpp"

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

energy_meter::energy_meter(const machine& where, const machine_model& model) : known_(model.power.has_value()) {
  if (!known_) return;
  packages_mw_ = model.power->package_mw * where.packages().size();
  for (const core& one : where.cores()) by_core_.push_back({model.power->cores[one.kind], model.kinds[one.kind].mhz});
}

std::optional<std::uint64_t> energy_meter::used_nj(std::uint64_t duration_ps, std::span<const core_work> done) const {
  if (!known_) return std::nullopt;
  double sum = energy(packages_mw_, duration_ps);
  for (const nominal_power& one : by_core_) sum += energy(one.power.idle_mw, duration_ps);
  for (const core_work& one : done) {
    const nominal_power& nominal = by_core_[index_of_id(one.core)];
    sum += energy(busy_power_mw(nominal.power, nominal.mhz, one.mhz), one.busy_ps);
    sum -= energy(nominal.power.idle_mw, one.busy_ps);
  }
  return static_cast<std::uint64_t>(std::llround(std::min(sum / mw_ps_per_nj, most_nj)));
}

}  // namespace nearfork::sim
