// How often the workers of a runtime stole between domains, and how long they waited, between two moments.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/profile/domain_digest.hpp"

namespace nearfork {

class crew;

/// Counts all workers, whatever they worked on: with several regions in progress, each region sees what all regions
/// did.
class crew_watch {
 public:
  /// Called from any thread; O(workers).
  void begin(crew& home);
  void end(crew& home) noexcept;

  /// nullopt unless begin() and end() were called.
  [[nodiscard]] std::optional<std::uint64_t> steals_between_domains() const noexcept { return steals_; }
  /// The same.
  [[nodiscard]] std::optional<std::uint64_t> wanted_crossings() const noexcept {
    return steals_ ? std::optional(crossings_) : std::nullopt;
  }
  /// For each domain the sum of the times that its workers were without work. Empty unless begin() and end() were
  /// called.
  [[nodiscard]] std::vector<std::uint64_t> wait_ns_of_domain() const {
    return steals_ ? waits_ns_ : std::vector<std::uint64_t>{};
  }
  /// What each domain did in an iteration that took so long. Empty unless begin() and end() were called.
  [[nodiscard]] std::vector<domain_use> use_of_domain(std::uint64_t duration_ns) const;

 private:
  std::uint64_t began_ns_ = 0;
  std::uint64_t steals_before_ = 0;
  std::optional<std::uint64_t> steals_{};
  std::uint64_t crossings_ = 0;            // between begin() and end(): minus what was counted before
  std::vector<std::uint32_t> workers_{};   // by domain
  std::vector<std::int32_t> gained_{};     // as the next
  std::vector<std::uint64_t> waits_ns_{};  // between begin() and end(): minus what was waited before
};

}  // namespace nearfork
