// libstdc++'s parallel mode, which is made of OpenMP. The crew's other threads wait at the end of their region and take
// no part in the sort, which opens a region of its own with as many threads.
#include <parallel/algorithm>

#include "bench/sort/sort.hpp"

namespace {

template <class T>
void sort_all(std::vector<T>& values) {
  const int workers = omp_get_num_threads();
  omp_set_max_active_levels(2);
  __gnu_parallel::sort(values.begin(), values.end(),
                       __gnu_parallel::default_parallel_tag(static_cast<__gnu_parallel::_ThreadIndex>(workers)));
}

}  // namespace

void sort::solve(std::vector<std::uint32_t>& numbers) {
  sort_all(numbers);
}

void sort::solve(std::vector<std::string>& words) {
  sort_all(words);
}
