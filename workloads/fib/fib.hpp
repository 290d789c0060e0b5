// Fibonacci numbers by recursion: nothing but forks, so the time is the cost of forks.
#pragma once

#include "workloads/forks.hpp"
#include "workloads/instance.hpp"
#include "workloads/workload.hpp"

namespace nearfork::workloads {

struct fib_size {
  std::uint64_t n;
  std::uint64_t cutoff;
};

/// By calls alone. In a separate file, so that all contenders run the same code.
[[nodiscard]] std::uint64_t fib_serial(std::uint64_t n) noexcept;

class fib_instance final : public instance {
 public:
  fib_instance(const fib_size& size, std::uint64_t seed);
  [[nodiscard]] static std::uint64_t bytes(const fib_size& size);

  void reset() override;
  void run_serial() override;
  void run_nearfork() override;
  [[nodiscard]] std::string fault() const override;
  void corrupt(std::uint64_t where) override;

  template <class Fork>
  void run_with(const Fork& fork) {
    answer_ = number(size_.n, fork);
  }

 private:
  template <class Fork>
  [[nodiscard]] std::uint64_t number(std::uint64_t n, const Fork& fork) const {
    if (n <= size_.cutoff) return fib_serial(n);
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    fork([&] { a = number(n - 1, fork); }, [&] { b = number(n - 2, fork); });
    return a + b;
  }

  fib_size size_;
  std::uint64_t answer_ = 0;
};

[[nodiscard]] workload fib_workload();

}  // namespace nearfork::workloads
