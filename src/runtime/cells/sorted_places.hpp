// Values by the byte where they begin, side by side.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace nearfork {

/// At most so many, in order.
template <class Value, std::size_t Most>
struct sorted_places {
  static constexpr std::size_t lower_half = Most / 2;

  std::size_t count = 0;
  std::array<std::uintptr_t, Most> begins;
  std::array<Value, Most> values;

  [[nodiscard]] bool is_full() const noexcept { return count == Most; }
  /// How many begin at this byte or before. Most come in order, so the last one is asked first. The search has no
  /// branch that a processor could foretell wrongly.
  [[nodiscard]] std::size_t count_until(std::uintptr_t begin) const noexcept {
    if (count == 0 || begins[count - 1] <= begin) return count;
    const std::uintptr_t* first = begins.data();
    for (std::size_t left = count; left > 1;) {
      const std::size_t half = left / 2;
      first += first[half - 1] <= begin ? half : 0;
      left -= half;
    }
    return static_cast<std::size_t>(first - begins.data()) + (*first <= begin ? 1 : 0);
  }
  void insert(std::size_t place, std::uintptr_t begin, Value value) noexcept {
    std::copy_backward(begins.begin() + place, begins.begin() + count, begins.begin() + count + 1);
    std::copy_backward(values.begin() + place, values.begin() + count, values.begin() + count + 1);
    begins[place] = begin;
    values[place] = value;
    ++count;
  }
  void erase(std::size_t place) noexcept {
    std::copy(begins.begin() + place + 1, begins.begin() + count, begins.begin() + place);
    std::copy(values.begin() + place + 1, values.begin() + count, values.begin() + place);
    --count;
  }
  /// Of a full one.
  void give_upper_half(sorted_places& upper) noexcept {
    std::copy(begins.begin() + lower_half, begins.end(), upper.begins.begin());
    std::copy(values.begin() + lower_half, values.end(), upper.values.begin());
    upper.count = Most - lower_half;
    count = lower_half;
  }
};

}  // namespace nearfork
