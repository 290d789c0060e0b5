// The kernel's frequency policies: sets of CPUs that have one clock, as /sys/devices/system/cpu/cpufreq shows them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/files/system_files.hpp"

namespace nearfork {

/// How a policy's clock is set.
enum class clock_way : std::uint8_t {
  setspeed,  // the governor "userspace" takes a frequency
  limits     // the lowest and the highest frequency are made equal: intel_pstate, amd-pstate
};

struct cpufreq_policy {
  unsigned number = 0;
  std::vector<unsigned> cpus{};    // those online, by the system's numbers
  std::string governor{};          // as found
  std::uint32_t setspeed_khz = 0;  // as found; 0: the governor takes none
  std::uint32_t least_khz = 0;     // the limits as found: the user set them, and they are kept
  std::uint32_t most_khz = 0;
  std::uint32_t base_khz = 0;                // 0: the driver does not say it
  std::vector<std::uint32_t> offered_khz{};  // ascending; empty: any between the limits
  clock_way way = clock_way::limits;

  /// The clock of a core at work when nothing is shared out: the base frequency, or the highest one where the driver
  /// does not say which it is; within the limits.
  [[nodiscard]] std::uint32_t normal_khz() const noexcept;
  /// The highest clock that the policy can have and that is not above `wished_khz`; the lowest one if there is none.
  [[nodiscard]] std::uint32_t possible_khz(std::uint32_t wished_khz) const noexcept;
  [[nodiscard]] std::string path_of(const char* file) const;

  friend bool operator==(const cpufreq_policy&, const cpufreq_policy&) = default;
};

/// A file that cannot be used.
struct file_refusal {
  std::string path;
  int error_number = 0;  // 0: the content is wrong
  std::string why;
};

struct cpufreq_reading {
  std::vector<cpufreq_policy> policies;  // by number, without those whose CPUs are all offline
  std::vector<file_refusal> refused;
};

[[nodiscard]] cpufreq_reading read_cpufreq(const system_files& files);

/// The files that setting the policy's clock needs.
[[nodiscard]] std::vector<std::string> written_files(const cpufreq_policy& policy);

inline constexpr const char* cpufreq_folder = "/sys/devices/system/cpu/cpufreq";
inline constexpr const char* governor_by_user = "userspace";

}  // namespace nearfork
