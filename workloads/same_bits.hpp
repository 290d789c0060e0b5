// Comparison of an answer with what it must be.
#pragma once

#include <cstddef>
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

/// "cell (row 3, column 7) is 0.25, but must be 0.5"
template <class T>
[[nodiscard]] std::string wrong_cell(std::size_t index, std::size_t columns, const T& is, const T& must_be) {
  return "cell (row " + std::to_string(index / columns) + ", column " + std::to_string(index % columns) + ") is " +
         std::to_string(is) + ", but must be " + std::to_string(must_be);
}

}  // namespace nearfork::workloads
