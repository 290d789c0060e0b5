// Breadth-first search: loops in loops over the frontier, an atomic claim for each vertex, and a flattened next one.
#include <atomic>
#include <sequence.hpp>

int main() {
  const std::size_t side = 100, count = side * side;
  const auto edges = sequence::tabulate(count, [&](auto v) {
    std::vector<std::size_t> to;
    if (v % side + 1 < side) to.push_back(v + 1);
    if (v + side < count) to.push_back(v + side);
    return to;
  });
  std::vector<std::atomic<bool>> taken(count);
  std::vector<std::size_t> distance(count);
  std::vector<std::size_t> frontier{0};
  taken[0] = true;
  for (std::size_t round = 1; !frontier.empty(); ++round) {
    frontier = sequence::flatten(sequence::map(frontier, [&](auto from) {
      auto mine = sequence::map(edges[from], [&](auto to) { return taken[to].exchange(true) ? count : to; });
      const auto next = sequence::filter(mine, [&](auto to) { return to < count; });
      layer::loop(next.size(), [&](auto i) { distance[next[i]] = round; });
      return next;
    }));
  }
  const auto wrong = sequence::count_of(count, [&](auto v) { return distance[v] != v / side + v % side; });
  return wrong == 0 ? 0 : 1;
}
