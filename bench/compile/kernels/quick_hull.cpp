// A convex hull: filters and reductions by distance in a tree of pairs of calls.
#include <sequence.hpp>

namespace {

struct point {
  double x = 0, y = 0;
};

double side(const point& a, const point& b, const point& p) {
  return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

/// The points of the hull left of a to b, without both.
std::vector<point> hull(const std::vector<point>& points, point a, point b) {
  const auto left = sequence::filter(points, [&](const auto& p) { return side(a, b, p) > 1e-9; });
  if (left.empty()) return {};
  const auto far = left[layer::reduce(
      left.size(), std::size_t{0}, [](auto i) { return i; },
      [&](auto i, auto j) { return side(a, b, left[j]) > side(a, b, left[i]) ? j : i; })];
  std::vector<point> first, second;
  layer::both([&] { first = hull(left, a, far); }, [&] { second = hull(left, far, b); });
  return sequence::flatten(std::vector<std::vector<point>>{first, {far}, second});
}

}  // namespace

int main() {
  const auto points = sequence::tabulate(3'000, [](auto i) {
    const auto part = [i](auto axis) { return static_cast<double>(sequence::hash(2 * i + axis) % 1'000) / 1'000; };
    return point{part(0U), part(1U)};
  });
  const auto pick = [&](const auto& better) {
    return points[layer::reduce(
        points.size(), std::size_t{0}, [](auto i) { return i; },
        [&](auto i, auto j) { return better(points[j], points[i]) ? j : i; })];
  };
  const auto west = pick([](const auto& a, const auto& b) { return a.x < b.x; });
  const auto east = pick([](const auto& a, const auto& b) { return a.x > b.x; });
  const auto corners = sequence::flatten(
      std::vector<std::vector<point>>{{west}, hull(points, west, east), {east}, hull(points, east, west)});
  const auto outside = sequence::count_of(corners.size(), [&](auto c) {
    const auto& a = corners[c];
    const auto& b = corners[(c + 1) % corners.size()];
    return sequence::count_of(points.size(), [&](auto p) { return side(a, b, points[p]) > 1e-9; }) > 0;
  });
  return corners.size() > 8 && outside == 0 ? 0 : 1;
}
