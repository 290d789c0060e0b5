// Words are sorted, the first of each group is found, and the groups are sorted by size.
#include <map>
#include <sequence.hpp>
#include <string>

int main() {
  const auto words = sequence::sorted(
      sequence::tabulate(10'000, [](auto i) { return "w" + std::to_string(sequence::hash(i) % 100 * (i % 3)); }));
  const auto starts = sequence::pack(
      words.size(), [&](auto i) { return i == 0 || words[i] != words[i - 1]; }, [](auto i) { return i; });
  const auto groups = sequence::tabulate(starts.size(), [&](auto g) {
    const auto end = g + 1 < starts.size() ? starts[g + 1] : words.size();
    return std::pair(words[starts[g]], end - starts[g]);
  });
  const auto by_size = sequence::sorted(groups, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::map<std::string, std::size_t> expected;
  for (const auto& word : words) ++expected[word];
  const auto wrong = sequence::count_of(by_size.size(), [&](auto g) {
    return expected.at(by_size[g].first) != by_size[g].second || (g > 0 && by_size[g - 1].second < by_size[g].second);
  });
  return wrong == 0 && by_size.size() == expected.size() ? 0 : 1;
}
