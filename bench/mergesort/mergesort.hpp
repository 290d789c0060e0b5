// Merge sort whose merges are split as well (Cormen et al., chapter "Multithreaded Algorithms"): the longer input at
// its middle, the other one where that value belongs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mergesort {

using numbers = std::span<std::uint32_t>;

inline constexpr std::size_t sort_leaf = 2048;
inline constexpr std::size_t merge_leaf = 4096;

/// How a merge is cut in two: out's halves take a's and b's parts before and after.
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

/// Sorts `data` in place, or into `buffer`, which is as long.
inline void sort_leaves(numbers data, numbers buffer, target into) {
  std::ranges::sort(data);
  if (into == target::buffer) std::ranges::copy(data, buffer.begin());
}

/// Each contender's own: merge() and sort().
void merge(numbers a, numbers b, numbers out);
void sort(numbers data, numbers buffer, target into);

}  // namespace mergesort
