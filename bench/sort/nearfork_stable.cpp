#include <nearfork/nearfork.hpp>

#include "bench/sort/sort.hpp"

void sort::solve(std::vector<std::uint32_t>& numbers) {
  nearfork::parallel_stable_sort(numbers.begin(), numbers.end());
}

void sort::solve(std::vector<std::string>& words) {
  nearfork::parallel_stable_sort(words.begin(), words.end());
}
