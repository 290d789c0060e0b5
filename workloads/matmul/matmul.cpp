#include "workloads/matmul/matmul.hpp"

#include <algorithm>

#include "workloads/define.hpp"
#include "workloads/fork.hpp"
#include "workloads/random_numbers.hpp"
#include "workloads/same_bits.hpp"

namespace nearfork::workloads {

std::vector<parameter> parameters_of(matmul_size& size) {
  return {number("n", size.n, {1, std::uint64_t{1} << 24}, "rows and columns"),
          number("leaf", size.leaf, {8, 4096}, "blocks of up to so many rows and columns are not cut"),
          number("seed", size.seed, {0, ~std::uint64_t{0}}, "of the factors")};
}

/// Two factors, product and expected product.
std::uint64_t bytes_of(const matmul_size& size) {
  return 4 * sizeof(double) * size.n * size.n;
}

matmul::matmul(const matmul_size& chosen) : chosen_(chosen) {
  reset();
  run_matmul_serial(*this);
  expected_ = c_;
  reset();
}

void matmul::reset() {
  const std::size_t cells = chosen_.n * chosen_.n;
  random_numbers random(chosen_.seed);
  for (auto* factor : {&a_, &b_}) {
    factor->resize(cells);
    for (double& cell : *factor) cell = random.unit();
  }
  c_.assign(cells, 0.0);
}

std::optional<std::string> matmul::fault() const {
  const auto wrong = first_difference<double>(c_, expected_);
  if (!wrong) return std::nullopt;
  return wrong_cell(*wrong, chosen_.n, c_[*wrong], expected_[*wrong]);
}

void run_matmul_serial(matmul& product) {
  product.solve(serial_fork{});
}
void run_matmul_nearfork(matmul& product) {
  product.solve(nearfork_fork{});
}

workload define_matmul() {
  return define<matmul>({.name = "matmul",
                         .description = "product of two square matrices, by halves; CPU-bound, reuses its caches",
                         .sizes = {{"test", "n=45,leaf=8"}, {"small", "n=256"}, {"default", ""}},
                         .contenders = {contender_of("serial", library::none, run_matmul_serial),
                                        contender_of("nearfork", library::nearfork, run_matmul_nearfork)}});
}

}  // namespace nearfork::workloads
