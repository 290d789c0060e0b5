#pragma once

#include <span>
#include <string>
#include <string_view>

namespace nearfork::workloads {

/// Compares an answer with the right one, value by value. Empty if all differ by at most `tolerance`. Else names the
/// first wrong value and their number. NaN differs from everything.
[[nodiscard]] std::string difference(std::string_view what, std::span<const double> answer,
                                     std::span<const double> right, double tolerance);

/// "count of solutions is 3, should be 4", or empty.
[[nodiscard]] std::string difference(std::string_view what, unsigned long long answer, unsigned long long right);

}  // namespace nearfork::workloads
