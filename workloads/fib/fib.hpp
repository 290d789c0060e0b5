// Fibonacci numbers by the doubly recursive definition: almost nothing but forks, so it shows what a fork costs.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/parameters.hpp"
#include "workloads/workload.hpp"

namespace nearfork::workloads {

struct fib_size {
  std::uint64_t n = 32;
  std::uint64_t cutoff = 2;
};
[[nodiscard]] std::vector<parameter> parameters_of(fib_size& size);
[[nodiscard]] std::uint64_t bytes_of(const fib_size& size);

/// fib(n), recursively, without forks.
[[nodiscard]] std::uint64_t fib_leaf(std::uint64_t n);

class fib final : public problem {
 public:
  using size = fib_size;
  explicit fib(const fib_size& chosen);

  void reset() override { result = 0; }
  [[nodiscard]] std::optional<std::string> fault() const override;
  [[nodiscard]] std::span<std::byte> answer() override { return std::as_writable_bytes(std::span(&result, 1)); }

  [[nodiscard]] const fib_size& chosen() const noexcept { return chosen_; }

  std::uint64_t result = 0;

 private:
  fib_size chosen_;
  std::uint64_t expected_ = 0;
};

void run_fib_serial(fib& number);
void run_fib_nearfork(fib& number);

[[nodiscard]] workload define_fib();

}  // namespace nearfork::workloads
