// Sets the clocks of cores, and restores them whatever happens: at its end; at the end of the process
// (last_writes.hpp); after kill -9 by `nearfork doctor`, or by the next program that sets clocks (state_file.hpp).
//
// All or nothing: if one file is refused, no clock is set, because the rest alone could not keep to a budget of power.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/files/system_files.hpp"
#include "power/clock_unit.hpp"
#include "power/cpufreq_policy.hpp"
#include "power/power_shortfall.hpp"
#include "power/saved_frequencies.hpp"
#include "power/state_file.hpp"
#include "power/write_gate.hpp"

namespace nearfork {

struct control_opening;

class frequency_control {
 public:
  ~frequency_control() { restore(); }
  frequency_control(const frequency_control&) = delete;
  frequency_control& operator=(const frequency_control&) = delete;

  [[nodiscard]] std::span<const clock_unit> units() const noexcept { return units_; }
  [[nodiscard]] std::span<const cpufreq_policy> policies() const noexcept { return policies_; }

  /// Sets the clock of each unit; 0 leaves it alone. A clock that a unit cannot have becomes the next lower one. First
  /// lowers, then raises, so that no sum of powers on the way is above that of both ends. Called by one thread only.
  void set(std::span<const std::uint32_t> khz_of_unit);
  /// What set() wrote last for the unit; 0: nothing yet. Called by the thread that calls set().
  [[nodiscard]] std::uint32_t khz_of(const clock_unit& unit) const noexcept;
  /// How many times a clock was changed.
  [[nodiscard]] std::uint64_t changes() const noexcept { return changes_.load(detail::seam::memory_order_relaxed); }

  /// What was refused since the opening, and what other programs changed. Any thread.
  [[nodiscard]] std::vector<power_shortfall> shortfalls() const;

  /// Sets all as it was before. Nothing is set afterwards. What cannot be restored is said on stderr.
  void restore() noexcept;

 private:
  friend control_opening open_frequencies(std::shared_ptr<const system_files> files,
                                          std::span<const std::vector<unsigned>> cpus_of_core);
  frequency_control(std::shared_ptr<const system_files> files, std::vector<cpufreq_policy> policies,
                    std::vector<clock_unit> units, std::unique_ptr<state_file> state);

  [[nodiscard]] std::vector<power_shortfall> take_over();
  [[nodiscard]] bool is_ours(const cpufreq_policy& policy) const;
  [[nodiscard]] int write_clock(const cpufreq_policy& policy, std::uint32_t from_khz, std::uint32_t khz);
  void set_policy(std::uint32_t index, std::uint32_t khz);
  void note(power_shortfall fact) const;

  const std::shared_ptr<const system_files> files_;
  const std::vector<cpufreq_policy> policies_;  // as found
  const std::vector<clock_unit> units_;
  std::unique_ptr<state_file> state_;
  std::vector<restoring_write> restoring_;
  std::shared_ptr<write_gate> gate_ = std::make_shared<write_gate>();
  std::vector<std::uint32_t> now_khz_;  // by policy: what was written last; 0: nothing yet
  std::vector<bool> is_lost_;           // by policy: another program sets it, or the system refuses
  detail::seam::atomic<std::uint64_t> changes_{0};
  bool is_restored_ = false;

  mutable std::mutex mutex_;
  mutable std::vector<power_shortfall> shortfalls_;
};

struct control_opening {
  std::unique_ptr<frequency_control> control{};  // nullptr: no clock is set
  std::vector<power_shortfall> refused{};        // why not, or which cores' clocks are not
  std::vector<std::string> notes{};              // what to know about the clocks that are set
};

/// Takes over the clocks of cores whose hardware threads have these numbers. Only one control may live on a system.
[[nodiscard]] control_opening open_frequencies(std::shared_ptr<const system_files> files,
                                               std::span<const std::vector<unsigned>> cpus_of_core);

}  // namespace nearfork
