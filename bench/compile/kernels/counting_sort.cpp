// Counts by block and bucket, a scan over them, then the elements to their places; for each digit.
#include <algorithm>
#include <sequence.hpp>

namespace {

template <class T, class Key>
std::vector<T> counting_sort(const std::vector<T>& values, std::size_t buckets, const Key& key) {
  const std::size_t block = 500, blocks = (values.size() + block - 1) / block;
  const auto each_of = [&](auto b, const auto& act) {
    for (std::size_t i = b * block; i < std::min(values.size(), (b + 1) * block); ++i) act(i);
  };
  std::vector<std::size_t> places(buckets * blocks);
  layer::loop(blocks, [&](auto b) { each_of(b, [&](auto i) { ++places[key(values[i]) * blocks + b]; }); });
  layer::scan(places, std::size_t{0}, [](auto a, auto b) { return a + b; });
  std::vector<T> sorted(values.size());
  layer::loop(blocks,
              [&](auto b) { each_of(b, [&](auto i) { sorted[places[key(values[i]) * blocks + b]++] = values[i]; }); });
  return sorted;
}

}  // namespace

int main() {
  auto numbers = sequence::tabulate(20'000, [](auto i) { return sequence::hash(i) % 65'536; });
  auto expected = numbers;
  std::sort(expected.begin(), expected.end());
  for (const unsigned shift : {0U, 8U})
    numbers = counting_sort(numbers, 256, [=](auto v) { return static_cast<std::size_t>((v >> shift) & 255); });
  return numbers == expected ? 0 : 1;
}
