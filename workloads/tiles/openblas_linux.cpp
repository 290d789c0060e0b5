// OpenBLAS is loaded when the first tile is computed, because it is large and begins with threads of its own, which
// most runs of the command need not pay for.
#include <dlfcn.h>

#include "workloads/tiles/tile_kernels.hpp"

namespace nearfork::workloads {
namespace {

// The numbers of the CBLAS interface.
constexpr int row_major = 101, plain = 111, transposed_one = 112, upper = 121, lower = 122, any_diagonal = 131,
              unit_diagonal = 132, at_left = 141, at_right = 142;

using multiply = void (*)(int order, int of_a, int of_b, int m, int n, int k, double alpha, const double* a,
                          int a_stride, const double* b, int b_stride, double beta, double* c, int c_stride);
using solve = void (*)(int order, int side, int triangle, int of_a, int diagonal, int m, int n, double alpha,
                       const double* a, int a_stride, double* b, int b_stride);

struct openblas {
  multiply dgemm = nullptr;
  solve dtrsm = nullptr;
};

template <class Function>
Function find(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

openblas load() {
  void* const library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {};
  const auto set_threads = find<void (*)(int)>(library, "openblas_set_num_threads");
  const openblas found{find<multiply>(library, "cblas_dgemm"), find<solve>(library, "cblas_dtrsm")};
  if (set_threads == nullptr || found.dgemm == nullptr || found.dtrsm == nullptr) return {};
  set_threads(1);
  return found;
}

const openblas& loaded() {
  static const openblas once = load();
  return once;
}

void product(int of_b, const double* a, const double* b, double* c, std::size_t rows) {
  const int n = static_cast<int>(rows);
  loaded().dgemm(row_major, plain, of_b, n, n, n, -1, a, n, b, n, 1, c, n);
}

void solution(int side, int triangle, int of_a, int diagonal, const double* by, double* a, std::size_t rows) {
  const int n = static_cast<int>(rows);
  loaded().dtrsm(row_major, side, triangle, of_a, diagonal, n, n, 1, by, n, a, n);
}

constexpr tile_kernels by_openblas{
    .name = "OpenBLAS",
    .subtract_transposed_product = [](const double* a, const double* b, double* c,
                                      std::size_t rows) { product(transposed_one, a, b, c, rows); },
    .subtract_product = [](const double* a, const double* b, double* c,
                           std::size_t rows) { product(plain, a, b, c, rows); },
    .solve_right_transposed =
        [](const double* l, double* a, std::size_t rows) {
          solution(at_right, lower, transposed_one, any_diagonal, l, a, rows);
        },
    .solve_left_unit = [](const double* l, double* a,
                          std::size_t rows) { solution(at_left, lower, plain, unit_diagonal, l, a, rows); },
    .solve_right_upper = [](const double* u, double* a,
                            std::size_t rows) { solution(at_right, upper, plain, any_diagonal, u, a, rows); }};

}  // namespace

const tile_kernels* openblas_tile_kernels() {
  return loaded().dgemm == nullptr ? nullptr : &by_openblas;
}

}  // namespace nearfork::workloads
