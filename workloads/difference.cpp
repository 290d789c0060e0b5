#include "workloads/difference.hpp"

#include <cmath>
#include <cstdio>

namespace nearfork::workloads {

std::string difference(std::string_view what, std::span<const double> answer, std::span<const double> right,
                       double tolerance) {
  std::size_t first = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    if (std::abs(answer[i] - right[i]) <= tolerance) continue;
    if (count++ == 0) first = i;
  }
  if (count == 0) return {};
  char text[160];
  std::snprintf(text, sizeof text, " %zu is %.17g, should be %.17g; %zu of %zu are wrong", first, answer[first],
                right[first], count, right.size());
  return std::string(what) + text;
}

std::string difference(std::string_view what, unsigned long long answer, unsigned long long right) {
  if (answer == right) return {};
  return std::string(what) + " is " + std::to_string(answer) + ", should be " + std::to_string(right);
}

}  // namespace nearfork::workloads
