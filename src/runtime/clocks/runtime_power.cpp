#include "runtime/clocks/runtime_power.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/monotonic_clock.hpp"
#include "runtime/clocks/region_energy.hpp"

namespace nearfork {
namespace {

constexpr const char* not_set = "frequencies are not set";

std::unique_ptr<energy_watch> watch_on(energy_meter* meter) {
  return meter != nullptr && meter->measures() ? std::make_unique<energy_watch>(*meter) : nullptr;
}

std::string text_of(const energy_refusal& why) {
  return why.where + ": " + why.why;
}

degradation as_degradation(power_shortfall fact) {
  return {std::move(fact.what), std::move(fact.where), std::move(fact.why), std::move(fact.remedy)};
}

}  // namespace

power_system live_power_system() {
  return {.files = live_system_files()};
}

runtime_power::runtime_power(power_use use, run_goal goal, const power_system& on)
    : use_(use),
      goal_(goal),
      files_(on.files),
      meter_(use == power_use::off ? nullptr : std::make_unique<energy_meter>(on.files, on.open)),
      watch_(watch_on(meter_.get())),
      started_ns_(now_ns()) {}

void runtime_power::manage(std::span<const std::vector<unsigned>> cpus_of_core,
                           std::span<const std::uint32_t> core_of_worker, clock_sharing how) {
  control_opening opened = open_frequencies(files_, cpus_of_core);
  std::ranges::move(opened.refused, std::back_inserter(refused_));
  notes_ = std::move(opened.notes);
  if (opened.control != nullptr)
    clocks_ = std::make_unique<worker_clocks>(std::move(opened.control), core_of_worker, how);
}

void runtime_power::do_not_manage(std::string why, std::string remedy) {
  refused_.push_back({not_set, "the workers", std::move(why), std::move(remedy)});
}

/// The clocks stay where workers find them.
void runtime_power::give_up(std::string why, std::string remedy) {
  gave_up_ = true;
  clocks_->stop();
  do_not_manage(std::move(why), std::move(remedy));
}

void runtime_power::add_to(run_report& into) const {
  if (goal_ != run_goal::time) add_goal(into);
  if (use_ == power_use::off) return;
  add_energy(into);
  add_clocks(into);
}

region_power runtime_power::for_regions() const noexcept {
  // Kernels count energy a thousand times a second, and take some 10 us for a change of clocks.
  constexpr std::uint64_t ms = 1'000'000;
  region_power made{.meter = meter(), .clocks = clocks()};
  if (goal_ != run_goal::time && made.meter != nullptr && made.clocks != nullptr)
    made.rule = {.goal = goal_,
                 .least = made.clocks->least(),
                 .measured_ns = 20 * ms,
                 .settling_ns = 5 * ms,
                 .least_iteration_ns = 2 * ms};
  return made;
}

void runtime_power::add_goal(run_report& into) const {
  const auto add = [&](std::string why, std::string remedy) {
    into.degradations.push_back({.what = "the goal is not pursued",
                                 .where = "goal " + std::string(nearfork::name_of(goal_)),
                                 .why = std::move(why),
                                 .remedy = std::move(remedy)});
  };
  if (use_ != power_use::manage) return add("clocks are not managed", "set NEARFORK_POWER=manage");
  if (clocks_ == nullptr || gave_up_) return add("no clock can be set", "see what the report says about clocks");
  if (!meter_->measures()) add("energy is not measured: " + text_of(meter_->refusal()), meter_->refusal().remedy);
}

/// Who manages clocks gets energy where there is a counter; who asks for energy is told that there is none.
void runtime_power::add_energy(run_report& into) const {
  const energy_refusal why = meter_->measures() ? meter_->lost() : meter_->refusal();
  into.power.energy_source = meter_->read_by();
  if (const auto taken = meter_->measures() ? meter_->read_uj() : std::nullopt)
    into.power.energy = energy_of(meter_->package_names(), *taken, now_ns() - started_ns_);
  if (why.where.empty()) return;
  into.power.energy_note = text_of(why);
  if (use_ == power_use::report)
    into.degradations.push_back(
        {.what = "energy is not measured", .where = why.where, .why = why.why, .remedy = why.remedy});
}

void runtime_power::add_clocks(run_report& into) const {
  into.power.notes = notes_;
  for (const power_shortfall& one : refused_) into.degradations.push_back(as_degradation(one));
  if (clocks_ == nullptr || gave_up_) return;
  const frequency_control& control = clocks_->control();
  into.power.clocks = control.units().size();
  into.power.clock_changes = control.changes();
  for (power_shortfall& one : control.shortfalls()) into.degradations.push_back(as_degradation(std::move(one)));
}

}  // namespace nearfork
