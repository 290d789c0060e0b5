// Triangles of a graph: for each vertex and each of its neighbours, how many neighbours both have.
#include <algorithm>
#include <sequence.hpp>

int main() {
  const std::size_t n = 150;
  const auto joined = [](auto a, auto b) {
    return a != b && sequence::hash(a < b ? a * 1'000 + b : b * 1'000 + a) % 5 == 0;
  };
  const auto neighbours = sequence::tabulate(n, [&](auto v) {
    return sequence::sorted(sequence::pack(n, [&](auto w) { return joined(v, w); }, [](auto w) { return w; }));
  });
  const auto triangles = sequence::sum_of(n, [&](auto v) {
    return sequence::sum_of(neighbours[v].size(), [&](auto k) {
      const auto& others = neighbours[neighbours[v][k]];
      return sequence::count_of(others.size(), [&](auto j) {
        return layer::find(neighbours[v], [&](auto w) { return w == others[j]; }) < neighbours[v].size();
      });
    });
  });
  std::size_t expected = 0;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < a; ++b)
      for (std::size_t c = 0; c < b; ++c) expected += joined(a, b) && joined(b, c) && joined(a, c) ? 6 : 0;
  return triangles == expected ? 0 : 1;
}
