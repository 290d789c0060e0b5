#include "workloads/matmul/matmul.hpp"

#include <nearfork/region.hpp>

#include "workloads/difference.hpp"
#include "workloads/input_numbers.hpp"

namespace nearfork::workloads {
namespace {

const size_table<matmul_size>& matmul_sizes() {
  static const size_table<matmul_size> table{
      {{&matmul_size::n, {"n", "rows and columns of each matrix", 1, std::uint64_t{1} << 16}}},
      {{"default", {1024}}, {"small", {256}}, {"test", {131}}}};
  return table;
}

/// Whole numbers in [-8, 8], so that every sum is exact in any order.
std::vector<double> whole_numbers(std::size_t count, input_numbers& numbers) {
  std::vector<double> made(count);
  for (double& number : made) number = static_cast<double>(numbers.below(17)) - 8;
  return made;
}

std::vector<double> times(const std::vector<double>& matrix, const std::vector<double>& vector) {
  const std::size_t n = vector.size();
  std::vector<double> product(n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) product[i] += matrix[i * n + j] * vector[j];
  return product;
}

}  // namespace

matmul_instance::matmul_instance(const matmul_size& size, std::uint64_t seed)
    : n_(size.n), c_(size.n * size.n), probe_(size.n) {
  input_numbers numbers(seed);
  a_ = whole_numbers(n_ * n_, numbers);
  b_ = whole_numbers(n_ * n_, numbers);
  // Never 0, so that every entry of C counts. The sums stay below 8 * 8 * 2^16 * 2^16 * 2^10 = 2^48, so they
  // are exact.
  for (double& number : probe_) number = 1 + static_cast<double>(numbers.below(1023));
  right_probe_ = times(a_, times(b_, probe_));
}

std::uint64_t matmul_instance::bytes(const matmul_size& size) {
  return (3 * size.n * size.n + 4 * size.n) * sizeof(double);
}

void matmul_instance::reset() {
  std::ranges::fill(c_, 0.0);
}

matmul_task matmul_instance::product(std::size_t first, std::size_t last) noexcept {
  return {a_.data() + first * n_, b_.data(), c_.data() + first * n_, last - first, n_, n_, n_};
}

void matmul_instance::run_serial() {
  multiply(product(0, n_), serial_fork{});
}

void matmul_instance::run_nearfork() {
  region({.name = "matmul", .input_bytes = 3 * n_ * n_ * sizeof(double)},
         [&] { multiply(product(0, n_), nearfork_fork{}); });
}

/// Freivalds' check: C probe against A (B probe), in n
/// 2 steps instead of n
/// 3. It always finds a row with one wrong entry.
std::string matmul_instance::fault() const {
  return difference("row product", times(c_, probe_), right_probe_, 0);
}

void matmul_instance::corrupt(std::uint64_t where) {
  c_[where % c_.size()] += 1;
}

workload matmul_workload() {
  return workload_of<matmul_instance>("matmul", "matrix product, the longest extent halved down to blocks of 64",
                                      matmul_sizes());
}

}  // namespace nearfork::workloads
