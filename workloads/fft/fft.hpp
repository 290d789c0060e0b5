// Fast Fourier transform, radix 2, recursive: transforms the even and the odd points, then combines them by
// butterflies.
#pragma once

#include <cstddef>
#include <vector>

#include "workloads/forks.hpp"
#include "workloads/instance.hpp"
#include "workloads/workload.hpp"

namespace nearfork::workloads {

struct fft_size {
  std::uint64_t log2_points;
};

struct fft_point {
  double re;
  double im;
};

/// Transforms `points` points of `in`, which are `stride` apart, to `out`. `roots` holds exp(-2 pi i k / all) for k <
/// all/2, where all = points * stride.
struct fft_task {
  const fft_point* in;
  fft_point* out;
  const fft_point* roots;
  std::size_t points;
  std::size_t stride;

  static constexpr std::size_t leaf = 1024;
  static constexpr std::size_t butterflies_leaf = 4096;
  [[nodiscard]] fft_task even() const noexcept { return {in, out, roots, points / 2, stride * 2}; }
  [[nodiscard]] fft_task odd() const noexcept { return {in + stride, out + points / 2, roots, points / 2, stride * 2}; }
};

/// A whole task without forks; and butterflies [first, last) of its combination. In a separate file, so that all
/// contenders run the same code.
void transform_leaf(const fft_task& task) noexcept;
void combine_leaf(const fft_task& task, std::size_t first, std::size_t last) noexcept;

template <class Fork>
void combine(const fft_task& task, std::size_t first, std::size_t last, const Fork& fork) {
  if (last - first <= fft_task::butterflies_leaf) {
    combine_leaf(task, first, last);
    return;
  }
  const std::size_t middle = first + (last - first) / 2;
  fork([&] { combine(task, first, middle, fork); }, [&] { combine(task, middle, last, fork); });
}

template <class Fork>
void transform(const fft_task& task, const Fork& fork) {
  if (task.points <= fft_task::leaf) {
    transform_leaf(task);
    return;
  }
  fork([&] { transform(task.even(), fork); }, [&] { transform(task.odd(), fork); });
  combine(task, 0, task.points / 2, fork);
}

class fft_instance final : public instance {
 public:
  fft_instance(const fft_size& size, std::uint64_t seed);
  [[nodiscard]] static std::uint64_t bytes(const fft_size& size);

  void reset() override;
  void run_serial() override;
  void run_nearfork() override;
  [[nodiscard]] std::string fault() const override;
  void corrupt(std::uint64_t where) override;

  template <class Fork>
  void run_with(const Fork& fork) {
    transform({in_.data(), out_.data(), roots_.data(), in_.size(), 1}, fork);
  }

 private:
  std::vector<fft_point> in_;
  std::vector<fft_point> out_;
  std::vector<fft_point> roots_;
  std::vector<fft_point> right_;
};

[[nodiscard]] workload fft_workload();

}  // namespace nearfork::workloads
