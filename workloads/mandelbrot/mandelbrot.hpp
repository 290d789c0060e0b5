// The Mandelbrot set, point by point. Rows near the middle take long; those at the edges are quick.
#pragma once

#include <vector>

#include "workloads/instance.hpp"
#include "workloads/workload.hpp"

namespace nearfork::workloads {

struct mandelbrot_size {
  std::uint64_t width;
  std::uint64_t height;
  std::uint64_t limit;
};

/// The points of the plane that the pixels stand for.
struct mandelbrot_view {
  double left;
  double top;
  double step;
  std::uint32_t limit;
};

/// Iterations of z = z^2 + c from 0 until |z| > 2, at most `limit`.
[[nodiscard]] std::uint32_t escape_time(double re, double im, std::uint32_t limit) noexcept;
/// Pixel (x, y) of the picture, and its row y.
[[nodiscard]] std::uint32_t mandelbrot_pixel(const mandelbrot_view& view, std::uint64_t x, std::uint64_t y) noexcept;
void mandelbrot_row(const mandelbrot_view& view, std::uint64_t y, std::uint32_t* pixels, std::uint64_t width) noexcept;

class mandelbrot_instance final : public instance {
 public:
  mandelbrot_instance(const mandelbrot_size& size, std::uint64_t seed);
  [[nodiscard]] static std::uint64_t bytes(const mandelbrot_size& size);

  void reset() override;
  void run_serial() override;
  void run_nearfork() override;
  [[nodiscard]] std::string fault() const override;
  void corrupt(std::uint64_t where) override;

  [[nodiscard]] std::uint64_t height() const noexcept { return size_.height; }
  void draw_row(std::uint64_t y) noexcept { mandelbrot_row(view_, y, picture_.data() + y * size_.width, size_.width); }

 private:
  mandelbrot_size size_;
  mandelbrot_view view_;
  std::vector<std::uint32_t> picture_;
  std::vector<std::uint32_t> right_;
};

[[nodiscard]] workload mandelbrot_workload();

}  // namespace nearfork::workloads
