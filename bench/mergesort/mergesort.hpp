// Merge sort whose merges are split as well (Cormen et al., chapter "Multithreaded Algorithms"). The longer input is
// split at its middle, the other input where that middle value belongs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mergesort {

using numbers = std::span<std::uint32_t>;

inline constexpr std::size_t sort_leaf = 2048;
inline constexpr std::size_t merge_leaf = 4096;

/// How a merge is cut in two: out_low takes a_low and b_low, out_high takes a_high and b_high.
struct merge_cut {
  numbers a_low, a_high, b_low, b_high, out_low, out_high;
};
inline merge_cut cut(numbers a, numbers b, numbers out) {
  if (a.size() < b.size()) std::swap(a, b);
  const std::size_t in_a = a.size() / 2;
  const auto in_b = static_cast<std::size_t>(std::ranges::lower_bound(b, a[in_a]) - b.begin());
  return {a.first(in_a),   a.subspan(in_a),        b.first(in_b),
          b.subspan(in_b), out.first(in_a + in_b), out.subspan(in_a + in_b)};
}
inline void merge_leaves(numbers a, numbers b, numbers out) {
  std::ranges::merge(a, b, out.begin());
}

enum class target : bool { data, buffer };
inline target other(target t) {
  return t == target::data ? target::buffer : target::data;
}

/// Sorts `data` in place, or into `buffer`, which has the same length.
inline void sort_leaves(numbers data, numbers buffer, target into) {
  std::ranges::sort(data);
  if (into == target::buffer) std::ranges::copy(data, buffer.begin());
}

/// Each contender defines merge() and sort().
void merge(numbers a, numbers b, numbers out);
void sort(numbers data, numbers buffer, target into);

}  // namespace mergesort
