// A tree of pairs of calls: merge sort with a merge that is a tree, too.
#include <algorithm>
#include <sequence.hpp>

namespace {

template <class T, class Less>
void merge(const T* a, std::size_t n, const T* b, std::size_t m, T* out, const Less& less) {
  if (n < m) return merge(b, m, a, n, out, less);
  if (n + m < 64) {
    std::merge(a, a + n, b, b + m, out, less);
    return;
  }
  const std::size_t half = n / 2;
  const auto cut = static_cast<std::size_t>(std::lower_bound(b, b + m, a[half], less) - b);
  layer::both([&] { std::merge(a, a + half, b, b + cut, out, less); },
              [&] { std::merge(a + half, a + n, b + cut, b + m, out + half + cut, less); });
}

template <class T, class Less>
void merge_sort(T* values, T* space, std::size_t count, const Less& less) {
  if (count < 32) {
    std::sort(values, values + count, less);
    return;
  }
  const std::size_t half = count / 2;
  layer::both([&] { merge_sort(values, space, half, less); },
              [&] { merge_sort(values + half, space + half, count - half, less); });
  if (half < count - half) {
    std::merge(values, values + half, values + half, values + count, space, less);
  } else {
    merge(values, half, values + half, count - half, space, [&](const auto& a, const auto& b) { return less(a, b); });
  }
  layer::loop(count, [&](auto i) { values[i] = space[i]; });
}

}  // namespace

int main() {
  auto numbers = sequence::tabulate(20'000, [](auto i) { return sequence::hash(i); });
  auto expected = numbers;
  std::sort(expected.begin(), expected.end());
  std::vector<std::uint64_t> space(numbers.size());
  merge_sort(numbers.data(), space.data(), numbers.size(), [](auto a, auto b) { return a < b; });
  return numbers == expected ? 0 : 1;
}
