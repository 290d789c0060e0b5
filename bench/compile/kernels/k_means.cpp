// k-means: for each point a reduction over centres, for each centre two over points.
#include <cmath>
#include <sequence.hpp>

namespace {

struct point {
  double x = 0, y = 0;
};

}  // namespace

int main() {
  const std::size_t count = 2'000, clusters = 4;
  const auto points = sequence::tabulate(count, [](auto i) {
    const auto corner = i % 4;
    const auto noise = [i](auto salt) { return static_cast<double>(sequence::hash(2 * i + salt) % 100) / 100; };
    return point{static_cast<double>(corner / 2) * 10 + noise(0U), static_cast<double>(corner % 2) * 10 + noise(1U)};
  });
  auto centres = sequence::tabulate(clusters, [&](auto c) { return points[c]; });
  for (int round = 0; round < 5; ++round) {
    const auto nearest = sequence::map(points, [&](const auto& p) {
      const auto square = [&](auto c) { return std::pow(p.x - centres[c].x, 2) + std::pow(p.y - centres[c].y, 2); };
      return layer::reduce(
          clusters, std::size_t{0}, [](auto c) { return c; },
          [&](auto a, auto b) { return square(b) < square(a) ? b : a; });
    });
    centres = sequence::tabulate(clusters, [&](auto c) {
      const auto of = [&](const auto& value) {
        return sequence::sum_of(count, [&](auto i) { return nearest[i] == c ? value(points[i]) : 0.0; });
      };
      const auto members = of([](const auto&) { return 1.0; });
      return point{of([](const auto& p) { return p.x; }) / members, of([](const auto& p) { return p.y; }) / members};
    });
  }
  const auto wrong = sequence::count_of(clusters, [&](auto c) {
    return std::abs(centres[c].x - static_cast<double>(c / 2) * 10 - 0.5) > 0.1 ||
           std::abs(centres[c].y - static_cast<double>(c % 2) * 10 - 0.5) > 0.1;
  });
  return wrong == 0 ? 0 : 1;
}
