// What the domains did in the iterations of one trial: how much of the work, and for how much of the time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace nearfork {

/// Of one iteration.
struct domain_use {
  /// The part of the iteration that the domain's workers had work, on average: 0 to 1.
  double busy = 0;
  /// Subtrees that it took from other domains, less those that others took from it.
  std::int32_t subtrees_gained = 0;
  friend constexpr bool operator==(domain_use, domain_use) = default;
};

/// Of `all` time of a domain's workers, the part that they did not wait for work: 0 to 1. 0 if there was no time.
[[nodiscard]] constexpr double busy_part(double waited, double all) noexcept {
  return all > 0 ? 1 - std::min(waited / all, 1.0) : 0;
}

class domain_digest {
 public:
  /// The first iterations are evidence for decisions that must not change later; no more are kept.
  static constexpr std::size_t most_kept = 3;

  /// By domain; empty: not counted.
  void add(const std::vector<domain_use>& seen);
  [[nodiscard]] bool is_complete() const noexcept { return kept_ == most_kept && !sums_.empty(); }

  /// The means of what was kept, by domain.
  [[nodiscard]] double busy(std::size_t domain) const noexcept { return sums_[domain].busy / count(); }
  [[nodiscard]] double subtrees_gained(std::size_t domain) const noexcept {
    return sums_[domain].subtrees_gained / count();
  }
  [[nodiscard]] std::size_t domains() const noexcept { return sums_.size(); }

 private:
  struct sum {
    double busy = 0;
    double subtrees_gained = 0;
  };
  [[nodiscard]] double count() const noexcept { return static_cast<double>(kept_); }

  std::size_t kept_ = 0;
  std::vector<sum> sums_;
};

}  // namespace nearfork
