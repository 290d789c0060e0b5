// Loops whose time says how fast a core computes. In a file of their own, as the workloads' kernels are, so that the compiler makes of
// them what it makes of those; none of them is a workload's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace nearfork::tools {

/// Loads, stores and arithmetic for each number that a sweep writes.
inline constexpr double operations_of_swept_number = 10;
/// And for each that is written by all of mixed_loops(), one after the other.
inline constexpr double operations_of_mixed_number = 5 + 9 + 19;

/// Each number of the inner rows of `to` from the four around it in `from`: a loop that compilers make vector instructions of.
void sweep_all(const double* from, double* to, std::size_t rows, std::size_t columns) noexcept;
/// Every second of them, which most do not.
void sweep_every_second(const double* from, double* to, std::size_t rows, std::size_t columns) noexcept;
/// Three sweeps: the rows less a part of others; the inner rows from three and from nine numbers around each. What one loop says of a
/// core is as good as its fit to that core.
void mixed_loops(const double* from, double* to, std::size_t rows, std::size_t columns) noexcept;
/// A branch for each byte: taken if it is not 0.
[[nodiscard]] std::uint64_t count_by_branches(std::span<const std::uint8_t> bytes) noexcept;

}  // namespace nearfork::tools
