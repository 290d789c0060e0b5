// Filters, then a pair of calls: quicksort of sequences.
#include <algorithm>
#include <sequence.hpp>

namespace {

template <class T, class Less>
std::vector<T> quick_sort(const std::vector<T>& values, const Less& less) {
  if (values.size() < 100)
    return [&] {
      auto copy = values;
      std::sort(copy.begin(), copy.end(), less);
      return copy;
    }();
  const T pivot = values[values.size() / 2];
  std::vector<T> low, high;
  layer::both(
      [&] { low = quick_sort(sequence::filter(values, [&](const auto& v) { return less(v, pivot); }), less); },
      [&] { high = quick_sort(sequence::filter(values, [&](const auto& v) { return less(pivot, v); }), less); });
  const auto same = sequence::filter(values, [&](const auto& v) { return !less(v, pivot) && !less(pivot, v); });
  return sequence::flatten(std::vector<std::vector<T>>{low, same, high});
}

}  // namespace

int main() {
  const auto numbers = sequence::tabulate(5'000, [](auto i) { return sequence::hash(i) % 3'000; });
  auto expected = numbers;
  std::sort(expected.begin(), expected.end());
  return quick_sort(numbers, [](auto a, auto b) { return a < b; }) == expected ? 0 : 1;
}
