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

/// fib(n) with a fork per call.
template <class Fork>
[[nodiscard]] std::uint64_t fib_by(const Fork& fork, const fib_size& of) {
  if (of.n < of.cutoff) return fib_leaf(of.n);
  std::uint64_t one = 0, other = 0;
  fork([&] { one = fib_by(fork, {of.n - 1, of.cutoff}); }, [&] { other = fib_by(fork, {of.n - 2, of.cutoff}); });
  return one + other;
}

class fib final : public problem {
 public:
  using size = fib_size;
  explicit fib(const fib_size& chosen);

  void reset() override { result = no_answer; }
  [[nodiscard]] std::optional<std::string> fault() const override;
  [[nodiscard]] std::span<std::byte> answer() override { return std::as_writable_bytes(std::span(&result, 1)); }

  [[nodiscard]] const fib_size& chosen() const noexcept { return chosen_; }

  static constexpr std::uint64_t no_answer = ~std::uint64_t{0};
  std::uint64_t result = no_answer;

 private:
  fib_size chosen_;
  std::uint64_t expected_ = 0;
};

void run_fib_serial(fib& number);
void run_fib_nearfork(fib& number);

[[nodiscard]] workload define_fib();

}  // namespace nearfork::workloads
