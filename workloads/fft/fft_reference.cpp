#include "workloads/fft/fft_reference.hpp"

#include <cmath>
#include <numbers>
#include <utility>

namespace nearfork::workloads {
namespace {

void reverse_bits(std::vector<fft_point>& points) {
  for (std::size_t i = 1, reversed = 0; i < points.size(); ++i) {
    std::size_t bit = points.size() / 2;
    for (; (reversed & bit) != 0; bit /= 2) reversed ^= bit;
    reversed ^= bit;
    if (i < reversed) std::swap(points[i], points[reversed]);
  }
}

void butterfly(fft_point& a, fft_point& b, double re, double im) {
  const fft_point turned{b.re * re - b.im * im, b.re * im + b.im * re};
  b = {a.re - turned.re, a.im - turned.im};
  a = {a.re + turned.re, a.im + turned.im};
}

}  // namespace

std::vector<fft_point> iterative_fft(std::vector<fft_point> points) {
  reverse_bits(points);
  for (std::size_t half = 1; half < points.size(); half *= 2)
    for (std::size_t k = 0; k < half; ++k) {
      const double angle = -std::numbers::pi * static_cast<double>(k) / static_cast<double>(half);
      const double re = std::cos(angle);
      const double im = std::sin(angle);
      for (std::size_t i = k; i < points.size(); i += 2 * half) butterfly(points[i], points[i + half], re, im);
    }
  return points;
}

}  // namespace nearfork::workloads
