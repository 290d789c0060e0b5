// Kernels and references against values that are known from elsewhere.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "workloads/difference.hpp"
#include "workloads/fft/fft_reference.hpp"
#include "workloads/fib/fib.hpp"
#include "workloads/ga/island.hpp"
#include "workloads/mandelbrot/mandelbrot.hpp"
#include "workloads/matmul/matmul.hpp"
#include "workloads/nqueens/nqueens.hpp"

namespace nearfork::workloads {
namespace {

TEST(kernels, fib_and_queens_give_the_known_numbers) {
  EXPECT_EQ(fib_serial(0), 0U);
  EXPECT_EQ(fib_serial(20), 6765U);
  EXPECT_EQ(count_queens({.rows_left = 8}, 0xff), 92U);
}

TEST(kernels, mandelbrot_points_escape_or_stay) {
  EXPECT_EQ(escape_time(0, 0, 100), 100U);
  EXPECT_EQ(escape_time(-1, 0, 100), 100U);
  EXPECT_EQ(escape_time(3, 0, 100), 1U);
  EXPECT_EQ(escape_time(0.3, 0.6, 1000), escape_time(0.3, -0.6, 1000));
}

TEST(kernels, matmul_multiplies_a_block_with_a_remainder) {
  const std::vector<double> a{1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13,
                              14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25};
  std::vector<double> c(25, 0.0);
  multiply_block({a.data(), a.data(), c.data(), 5, 5, 5, 5});
  EXPECT_EQ(c[0], 1 * 1 + 2 * 6 + 3 * 11 + 4 * 16 + 5 * 21);
  EXPECT_EQ(c[24], 21 * 5 + 22 * 10 + 23 * 15 + 24 * 20 + 25 * 25);
}

TEST(references, fft_agrees_with_the_definition) {
  std::vector<fft_point> points;
  for (int i = 0; i < 16; ++i) points.push_back({std::sin(i * i), std::cos(3.0 * i)});
  const auto transformed = iterative_fft(points);
  for (std::size_t k = 0; k < points.size(); ++k) {
    std::complex<double> sum = 0;
    for (std::size_t i = 0; i < points.size(); ++i)
      sum += std::complex(points[i].re, points[i].im) *
             std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(i * k) / 16);
    EXPECT_NEAR(transformed[k].re, sum.real(), 1e-12);
    EXPECT_NEAR(transformed[k].im, sum.imag(), 1e-12);
  }
}

TEST(references, rastrigin_is_zero_at_the_origin_alone) {
  EXPECT_DOUBLE_EQ(rastrigin({0, 0, 0}), 0);
  EXPECT_DOUBLE_EQ(rastrigin({1, 0}), 1);
}

TEST(difference, finds_what_differs_and_what_is_no_number) {
  const std::vector<double> right{1, 2, 3};
  EXPECT_EQ(difference("x", std::vector<double>{1, 2.05, 3}, right, 0.1), "");
  EXPECT_EQ(difference("x", std::vector<double>{1, 2.5, 4}, right, 0.1), "x 1 is 2.5, should be 2; 2 of 3 are wrong");
  EXPECT_NE(difference("x", std::vector<double>{std::numeric_limits<double>::quiet_NaN(), 2, 3}, right, 0.1), "");
}

}  // namespace
}  // namespace nearfork::workloads
