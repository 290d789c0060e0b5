#pragma once

#include <algorithm>
#include <cstddef>

#include <nearfork/cancellation.hpp>

namespace nearfork {

/// How a parallel loop is cut.
struct loop_options {
  /// Indices per leaf; 0 lets the loop choose: parallel_for splits when somebody asks for work (and where a region is
  /// profiled or planned, into about 1024 leaves); parallel_reduce and parallel_scan cut into about 1024 leaves, a number
  /// that depends on nothing but the range.
  std::size_t grain = 0;
  /// Asked before each leaf; once cancelled, the leaves that have not started are skipped.
  cancellation_token cancel = {};
};

namespace detail {

/// Leaves of a deterministic tree. A fork costs 1-2 ns, so 1024 of them cost microseconds, and even
/// 64 workers get 16 leaves each.
inline constexpr std::size_t deterministic_leaves = 1024;

/// Depends on the range and the given grain alone, so that the answer does, too.
[[nodiscard]] constexpr std::size_t deterministic_grain(std::size_t count, std::size_t given) noexcept {
  if (given != 0) return given;
  return std::max<std::size_t>(1, count / deterministic_leaves + (count % deterministic_leaves != 0 ? 1 : 0));
}

}  // namespace detail
}  // namespace nearfork
