// Adaptive integration of x^3 + x by trapezoids that are halved until they agree: an uneven binary tree.
#pragma once

#include <cmath>

namespace integrate {

inline double f(double x) {
  return (x * x + 1) * x;
}

/// An interval with the function's values at its ends.
struct trapezoid {
  double from, to;
  double at_from, at_to;

  [[nodiscard]] double area() const { return (at_from + at_to) * (to - from) / 2; }
};

inline constexpr double tolerance = 1e-9;

struct halves {
  trapezoid left, right;
  /// True if halving once more changed next to nothing: the sum of the halves is then the answer.
  [[nodiscard]] bool agree_with(const trapezoid& whole) const {
    return std::abs(left.area() + right.area() - whole.area()) < tolerance;
  }
  [[nodiscard]] double area() const { return left.area() + right.area(); }
};
inline halves halve(const trapezoid& whole) {
  const double middle = (whole.from + whole.to) / 2;
  const double at_middle = f(middle);
  return {{whole.from, middle, whole.at_from, at_middle}, {middle, whole.to, at_middle, whole.at_to}};
}

/// Each contender defines solve().
[[nodiscard]] double solve(trapezoid whole);

}  // namespace integrate
