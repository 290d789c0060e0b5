#include "workloads/fft/fft.hpp"

namespace nearfork::workloads {

void combine_leaf(const fft_task& task, std::size_t first, std::size_t last) noexcept {
  fft_point* const even = task.out;
  fft_point* const odd = task.out + task.points / 2;
  for (std::size_t k = first; k < last; ++k) {
    const fft_point root = task.roots[k * task.stride];
    const fft_point turned{odd[k].re * root.re - odd[k].im * root.im, odd[k].re * root.im + odd[k].im * root.re};
    odd[k] = {even[k].re - turned.re, even[k].im - turned.im};
    even[k] = {even[k].re + turned.re, even[k].im + turned.im};
  }
}

void transform_leaf(const fft_task& task) noexcept {
  if (task.points == 1) {
    task.out[0] = task.in[0];
    return;
  }
  transform_leaf(task.even());
  transform_leaf(task.odd());
  combine_leaf(task, 0, task.points / 2);
}

}  // namespace nearfork::workloads
