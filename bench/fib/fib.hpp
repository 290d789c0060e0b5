// Fibonacci numbers by two recursive calls, without cut-off: nothing but forks.
#pragma once

#include <cstdint>

namespace fib {

/// Each contender defines solve().
[[nodiscard]] std::uint64_t solve(int n);

}  // namespace fib
