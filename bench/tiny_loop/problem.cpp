#include <algorithm>
#include <memory>
#include <stdexcept>

#include "bench/harness/problem.hpp"
#include "bench/tiny_loop/tiny_loop.hpp"

std::uint64_t bench::usual_size() {
  return 100'000'000;
}

bench::problem bench::make_problem(std::uint64_t size) {
  if (size < 1 || size > 4'000'000'000) throw std::invalid_argument("tiny_loop: a size from 1 to 4000000000 is wanted");
  auto out = std::make_shared<tiny_loop::numbers>(size);
  return {.solve = [=] { tiny_loop::solve(*out); },
          .right =
              [=] {
                for (std::size_t i = 0; i < out->size(); ++i)
                  if ((*out)[i] != tiny_loop::body(i)) return false;
                std::ranges::fill(*out, 0);  // so that the next run cannot pass with this run's answer
                return true;
              },
          .operations = static_cast<double>(size),
          .operation = "body"};
}
