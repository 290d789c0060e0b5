#include <memory>

#include "bench/harness/problem.hpp"
#include "bench/harness/sort_inputs.hpp"
#include "bench/sort/sort.hpp"

namespace {

template <class T>
bench::problem sorting(std::vector<T> given, const char* element) {
  const auto size = static_cast<double>(given.size());
  auto all = std::make_shared<bench::sorted_again<T>>(std::move(given));
  return {.solve = [=] { sort::solve(all->data()); },
          .right = [=] { return all->right(); },
          .operations = size,
          .operation = element};
}

}  // namespace

std::uint64_t bench::usual_size() {
  return std::uint64_t{1} << 22;
}

bench::problem bench::make_problem(std::uint64_t size) {
  const std::string_view input = input_or("random");
  if (input == "strings") return sorting(words_to_sort(size), "string");
  return sorting(numbers_to_sort(size, input), "number");
}
