// Gaussian elimination without pivoting: iteration k subtracts multiples of row k from the rows below it, so that column k becomes
// zero there; its place keeps the factors. What is left shrinks from iteration to iteration.
#pragma once

#include "workloads/grid/grid_program.hpp"

namespace nearfork::workloads {

/// Of rows [first, last) those below the iteration's.
void ge_rows(const grid_sweep& sweep, std::size_t first, std::size_t last) noexcept;

[[nodiscard]] const grid_program& ge_program();

}  // namespace nearfork::workloads
