#pragma once

#include <cstdint>
#include <random>

namespace nearfork::workloads {

/// Numbers for inputs. A seed gives the same numbers with every compiler (the standard fixes the engine, but not its
/// distributions).
class input_numbers {
 public:
  explicit input_numbers(std::uint64_t seed) : engine_(seed) {}

  [[nodiscard]] std::uint64_t next() { return engine_(); }
  /// In [0, bound). bound must be above 0 and below 2^32; the bias is below bound / 2^32.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) { return ((next() >> 32) * bound) >> 32; }
  /// In [0, 1).
  [[nodiscard]] double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// In [low, high).
  [[nodiscard]] double between(double low, double high) { return low + (high - low) * unit(); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace nearfork::workloads
