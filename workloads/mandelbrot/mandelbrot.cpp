#include "workloads/mandelbrot/mandelbrot.hpp"

#include <algorithm>

#include <nearfork/parallel_for.hpp>
#include <nearfork/region.hpp>

#include "workloads/input_numbers.hpp"

namespace nearfork::workloads {
namespace {

constexpr std::uint32_t not_drawn = ~std::uint32_t{0};

const size_table<mandelbrot_size>& mandelbrot_sizes() {
  static const size_table<mandelbrot_size> table{
      {{&mandelbrot_size::width, {"width", "points per row", 1, std::uint64_t{1} << 20}},
       {&mandelbrot_size::height, {"height", "rows", 1, std::uint64_t{1} << 20}},
       {&mandelbrot_size::limit, {"limit", "iterations after which a point counts as in the set", 1, 1'000'000}}},
      {{"default", {768, 640, 500}}, {"small", {256, 192, 200}}, {"test", {61, 47, 50}}}};
  return table;
}

/// The whole set, moved by less than a point, by the seed.
mandelbrot_view view_of(const mandelbrot_size& size, std::uint64_t seed) {
  const double step = 2.5 / static_cast<double>(std::min(size.width, size.height));
  input_numbers numbers(seed);
  return {-0.75 - step * (static_cast<double>(size.width) / 2 + numbers.unit()),
          step * (static_cast<double>(size.height) / 2 + numbers.unit()), step, static_cast<std::uint32_t>(size.limit)};
}

}  // namespace

mandelbrot_instance::mandelbrot_instance(const mandelbrot_size& size, std::uint64_t seed)
    : size_(size), view_(view_of(size, seed)), picture_(size.width * size.height), right_(picture_.size()) {
  for (std::uint64_t y = 0; y < size.height; ++y)
    for (std::uint64_t x = 0; x < size.width; ++x) right_[y * size.width + x] = mandelbrot_pixel(view_, x, y);
}

std::uint64_t mandelbrot_instance::bytes(const mandelbrot_size& size) {
  return 2 * size.width * size.height * sizeof(std::uint32_t);
}

void mandelbrot_instance::reset() {
  std::ranges::fill(picture_, not_drawn);
}

void mandelbrot_instance::run_serial() {
  for (std::uint64_t y = 0; y < size_.height; ++y) draw_row(y);
}

void mandelbrot_instance::run_nearfork() {
  region("mandelbrot",
         [&] { parallel_for(std::uint64_t{0}, size_.height, [&](std::uint64_t y) { draw_row(y); }, {.grain = 1}); });
}

std::string mandelbrot_instance::fault() const {
  const auto [pixel, right] = std::ranges::mismatch(picture_, right_);
  if (pixel == picture_.end()) return {};
  return "point " + std::to_string(pixel - picture_.begin()) + " takes " + std::to_string(*pixel) +
         " iterations, should take " + std::to_string(*right);
}

void mandelbrot_instance::corrupt(std::uint64_t where) {
  picture_[where % picture_.size()] ^= 1;
}

workload mandelbrot_workload() {
  return workload_of<mandelbrot_instance>("mandelbrot", "the Mandelbrot set by rows of very different lengths",
                                          mandelbrot_sizes());
}

}  // namespace nearfork::workloads
