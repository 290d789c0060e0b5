// A scan by maximum: which points of each of many profiles are seen from its first one.
#include <algorithm>
#include <sequence.hpp>

int main() {
  const std::size_t profiles = 20, length = 500;
  const auto seen = sequence::tabulate(profiles, [&](auto profile) {
    const auto slopes = sequence::tabulate(length, [&](auto i) {
      return static_cast<double>(sequence::hash(profile * length + i) % 1000) / static_cast<double>(i + 1);
    });
    auto highest = slopes;
    layer::scan(highest, -1.0, [](auto a, auto b) { return std::max(a, b); });
    return sequence::pack(length, [&](auto i) { return slopes[i] > highest[i]; }, [](auto i) { return i; });
  });
  for (std::size_t profile = 0; profile < profiles; ++profile) {
    std::vector<std::size_t> expected;
    double highest = -1;
    for (std::size_t i = 0; i < length; ++i) {
      const double slope =
          static_cast<double>(sequence::hash(profile * length + i) % 1000) / static_cast<double>(i + 1);
      if (slope > highest) expected.push_back(i);
      highest = std::max(highest, slope);
    }
    if (seen[profile] != expected) return 1;
  }
  return 0;
}
