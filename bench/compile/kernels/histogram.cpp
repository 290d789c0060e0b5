// A histogram for each block, then their sum for each bucket.
#include <array>
#include <sequence.hpp>

int main() {
  const std::size_t blocks = 32, block = 1000, buckets = 16;
  const auto values = sequence::tabulate(blocks * block, [](auto i) { return sequence::hash(i) % 16; });
  const auto partial = sequence::tabulate(blocks, [&](auto b) {
    return sequence::tabulate(buckets, [&](auto bucket) {
      return sequence::count_of(block, [&](auto i) { return values[b * block + i] == bucket; });
    });
  });
  const auto counts = sequence::tabulate(
      buckets, [&](auto bucket) { return sequence::sum_of(blocks, [&](auto b) { return partial[b][bucket]; }); });
  std::array<std::size_t, 16> expected{};
  for (const auto value : values) ++expected[value];
  for (std::size_t bucket = 0; bucket < buckets; ++bucket)
    if (counts[bucket] != expected[bucket]) return 1;
  return 0;
}
