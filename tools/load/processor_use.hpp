// How busy other processes kept the machine: what disturbs a measurement.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nearfork::tools {

/// Processor time since the start of the system, and of this process with its children that have ended, summed over
/// cores.
struct processor_use {
  double all_s = 0;
  double own_s = 0;
};
/// nullopt if the system does not say.
[[nodiscard]] std::optional<processor_use> read_processor_use();

/// The time that all cores together were busy, stolen time included, from the text of /proc/stat.
[[nodiscard]] std::optional<std::uint64_t> busy_ticks(std::string_view stat);

/// How many cores other processes kept busy on average. Rounding never makes it negative.
[[nodiscard]] double cores_used_by_others(const processor_use& before, const processor_use& after, double elapsed_s);

/// An idle desktop stays below this.
inline constexpr double disturbing_cores = 0.1;
/// "disturbed: other processes kept 1.5 cores busy meanwhile"; empty if they were not disturbing, or it is not known.
[[nodiscard]] std::string disturbance_text(std::optional<double> used_by_others);

/// Watches other processes from its construction on.
class load_watch {
 public:
  load_watch();
  /// Cores that other processes kept busy so far, on average. nullopt if the system does not say, or the time was too
  /// short to tell.
  [[nodiscard]] std::optional<double> used_by_others() const;

 private:
  using clock = std::chrono::steady_clock;
  clock::time_point began_;
  std::optional<processor_use> before_;
};

}  // namespace nearfork::tools
