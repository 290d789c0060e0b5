// Loops whose time tells how fast a core computes. They are in a separate file, as the workloads' kernels are, so that
// the compiler translates them alike. None of them is a workload's kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace nearfork::tools {

/// Loads, stores and arithmetic for each number that a sweep writes.
inline constexpr double operations_of_swept_number = 10;
/// The same for each number that all of mixed_loops() write, one after the other.
inline constexpr double operations_of_mixed_number = 5 + 9 + 19;

/// Computes each number of the inner rows of `to` from the four around it in `from`: a loop that compilers turn into
/// vector instructions.
void sweep_all(const double* from, double* to, std::size_t rows, std::size_t columns) noexcept;
/// Computes every second of them: a loop that most compilers do not turn into vector instructions.
void sweep_every_second(const double* from, double* to, std::size_t rows, std::size_t columns) noexcept;
/// Three sweeps: the rows minus a fraction of others; the inner rows from three and from nine numbers around each. What
/// one loop tells of a core depends on how well the loop fits the core.
void mixed_loops(const double* from, double* to, std::size_t rows, std::size_t columns) noexcept;
/// One branch per byte: taken if the byte is not 0.
[[nodiscard]] std::uint64_t count_by_branches(std::span<const std::uint8_t> bytes) noexcept;

}  // namespace nearfork::tools
