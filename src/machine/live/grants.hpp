// What the system grants a runtime, found out by trying: the output of `nearfork doctor`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "machine/live/system_probe.hpp"

namespace nearfork {

enum class grant_state : std::uint8_t {
  granted,
  denied,   // it exists, and the system refuses it
  missing,  // this machine or kernel does not have it
};
[[nodiscard]] const char* name_of(grant_state state) noexcept;

struct grant {
  std::string what;  // "mbind"
  std::string use;   // what nearfork uses it for
  grant_state state = grant_state::missing;
  std::string detail;  // what was found, or the reason of a refusal ("Operation not permitted (errno 1)")
  std::string remedy;  // a command or an option; empty: nothing to do
};

/// Tries pinning, memory placement, counters, frequency and energy files, huge pages, NUMA balancing. Leaves no trace:
/// the calling thread's affinity and memory are as before. `cpu_quota`: in cores' worth of time; nullopt: unlimited.
[[nodiscard]] std::vector<grant> grants_of(const system_probe& system, std::optional<double> cpu_quota);
/// Tries NUMA balancing alone, or huge pages alone.
[[nodiscard]] grant numa_balancing_of(const system_probe& system);
[[nodiscard]] grant huge_pages_of(const system_probe& system);
/// All grants of the system that runs this program.
[[nodiscard]] std::vector<grant> try_everything();

}  // namespace nearfork
