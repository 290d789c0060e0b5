// Where the workers of a program, and what its process may use, do not fit. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/advice/evidence.hpp"
#include "tools/report/document.hpp"

namespace nearfork::tools {

struct worker_limit {
  enum class cause : std::uint8_t { quota, oversubscription, affinity };
  cause why = cause::quota;
  std::uint32_t run = 0;      // workers of the run
  std::uint32_t present = 0;  // as many workers as have time at once
  std::uint32_t wanted = 0;   // without the limit, or, for oversubscription, without the workers that are too many
};

/// Quota or oversubscription of the first run that has it, and affinity. Empty: all fits.
[[nodiscard]] std::vector<worker_limit> worker_limits_of(const std::vector<report_view>& views,
                                                         const system_evidence& system);

/// The name of the advice: "quota".
[[nodiscard]] std::string name_of(worker_limit::cause why);

}  // namespace nearfork::tools
