#pragma once

#include <nearfork/detail/language.hpp>

#include <algorithm>
#include <cstddef>

#include <nearfork/cancellation.hpp>

namespace nearfork {

/// How a parallel loop is cut into pieces, and what cancels it.
struct loop_options {
  /// The most indices per leaf. 0 lets the loop choose: parallel_for splits when a thief asks for work, and into about
  /// 1024 leaves where its region is profiled or planned. parallel_reduce and parallel_scan cut into about 1024 leaves,
  /// parallel_reduce of values whose copies are not trivial into 128, of pieces whose values are large into 32 or more;
  /// their number depends on the range, the type and the size of the identity alone.
  std::size_t grain = 0;
  /// Cancels the loop. The loop asks the token before each leaf, and skips the leaves that have not started.
  cancellation_token cancel = {};
};

namespace detail {

/// How many leaves a deterministic tree has. A fork costs 1-2 ns, so 1024 forks cost microseconds, and even 64 workers
/// get 16 leaves each.
inline constexpr std::size_t deterministic_leaves = 1024;

/// The grain of a deterministic tree. It depends on the range and the given grain alone, so the loop's result does,
/// too.
[[nodiscard]] constexpr std::size_t deterministic_grain(std::size_t count, std::size_t given,
                                                        std::size_t leaves = deterministic_leaves) noexcept {
  if (given != 0) return given;
  return std::max<std::size_t>(1, count / leaves + (count % leaves != 0 ? 1 : 0));
}

}  // namespace detail
}  // namespace nearfork
