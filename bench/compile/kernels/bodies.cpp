// Forces between all pairs of bodies: a reduction of vectors in a loop; what they add up to is zero.
#include <cmath>
#include <sequence.hpp>

namespace {

struct force {
  double x = 0, y = 0, z = 0;
  friend force operator+(const force& a, const force& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
};

}  // namespace

int main() {
  const std::size_t count = 300;
  const auto places = sequence::tabulate(count, [](auto i) {
    const auto part = [i](auto axis) { return static_cast<double>(sequence::hash(3 * i + axis) % 10'000); };
    return force{part(0U), part(1U), part(2U)};
  });
  const auto forces = sequence::tabulate(count, [&](auto i) {
    return sequence::sum_of(count, [&](auto j) {
      if (i == j) return force{};
      const force d{places[j].x - places[i].x, places[j].y - places[i].y, places[j].z - places[i].z};
      const double r = std::sqrt(d.x * d.x + d.y * d.y + d.z * d.z) + 1;
      return force{d.x / (r * r * r), d.y / (r * r * r), d.z / (r * r * r)};
    });
  });
  const force total = sequence::sum(forces);
  const double size = sequence::sum_of(count, [&](auto i) { return std::abs(forces[i].x); });
  return size > 0 && std::abs(total.x) + std::abs(total.y) + std::abs(total.z) < 1e-9 * size ? 0 : 1;
}
