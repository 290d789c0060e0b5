// Whether all workers of a crew have had other work for some time, while what threads outside bring waits.
#pragma once

#include <cstdint>

namespace nearfork {

class crew;

/// Of one call that lies in the injector of a crew.
class busy_crew {
 public:
  /// True: in all looks of the last milliseconds no worker was idle and something lay in the injector, and none took
  /// anything from there in between. O(workers).
  [[nodiscard]] bool look(crew& now) noexcept;

 private:
  const crew* seen_ = nullptr;  // nullptr: it was not busy at the last look
  std::uint64_t since_ns_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace nearfork
