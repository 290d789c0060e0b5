// Two sides arrive once each, and the later one acts.
#pragma once

#include <cstdint>

#include <nearfork/detail/seam.hpp>

namespace nearfork::detail {

class meeting {
 public:
  /// True for the later side, which sees what the earlier one did before: acquire and release pair with each other. The
  /// meeting may be gone when the earlier side's call returns.
  [[nodiscard]] bool arrive() noexcept { return to_come_.fetch_sub(1, seam::memory_order_acq_rel) == 1; }

 private:
  seam::atomic<std::uint32_t> to_come_{2};
};

}  // namespace nearfork::detail
