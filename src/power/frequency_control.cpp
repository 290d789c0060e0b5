#include "power/frequency_control.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/process_number.hpp"
#include "base/text/message_text.hpp"
#include "power/last_writes.hpp"

namespace nearfork {
namespace {

constexpr const char* by_another = "another program sets the clock of some cores";
constexpr const char* leave_alone = "let one program alone set clocks, and start a new runtime";

std::string name_of(const cpufreq_policy& policy) {
  return "policy" + std::to_string(policy.number);
}

}  // namespace

frequency_control::frequency_control(std::shared_ptr<const system_files> files, std::vector<cpufreq_policy> policies,
                                     std::vector<clock_unit> units, std::unique_ptr<state_file> state)
    : files_(std::move(files)),
      policies_(std::move(policies)),
      units_(std::move(units)),
      state_(std::move(state)),
      now_khz_(policies_.size(), 0),
      is_lost_(policies_.size(), false) {}

/// Nothing is written before the state file says how to undo it. Returns why the clocks cannot be taken over.
std::vector<power_shortfall> frequency_control::take_over() {
  saved_frequencies before{.boot = boot_of(*files_), .process = process_number(), .policies = {}};
  std::vector<restoring_write> real;
  for (const clock_unit& unit : units_)
    for (const std::uint32_t index : unit.policies) {
      before.policies.push_back(saved(policies_[index]));
      for (restoring_write& one : writes_that_restore(before.policies.back())) restoring_.push_back(std::move(one));
    }
  for (const restoring_write& one : restoring_) real.push_back({files_->real_path(one.path), one.text, one.only_if});
  if (const int refused = state_->replace(text_of(before)); refused != 0) {
    is_restored_ = true;
    return {{"frequencies are not set", state_->path(),
             with_number(refused) + "; without this file a crash could not be undone", "make room there"}};
  }
  arm_last_writes(real, state_->path(), gate_);
  for (const clock_unit& unit : units_)
    for (const std::uint32_t index : unit.policies) {
      const cpufreq_policy& policy = policies_[index];
      if (policy.way != clock_way::setspeed || policy.governor == governor_by_user) continue;
      const std::string path = policy.path_of("scaling_governor");
      if (const int refused = files_->write(path, governor_by_user); refused != 0)
        return {{"frequencies are not set", path, with_number(refused), "sudo modprobe cpufreq_userspace"}};
    }
  std::vector<std::uint32_t> normal;
  for (const clock_unit& unit : units_) normal.push_back(unit.normal_khz);
  set(normal);
  return shortfalls();
}

void frequency_control::set(std::span<const std::uint32_t> khz_of_unit) {
  if (!gate_->try_enter()) return;
  const std::unique_ptr<write_gate, decltype([](write_gate* entered) { entered->leave(); })> inside(gate_.get());
  for (const bool raises : {false, true})
    for (std::size_t i = 0; i < units_.size(); ++i)
      for (const std::uint32_t index : units_[i].policies) {
        if (khz_of_unit[i] == 0 || is_lost_[index]) continue;
        const std::uint32_t khz = policies_[index].possible_khz(khz_of_unit[i]);
        if (khz != now_khz_[index] && (khz > now_khz_[index]) == raises) set_policy(index, khz);
      }
}

std::uint32_t frequency_control::khz_of(const clock_unit& unit) const noexcept {
  std::uint32_t highest = 0;
  for (const std::uint32_t index : unit.policies) highest = std::max(highest, now_khz_[index]);
  return highest;
}

void frequency_control::set_policy(std::uint32_t index, std::uint32_t khz) {
  const cpufreq_policy& policy = policies_[index];
  const int refused = write_clock(policy, now_khz_[index], khz);
  if (refused == 0) {
    now_khz_[index] = khz;
    changes_.fetch_add(1, detail::seam::memory_order_relaxed);
    return;
  }
  is_lost_[index] = true;
  if (is_ours(policy))
    note({"the clock of some cores cannot be set any more", written_files(policy).back(), with_number(refused),
          "leave CPUs online and the files' permissions alone, and start a new runtime"});
}

/// Of two limits the one is first written that the other allows.
int frequency_control::write_clock(const cpufreq_policy& policy, std::uint32_t from_khz, std::uint32_t khz) {
  const std::string text = std::to_string(khz);
  if (policy.way == clock_way::setspeed) return files_->write(policy.path_of("scaling_setspeed"), text);
  const bool raises = from_khz != 0 && khz > from_khz;
  const int first = files_->write(policy.path_of(raises ? "scaling_max_freq" : "scaling_min_freq"), text);
  return first != 0 ? first : files_->write(policy.path_of(raises ? "scaling_min_freq" : "scaling_max_freq"), text);
}

/// One line for each thing.
void frequency_control::note(power_shortfall fact) const {
  const std::lock_guard lock(mutex_);
  const bool known = std::ranges::any_of(
      shortfalls_, [&](const power_shortfall& one) { return one.what == fact.what && one.where == fact.where; });
  if (!known) shortfalls_.push_back(std::move(fact));
}

/// False: another program has changed the governor; this is noted.
bool frequency_control::is_ours(const cpufreq_policy& policy) const {
  if (policy.way != clock_way::setspeed) return true;
  const std::string path = policy.path_of("scaling_governor");
  const file_text now = files_->read(path);
  if (now.error_number != 0 || now.text == governor_by_user) return true;
  note({by_another, path, "the governor is now " + quoted(now.text) + "; " + name_of(policy) + " is left as it is",
        leave_alone});
  return false;
}

/// A governor may have been changed since the last clock was set.
std::vector<power_shortfall> frequency_control::shortfalls() const {
  for (const clock_unit& unit : units_)
    for (const std::uint32_t index : unit.policies)
      if (!gate_->is_closed()) (void)is_ours(policies_[index]);
  const std::lock_guard lock(mutex_);
  return shortfalls_;
}

void frequency_control::restore() noexcept {
  if (std::exchange(is_restored_, true)) return;
  gate_->close();
  const std::vector<restoring_failure> failed = nearfork::restore(*files_, restoring_);
  disarm_last_writes();
  if (failed.empty()) (void)state_->replace({});
  for (const restoring_failure& one : failed)
    std::fprintf(stderr, "nearfork: %s cannot be restored: %s; try: sudo nearfork doctor --restore-frequencies\n",
                 one.path.c_str(), with_number(one.error_number).c_str());
}

}  // namespace nearfork
