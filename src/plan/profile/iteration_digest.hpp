// How long the iterations under one packing took: a value of fixed size for any number of iterations.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>

namespace nearfork {

class iteration_digest {
 public:
  /// The first durations are kept one by one, as evidence for decisions that must not change later. For the
  /// other durations only the number and the extremes are kept.
  static constexpr std::size_t most_kept = 5;

  /// So many iterations make the mean of their crossings.
  static constexpr std::size_t crossings_kept = 3;

  /// `crossings`: see iteration_summary; none, if they were not counted.
  void add(std::uint64_t duration_ns, std::uint64_t crossings = 0) noexcept;

  /// Wanted crossings per iteration, over the first crossings_kept iterations. nullopt: there were fewer.
  [[nodiscard]] std::optional<double> mean_crossings() const noexcept {
    if (count_ < crossings_kept) return std::nullopt;
    return static_cast<double>(crossings_) / static_cast<double>(crossings_kept);
  }

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint64_t shortest_ns() const noexcept { return shortest_; }
  [[nodiscard]] std::uint64_t longest_ns() const noexcept { return longest_; }
  /// Of the iteration that came first.
  [[nodiscard]] std::uint64_t first_ns() const noexcept { return first_; }
  [[nodiscard]] std::uint64_t first_crossings() const noexcept { return first_crossings_; }

  /// The first most_kept durations, in ascending order.
  [[nodiscard]] std::span<const std::uint64_t> kept() const noexcept { return {kept_.data(), kept_count_}; }
  /// The median of the kept durations; the lower one of two. There must be one.
  [[nodiscard]] std::uint64_t median_ns() const noexcept { return kept_[(kept_count_ - 1) / 2]; }
  /// From the shortest to the second longest of the kept durations, so that one disturbed iteration does not count.
  [[nodiscard]] std::uint64_t spread_ns() const noexcept {
    return kept_count_ < 2 ? 0 : kept_[kept_count_ - 2] - kept_[0];
  }
  /// Whether is_so(duration) for most of the most_kept durations. nullopt: those that are kept do not tell yet.
  template <class Is>
  [[nodiscard]] std::optional<bool> most_are(const Is& is_so) const {
    constexpr std::ptrdiff_t majority = most_kept / 2 + 1;
    const auto found = std::ranges::count_if(kept(), is_so);
    if (found >= majority) return true;
    if (std::ssize(kept()) - found >= majority) return false;
    return std::nullopt;
  }

 private:
  std::uint64_t count_ = 0;
  std::uint64_t shortest_ = 0;
  std::uint64_t longest_ = 0;
  std::uint64_t first_ = 0;
  std::array<std::uint64_t, most_kept> kept_{};
  std::size_t kept_count_ = 0;
  std::uint64_t crossings_ = 0;  // of the first crossings_kept
  std::uint64_t first_crossings_ = 0;
};

}  // namespace nearfork
