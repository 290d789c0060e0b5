#include <nearfork/nearfork.hpp>

#include "bench/styles/span/span.hpp"

std::uint64_t styles::solve(std::span<const std::uint64_t> values) {
  if (values.size() < 2) return values.empty() ? 0 : values.front();
  const auto [a, b] = nearfork::fork_join([values] { return solve(values.first(values.size() - 1)); },
                                          [values] { return solve(values.first(values.size() - 2)); });
  return a + b;
}
