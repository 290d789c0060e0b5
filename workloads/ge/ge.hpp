// Gaussian elimination without pivoting. Iteration k subtracts multiples of row k from the rows below it, so that
// column k becomes zero there; the factors are stored in its place. The remaining work shrinks from iteration to
// iteration.
#pragma once

#include "workloads/grid/grid_program.hpp"

namespace nearfork::workloads {

/// Eliminates in those rows of [first, last) that are below the iteration's row.
void ge_rows(const grid_sweep& sweep, std::size_t first, std::size_t last) noexcept;

[[nodiscard]] const grid_program& ge_program();

}  // namespace nearfork::workloads
