// A histogram with a bounded relative error: each power of two is cut into equal buckets.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace nearfork {

/// Which bucket a value falls into. Values below 8 have a bucket each. Above, the width of a bucket is at most 1/8 of
/// its values.
namespace histogram_bucket {

inline constexpr unsigned cut_bits = 3;
inline constexpr std::uint64_t cuts = std::uint64_t{1} << cut_bits;
inline constexpr std::size_t count = (64 - cut_bits + 1) * cuts;

[[nodiscard]] constexpr std::size_t of(std::uint64_t value) noexcept {
  if (value < cuts) return static_cast<std::size_t>(value);
  const auto shift = static_cast<unsigned>(std::bit_width(value)) - 1 - cut_bits;
  return static_cast<std::size_t>((shift + 1) * cuts + ((value >> shift) - cuts));
}

[[nodiscard]] constexpr std::uint64_t lowest(std::size_t bucket) noexcept {
  if (bucket < cuts) return bucket;
  return (cuts + bucket % cuts) << (bucket / cuts - 1);
}

/// Inclusive, because the last bucket ends with the largest number.
[[nodiscard]] constexpr std::uint64_t highest(std::size_t bucket) noexcept {
  return bucket + 1 == count ? ~std::uint64_t{0} : lowest(bucket + 1) - 1;
}

}  // namespace histogram_bucket

class histogram {
 public:
  constexpr void add(std::uint64_t value, std::uint64_t times = 1) noexcept {
    add_to_bucket(histogram_bucket::of(value), times);
  }
  /// For counts that were collected elsewhere, bucket by bucket.
  constexpr void add_to_bucket(std::size_t bucket, std::uint64_t times) noexcept {
    counts_[bucket] += times;
    total_ += times;
  }
  constexpr void merge(const histogram& other) noexcept {
    for (std::size_t i = 0; i < counts_.size(); ++i) add_to_bucket(i, other.counts_[i]);
  }

  [[nodiscard]] constexpr std::uint64_t total() const noexcept { return total_; }
  [[nodiscard]] constexpr std::uint64_t in_bucket(std::size_t bucket) const noexcept { return counts_[bucket]; }

  /// The value with `share` (0 to 1) of all values at or below it, up to the width of its bucket: the middle of the
  /// bucket that holds it. 0 if there are no values.
  [[nodiscard]] constexpr std::uint64_t quantile(double share) const noexcept {
    if (total_ == 0) return 0;
    const std::uint64_t wanted = rank(share);
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (seen >= wanted) return middle(i);
    }
    return middle(counts_.size() - 1);
  }

 private:
  /// How many values are at or below the quantile: nearest-rank definition, at least one. A share has rounding errors
  /// (0.07 * 100 > 7), which must not count as one value more.
  [[nodiscard]] constexpr std::uint64_t rank(double share) const noexcept {
    constexpr double rounding = 1e-12;
    const double exact = share * static_cast<double>(total_) * (1 - rounding);
    if (!(exact > 1)) return 1;
    if (exact >= static_cast<double>(total_)) return total_;
    const auto whole = static_cast<std::uint64_t>(exact);
    return static_cast<double>(whole) < exact ? whole + 1 : whole;
  }
  [[nodiscard]] static constexpr std::uint64_t middle(std::size_t bucket) noexcept {
    const auto low = histogram_bucket::lowest(bucket);
    return low + (histogram_bucket::highest(bucket) - low) / 2;
  }

  std::array<std::uint64_t, histogram_bucket::count> counts_{};
  std::uint64_t total_ = 0;
};

}  // namespace nearfork
