// A tree over sorted points that answers, for each point, which other one is nearest.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <sequence.hpp>

namespace {

struct point {
  double x = 0, y = 0;
};

double square(const point& a, const point& b) {
  return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

struct node {
  std::vector<point> points{};
  std::unique_ptr<node> low{}, high{};
  point least{}, most{};
};

std::unique_ptr<node> tree_of(std::vector<point> points, bool by_x) {
  auto made = std::make_unique<node>();
  const auto bound = [&](auto best) {
    return layer::reduce(
        points.size(), points[0], [&](auto i) { return points[i]; },
        [=](auto a, auto b) { return point{best(a.x, b.x), best(a.y, b.y)}; });
  };
  made->least = bound([](auto a, auto b) { return std::min(a, b); });
  made->most = bound([](auto a, auto b) { return std::max(a, b); });
  if (points.size() < 16) {
    made->points = std::move(points);
    return made;
  }
  layer::sort(points, [=](const auto& a, const auto& b) { return by_x ? a.x < b.x : a.y < b.y; });
  const auto half = points.begin() + static_cast<std::ptrdiff_t>(points.size() / 2);
  layer::both([&] { made->low = tree_of({points.begin(), half}, !by_x); },
              [&] { made->high = tree_of({half, points.end()}, !by_x); });
  return made;
}

void nearest(const node& in, const point& to, double& best) {
  const double dx = std::max({in.least.x - to.x, 0.0, to.x - in.most.x}),
               dy = std::max({in.least.y - to.y, 0.0, to.y - in.most.y});
  if (dx * dx + dy * dy >= best) return;
  for (const auto& p : in.points)
    if (const double d = square(p, to); d > 0 && d < best) best = d;
  if (in.low == nullptr) return;
  nearest(*in.low, to, best);
  nearest(*in.high, to, best);
}

}  // namespace

int main() {
  const auto points = sequence::tabulate(2'000, [](auto i) {
    return point{static_cast<double>(sequence::hash(2 * i) >> 11),
                 static_cast<double>(sequence::hash(2 * i + 1) >> 11)};
  });
  const auto tree = tree_of(points, true);
  const auto closest = layer::reduce(
      points.size(), std::numeric_limits<double>::infinity(),
      [&](auto i) {
        double best = std::numeric_limits<double>::infinity();
        nearest(*tree, points[i], best);
        return best;
      },
      [](auto a, auto b) { return std::min(a, b); });
  double expected = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) expected = std::min(expected, square(points[i], points[j]));
  return closest == expected ? 0 : 1;
}
