#include "bench/styles/span/span.hpp"

[[gnu::noinline]] std::uint64_t styles::solve(std::span<const std::uint64_t> values) {
  if (values.size() < 2) return values.empty() ? 0 : values.front();
  return solve(values.first(values.size() - 1)) + solve(values.first(values.size() - 2));
}
