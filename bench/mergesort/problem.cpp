#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

#include "bench/harness/problem.hpp"
#include "bench/mergesort/mergesort.hpp"

namespace {

struct arrays {
  explicit arrays(std::size_t size) : given(size), data(size), buffer(size) {
    std::mt19937 random(1);
    std::ranges::generate(given, random);
    sorted = given;
    std::ranges::sort(sorted);
    data = given;
  }
  std::vector<std::uint32_t> given, sorted, data, buffer;
};

}  // namespace

std::uint64_t bench::usual_size() {
  return std::uint64_t{1} << 22;
}

bench::problem bench::make_problem(std::uint64_t size) {
  if (size < 1 || size > std::uint64_t{1} << 32)
    throw std::invalid_argument("mergesort: a size from 1 to 2^32 is wanted");
  auto all = std::make_shared<arrays>(size);
  return {.solve = [=] { mergesort::sort(all->data, all->buffer, mergesort::target::data); },
          .right =
              [=] {
                const bool right = all->data == all->sorted;
                all->data = all->given;
                return right;
              },
          .operations = static_cast<double>(size),
          .operation = "number"};
}
