// Comparison of an answer with what it must be.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <optional>
#include <span>
#include <string>

namespace nearfork::workloads {

/// The first place where two arrays differ, bit for bit: 0.0 and -0.0 differ, a NaN equals itself.
template <class T>
[[nodiscard]] std::optional<std::size_t> first_difference(std::span<const T> one, std::span<const T> other) {
  if (one.size() != other.size()) return 0;
  if (one.empty() || std::memcmp(one.data(), other.data(), one.size_bytes()) == 0) return std::nullopt;
  for (std::size_t i = 0; i < one.size(); ++i)
    if (std::memcmp(&one[i], &other[i], sizeof(T)) != 0) return i;
  return std::nullopt;
}

[[nodiscard]] inline std::string shown(std::integral auto value) {
  return std::to_string(value);
}
/// All digits: std::to_string would show a wrong last bit as the right value.
[[nodiscard]] inline std::string shown(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

/// "cell (row 3, column 7) is 0.25, but must be 0.5"
template <class T>
[[nodiscard]] std::string wrong_cell(std::size_t index, std::size_t columns, const T& is, const T& must_be) {
  return "cell (row " + std::to_string(index / columns) + ", column " + std::to_string(index % columns) + ") is " +
         shown(is) + ", but must be " + shown(must_be);
}

}  // namespace nearfork::workloads
