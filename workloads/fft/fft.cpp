#include "workloads/fft/fft.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <nearfork/region.hpp>

#include "workloads/difference.hpp"
#include "workloads/fft/fft_reference.hpp"
#include "workloads/input_numbers.hpp"

namespace nearfork::workloads {
namespace {

const size_table<fft_size>& fft_sizes() {
  static const size_table<fft_size> table{
      {{&fft_size::log2_points, {"log2_points", "binary logarithm of the number of points", 0, 36}}},
      {{"default", {21}}, {"small", {16}}, {"test", {13}}}};
  return table;
}

std::vector<fft_point> random_points(std::size_t count, std::uint64_t seed) {
  input_numbers numbers(seed);
  std::vector<fft_point> made(count);
  for (fft_point& point : made) point = {numbers.between(-1, 1), numbers.between(-1, 1)};
  return made;
}

std::vector<fft_point> roots_of_unity(std::size_t points) {
  std::vector<fft_point> roots(std::max<std::size_t>(points / 2, 1));
  for (std::size_t k = 0; k < roots.size(); ++k) {
    const double angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(points);
    roots[k] = {std::cos(angle), std::sin(angle)};
  }
  return roots;
}

std::span<const double> numbers_of(const std::vector<fft_point>& points) {
  static_assert(sizeof(fft_point) == 2 * sizeof(double));
  return {&points.data()->re, 2 * points.size()};
}

}  // namespace

fft_instance::fft_instance(const fft_size& size, std::uint64_t seed)
    : in_(random_points(std::size_t{1} << size.log2_points, seed)),
      out_(in_.size()),
      roots_(roots_of_unity(in_.size())),
      right_(iterative_fft(in_)) {}

std::uint64_t fft_instance::bytes(const fft_size& size) {
  return (std::uint64_t{1} << size.log2_points) * sizeof(fft_point) * 7 / 2;
}

void fft_instance::reset() {
  std::ranges::fill(out_, fft_point{0, 0});
}

void fft_instance::run_serial() {
  run_with(serial_fork{});
}

void fft_instance::run_nearfork() {
  region({.name = "fft", .input_bytes = 2 * in_.size() * sizeof(fft_point)}, [&] { run_with(nearfork_fork{}); });
}

/// Values grow with the square root of the number of points, and so does their error, from about 1e-16.
std::string fft_instance::fault() const {
  return difference("number", numbers_of(out_), numbers_of(right_), 1e-11 * std::sqrt(static_cast<double>(in_.size())));
}

void fft_instance::corrupt(std::uint64_t where) {
  out_[where % out_.size()].im += 1e-3;
}

workload fft_workload() {
  return workload_of<fft_instance>("fft", "fast Fourier transform, radix 2, with parallel butterflies", fft_sizes());
}

}  // namespace nearfork::workloads
