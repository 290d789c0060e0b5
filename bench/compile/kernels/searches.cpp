// Finds in a loop: for each pattern its first place, and for each place its first difference.
#include <sequence.hpp>
#include <string>

int main() {
  std::string text(5'000, 'a');
  layer::loop(text.size(), [&](auto i) { text[i] = static_cast<char>('a' + sequence::hash(i) % 4); });
  const auto patterns = sequence::tabulate(60, [&](auto p) { return text.substr(p * 80 + 11, 3 + p % 9); });
  const auto places = sequence::tabulate(text.size(), [](auto i) { return i; });
  const auto found = sequence::map(patterns, [&](const auto& pattern) {
    return layer::find(places, [&](auto at) {
      const auto offsets = sequence::tabulate(pattern.size(), [](auto k) { return k; });
      if (at + pattern.size() > text.size() || text[at] != pattern[0]) return false;
      return layer::find(offsets, [&](auto k) { return text[at + k] != pattern[k]; }) == pattern.size();
    });
  });
  const auto wrong = sequence::count_of(patterns.size(), [&](auto p) { return text.find(patterns[p]) != found[p]; });
  return wrong == 0 ? 0 : 1;
}
