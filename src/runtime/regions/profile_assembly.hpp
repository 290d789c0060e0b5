// Makes the profile of an iteration from its workers' logs.
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
  std::uint64_t input_bytes;  // the region's; 0: not known
  double ns_per_tick;
};

struct assembled_profile {
  profile made;                    // complete, from the best cost source
  std::string misses_not_counted;  // why the profile has none; empty: misses were counted
};

/// All tasks of the iteration must have ended. Tasks of groups are left out: plans have no place for them. nullopt: the
/// iteration had more tasks than a profile may have. Throws nearfork::error if notes are missing. Linear in tasks.
[[nodiscard]] std::optional<assembled_profile> assemble_profile(detail::noted_tasks& noted, const profile_terms& terms);

}  // namespace nearfork
