#include <memory>
#include <vector>

#include "bench/harness/problem.hpp"
#include "bench/harness/sort_inputs.hpp"
#include "bench/mergesort/mergesort.hpp"

std::uint64_t bench::usual_size() {
  return std::uint64_t{1} << 22;
}

bench::problem bench::make_problem(std::uint64_t size) {
  auto all = std::make_shared<sorted_again<std::uint32_t>>(numbers_to_sort(size, input_or("random")));
  auto buffer = std::make_shared<std::vector<std::uint32_t>>(size);
  return {.solve = [=] { mergesort::sort(all->data(), *buffer, mergesort::target::data); },
          .right = [=] { return all->right(); },
          .operations = static_cast<double>(size),
          .operation = "number"};
}
