// A way to see which pages a program uses while it runs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace nearfork {

/// Whole pages, [begin, end).
struct address_range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  friend constexpr bool operator==(const address_range&, const address_range&) = default;
};

/// Why a source sees nothing, and what to do about it.
struct heat_refusal {
  std::string why;
  std::string remedy;
  bool is_missing = false;  // the machine or its kernel does not have it
};

/// Looks through windows: what is used between open_window() and close_window() counts. Used by one thread at a time.
class heat_source {
 public:
  heat_source() = default;
  heat_source(const heat_source&) = delete;
  heat_source& operator=(const heat_source&) = delete;
  virtual ~heat_source() = default;

  /// As option `hotness` calls it.
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  /// Tries what begin() needs, and leaves no trace. nullopt: nothing is refused.
  [[nodiscard]] virtual std::optional<heat_refusal> try_out() = 0;

  /// Begins to watch the chunks, which ascend without overlap. Nothing is read or written there: their memory may be
  /// freed meanwhile. nullopt: it watches, and end() must follow.
  [[nodiscard]] virtual std::optional<heat_refusal> begin(std::span<const address_range> chunks) = 0;
  [[nodiscard]] virtual std::optional<heat_refusal> open_window() = 0;
  /// Adds to `heat`, by chunk, how many pages were seen in use; or, where single accesses are seen, these. Values of
  /// one source compare with each other alone.
  [[nodiscard]] virtual std::optional<heat_refusal> close_window(std::span<double> heat) = 0;
  /// Undoes what begin() has changed.
  virtual void end() noexcept = 0;

  /// A shorter window shows nothing.
  [[nodiscard]] virtual std::uint64_t least_window_ns() const noexcept { return 1'000'000; }
  /// What the source has cost since begin() elsewhere than in the thread that called it.
  [[nodiscard]] virtual std::uint64_t cost_elsewhere_ns() { return 0; }
};

/// Adds to `heat` what was seen in `seen`, which is spread evenly over its bytes. `chunks` ascend. Logarithmic in
/// chunks, and linear in those that it overlaps.
inline void spread_heat(std::span<const address_range> chunks, address_range seen, double amount,
                        std::span<double> heat) {
  if (seen.begin >= seen.end || !(amount > 0)) return;
  const double per_byte = amount / static_cast<double>(seen.end - seen.begin);
  auto at = std::ranges::partition_point(chunks, [&](const address_range& one) { return one.end <= seen.begin; });
  for (; at != chunks.end() && at->begin < seen.end; ++at) {
    const std::uintptr_t shared = std::min(at->end, seen.end) - std::max(at->begin, seen.begin);
    heat[static_cast<std::size_t>(at - chunks.begin())] += per_byte * static_cast<double>(shared);
  }
}

}  // namespace nearfork
