// What the workers of a runtime did and waited for between two moments.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace nearfork {

class crew;

/// Of all workers, whatever they worked on: where several regions are in progress, each sees what all of them did.
class crew_watch {
 public:
  /// From any thread; O(workers).
  void begin(crew& home);
  void end(crew& home) noexcept;

  /// Absent unless both were called.
  [[nodiscard]] std::optional<std::uint64_t> steals_between_domains() const noexcept { return steals_; }
  /// By domain, the time that its workers were without work, added up. Empty unless both were called.
  [[nodiscard]] std::vector<std::uint64_t> wait_ns_of_domain() const {
    return steals_ ? waits_ns_ : std::vector<std::uint64_t>{};
  }

 private:
  std::uint64_t steals_before_ = 0;
  std::optional<std::uint64_t> steals_{};
  std::vector<std::uint64_t> waits_ns_{};  // between begin() and end(): less what was waited before
};

}  // namespace nearfork
