// How long each window of a watch is. Pure numbers.
#pragma once

#include <algorithm>
#include <cstdint>

namespace nearfork {

/// Windows follow each other without a gap, so that all of the iteration is seen, whatever its length. The first ones
/// are short, or a short iteration would have one window, in which all data look alike; but none is shorter
/// than the look before, or most use would fall between them. Windows become longer as the watch costs more, so that a
/// long iteration pays no more than `most_cost`. After many of them they double, so that their number stays bounded.
class window_pace {
 public:
  window_pace(std::uint64_t least_window_ns, double most_cost) noexcept
      : least_ns_(least_window_ns), most_cost_(most_cost), last_ns_(least_window_ns / 2) {}

  /// The length of the next window. `elapsed_ns` since the watch began, and `cost_ns` of it so far.
  [[nodiscard]] std::uint64_t next_ns(std::uint64_t elapsed_ns, std::uint64_t cost_ns) noexcept {
    // What was spent before the first window is the cost of beginning, and no look.
    const std::uint64_t of_look = windows_ == 0 ? 0 : cost_ns - std::min(cost_ns, cost_so_far_ns_);
    cost_so_far_ns_ = cost_ns;
    const std::uint64_t longest = std::max(least_ns_, longest_growing_ns);
    last_ns_ = std::clamp(2 * last_ns_, least_ns_, windows_ < most_even ? std::max(longest, last_ns_) : most_ns);
    last_ns_ = std::max(last_ns_, of_look);
    if (++windows_ > unpaced) {
      const double paid_after = static_cast<double>(cost_ns + of_look) / most_cost_;
      if (const auto paid_ns = static_cast<std::uint64_t>(paid_after); paid_ns > elapsed_ns)
        last_ns_ = std::max(last_ns_, paid_ns - elapsed_ns);
    }
    return last_ns_;
  }

 private:
  static constexpr std::uint64_t longest_growing_ns = 16'000'000;
  static constexpr std::uint64_t most_ns = std::uint64_t{1} << 50;  // 13 days
  static constexpr std::uint32_t unpaced = 4;
  static constexpr std::uint32_t most_even = 64;

  const std::uint64_t least_ns_;
  const double most_cost_;
  std::uint64_t last_ns_;
  std::uint64_t cost_so_far_ns_ = 0;
  std::uint32_t windows_ = 0;
};

}  // namespace nearfork
