#pragma once

#include <cstdint>
#include <vector>

#include "workloads/input_numbers.hpp"

namespace nearfork::workloads {

struct individual {
  std::vector<double> genes;
  double cost = 0;
};

/// A population with its own sequence of random numbers. Its evolution depends on nothing else.
struct island {
  island(std::uint64_t seed, std::uint64_t population, std::uint64_t genes);

  [[nodiscard]] const individual& best() const;
  [[nodiscard]] individual& worst();

  input_numbers numbers;
  std::vector<individual> people;
  std::vector<individual> children;
};

/// Rastrigin's function: 0 where all genes are 0, with many local minima around.
[[nodiscard]] double rastrigin(const std::vector<double>& genes) noexcept;

/// Tournaments choose parents; genes are mixed and sometimes changed; the best individual stays. In a separate file, so
/// that all contenders run the same code.
void evolve(island& where, std::uint64_t generations);

}  // namespace nearfork::workloads
