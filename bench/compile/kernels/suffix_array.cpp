// Suffixes by doubling: in each round a sort, flags, a scan and a loop.
#include <algorithm>
#include <sequence.hpp>
#include <string>
#include <tuple>

int main() {
  const std::size_t n = 1'500;
  std::string text(n, 'a');
  layer::loop(n, [&](auto i) { text[i] = static_cast<char>('a' + sequence::hash(i) % 2); });
  auto rank = sequence::tabulate(n, [&](auto i) { return static_cast<std::size_t>(text[i]); });
  std::vector<std::size_t> suffixes;
  for (std::size_t length = 1;; length *= 2) {
    const auto pairs = sequence::sorted(sequence::tabulate(
        n, [&](auto i) { return std::tuple(rank[i], i + length < n ? rank[i + length] + 1 : 0, i); }));
    auto names = sequence::tabulate(n, [&](auto i) {
      return i + 1 < n && (std::get<0>(pairs[i]) != std::get<0>(pairs[i + 1]) ||
                           std::get<1>(pairs[i]) != std::get<1>(pairs[i + 1]))
                 ? std::size_t{1}
                 : std::size_t{0};
    });
    const auto different = layer::scan(names, std::size_t{0}, [](auto a, auto b) { return a + b; });
    layer::loop(n, [&](auto i) { rank[std::get<2>(pairs[i])] = names[i]; });
    suffixes = sequence::map(pairs, [](const auto& entry) { return std::get<2>(entry); });
    if (different + 1 == n) break;
  }
  const auto wrong =
      sequence::count_of(n - 1, [&](auto i) { return text.compare(suffixes[i], n, text, suffixes[i + 1], n) >= 0; });
  return wrong == 0 ? 0 : 1;
}
