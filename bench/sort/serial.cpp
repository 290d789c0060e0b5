#include <algorithm>

#include "bench/sort/sort.hpp"

void sort::solve(std::vector<std::uint32_t>& numbers) {
  std::sort(numbers.begin(), numbers.end());
}

void sort::solve(std::vector<std::string>& words) {
  std::sort(words.begin(), words.end());
}
