// From the workers' logs of an iteration to its profile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "plan/profile/profile.hpp"
#include "runtime/recording/noted_tasks.hpp"

namespace nearfork {

/// How an iteration's log becomes a profile.
struct profile_terms {
  std::uint64_t most_tasks;
  std::uint64_t input_bytes;  // of the region; 0: not known
  double ns_per_tick;
};

struct assembled_profile {
  profile made;                    // complete, by the best costs there are
  std::string misses_not_counted;  // why it had to do without; empty: they were counted
};

/// Of an iteration whose tasks have all ended. Tasks of groups are left out: plans have no place for them. nullopt: it
/// had more tasks than a profile may have. Throws nearfork::error if notes are missing. Linear in tasks.
[[nodiscard]] std::optional<assembled_profile> assemble_profile(detail::noted_tasks& noted, const profile_terms& terms);

}  // namespace nearfork
