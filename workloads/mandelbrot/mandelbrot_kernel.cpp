#include "workloads/mandelbrot/mandelbrot.hpp"

namespace nearfork::workloads {

std::uint32_t escape_time(double re, double im, std::uint32_t limit) noexcept {
  double x = 0;
  double y = 0;
  std::uint32_t times = 0;
  for (; times < limit && x * x + y * y <= 4; ++times) {
    const double next = x * x - y * y + re;
    y = 2 * x * y + im;
    x = next;
  }
  return times;
}

std::uint32_t mandelbrot_pixel(const mandelbrot_view& view, std::uint64_t x, std::uint64_t y) noexcept {
  return escape_time(view.left + view.step * static_cast<double>(x), view.top - view.step * static_cast<double>(y),
                     view.limit);
}

void mandelbrot_row(const mandelbrot_view& view, std::uint64_t y, std::uint32_t* pixels, std::uint64_t width) noexcept {
  for (std::uint64_t x = 0; x < width; ++x) pixels[x] = mandelbrot_pixel(view, x, y);
}

}  // namespace nearfork::workloads
