// How frequencies were set before nearfork set them: kept in a file, so that they can be restored after a crash.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/system_files.hpp"
#include "power/cpufreq_policy.hpp"

namespace nearfork {

struct saved_policy {
  unsigned number = 0;
  clock_way way = clock_way::limits;
  std::string governor{};
  std::uint32_t setspeed_khz = 0;  // 0: the governor takes none
  std::uint32_t least_khz = 0;
  std::uint32_t most_khz = 0;
  friend bool operator==(const saved_policy&, const saved_policy&) = default;
};

struct saved_frequencies {
  std::string boot;  // the kernel's boot id: after a new start there is nothing to restore
  int process = 0;   // that set them
  std::vector<saved_policy> policies;
  friend bool operator==(const saved_frequencies&, const saved_frequencies&) = default;
};

[[nodiscard]] saved_policy saved(const cpufreq_policy& found);

[[nodiscard]] std::string text_of(const saved_frequencies& all);
/// nullopt: the text is none of ours, or was not written to its end. Every word is checked: a governor is a plain name,
/// a frequency a number.
[[nodiscard]] std::optional<saved_frequencies> parse_saved(std::string_view text);

/// One write that restores a part of a policy.
struct restoring_write {
  std::string path;
  std::string text;
  /// Writes only if the file now holds this word: another program may have chosen since. Empty: in any case.
  std::string only_if;
};
/// In the order in which they must be done.
[[nodiscard]] std::vector<restoring_write> writes_that_restore(const saved_policy& before);

struct restoring_failure {
  std::string path;
  int error_number;
};
/// Does them all. A policy whose governor another program has changed is left as it is.
[[nodiscard]] std::vector<restoring_failure> restore(const system_files& files,
                                                     std::span<const restoring_write> writes);

/// The boot id of the kernel that runs; empty if it is not known.
[[nodiscard]] std::string boot_of(const system_files& files);

}  // namespace nearfork
