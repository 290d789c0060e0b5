// Rounds of a loop with a reduction in each body, and a reduction by maximum for the end.
#include <algorithm>
#include <cmath>
#include <sequence.hpp>

int main() {
  const std::size_t pages = 500, links = 8;
  const auto sources = sequence::tabulate(pages, [&](auto page) {
    return sequence::tabulate(links, [&](auto k) { return static_cast<std::size_t>((page * 7 + k * k + 1) % pages); });
  });
  auto rank = sequence::tabulate(pages, [&](auto page) { return page == 0 ? 1.0 : 0.0; });
  std::vector<double> leaving(pages);
  for (const auto& from : sources)
    for (const auto page : from) leaving[page] += 1.0;
  double change = 1;
  for (int round = 0; round < 200 && change > 1e-12; ++round) {
    const auto next = sequence::map(sources, [&](const auto& from) {
      return 0.15 / 500 +
             0.85 * sequence::sum_of(from.size(), [&](auto k) { return rank[from[k]] / leaving[from[k]]; });
    });
    change = layer::reduce(
        pages, 0.0, [&](auto page) { return std::abs(next[page] - rank[page]); },
        [](auto a, auto b) { return std::max(a, b); });
    rank = next;
  }
  return change <= 1e-12 && std::abs(sequence::sum(rank) - 1.0) < 1e-6 ? 0 : 1;
}
