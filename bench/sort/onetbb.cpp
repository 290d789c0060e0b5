#include <oneapi/tbb/parallel_sort.h>

#include "bench/sort/sort.hpp"

void sort::solve(std::vector<std::uint32_t>& numbers) {
  tbb::parallel_sort(numbers.begin(), numbers.end());
}

void sort::solve(std::vector<std::string>& words) {
  tbb::parallel_sort(words.begin(), words.end());
}
