// Product of two square matrices of doubles, cut in half along the longest side until a block fits a private cache.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/parameters.hpp"
#include "workloads/workload.hpp"

namespace nearfork::workloads {

struct matmul_size {
  std::uint64_t n = 768;
  std::uint64_t leaf = 64;
  std::uint64_t seed = 1;
};
[[nodiscard]] std::vector<parameter> parameters_of(matmul_size& size);
[[nodiscard]] std::uint64_t bytes_of(const matmul_size& size);

/// A block of the iteration space of c[i][j] += a[i][k] * b[k][j].
struct matmul_block {
  std::size_t i, j, k;               // where it begins
  std::size_t rows, columns, depth;  // how far it goes
};
struct matmul_matrices {
  const double* a;
  const double* b;
  double* c;
  std::size_t n;  // of the matrices
};

void matmul_leaf(const matmul_matrices& of, const matmul_block& block);

/// Along k the halves follow each other, so that every sum is formed in the same order whatever the cuts.
template <class Fork>
void matmul_by(const Fork& fork, const matmul_matrices& of, const matmul_block& block, std::size_t leaf) {
  matmul_block first = block, second = block;
  const auto halve = [&](std::size_t matmul_block::* begin, std::size_t matmul_block::* extent) {
    first.*extent = block.*extent / 2;
    second.*begin += first.*extent;
    second.*extent -= first.*extent;
  };
  const auto first_half = [&] { matmul_by(fork, of, first, leaf); };
  const auto second_half = [&] { matmul_by(fork, of, second, leaf); };
  if (block.rows <= leaf && block.columns <= leaf && block.depth <= leaf) return matmul_leaf(of, block);
  if (block.rows >= block.columns && block.rows >= block.depth) {
    halve(&matmul_block::i, &matmul_block::rows);
    fork(first_half, second_half);
  } else if (block.columns >= block.depth) {
    halve(&matmul_block::j, &matmul_block::columns);
    fork(first_half, second_half);
  } else {
    halve(&matmul_block::k, &matmul_block::depth);
    first_half();
    second_half();
  }
}

class matmul final : public problem {
 public:
  using size = matmul_size;
  explicit matmul(const matmul_size& chosen);

  void reset() override;
  [[nodiscard]] std::optional<std::string> fault() const override;
  [[nodiscard]] std::span<std::byte> answer() override { return std::as_writable_bytes(std::span(c_)); }

  [[nodiscard]] const matmul_size& chosen() const noexcept { return chosen_; }
  [[nodiscard]] matmul_matrices matrices() noexcept { return {a_.data(), b_.data(), c_.data(), chosen_.n}; }

  template <class Fork>
  void solve(const Fork& fork) {
    const std::size_t n = chosen_.n;
    matmul_by(fork, matrices(), {0, 0, 0, n, n, n}, chosen_.leaf);
  }

 private:
  matmul_size chosen_;
  std::vector<double> a_;
  std::vector<double> b_;
  std::vector<double> c_;
  std::vector<double> expected_;
};

void run_matmul_serial(matmul& product);
void run_matmul_nearfork(matmul& product);

[[nodiscard]] workload define_matmul();

}  // namespace nearfork::workloads
