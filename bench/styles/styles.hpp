// The styles in which people write a fork, each as a program that does nothing but fork. A folder here is a family: a
// serial program that makes all calls, and the same calls written as forks in one or more styles.
#pragma once

#include <cstdint>

namespace styles {

/// Each program defines these. The function that forks is called `solve`: scripts/bench_styles.sh looks where it
/// starts.
[[nodiscard]] std::uint64_t answer(unsigned n);
extern const unsigned children;  // how many calls one call makes: the answer is a sum of as many Fibonacci-like terms

}  // namespace styles
