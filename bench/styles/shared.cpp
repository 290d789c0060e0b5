#include <cstddef>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "bench/harness/problem.hpp"
#include "bench/styles/styles.hpp"

namespace {

/// Term n of the sequence that begins with `terms`; each further term is the sum of as many terms before it.
std::uint64_t term_of(unsigned n, std::vector<std::uint64_t> terms) {
  const auto width = static_cast<std::ptrdiff_t>(terms.size());
  while (terms.size() <= n) terms.push_back(std::reduce(terms.end() - width, terms.end()));
  return terms[n];
}

std::uint64_t right_answer(unsigned n) {
  std::vector<std::uint64_t> first(styles::children);
  std::iota(first.begin(), first.end(), std::uint64_t{0});
  return term_of(n, first);
}

/// Of a tree in which calls have `children` children each, as those of fib have two.
std::uint64_t leaves(unsigned n, unsigned children) {
  return term_of(n, std::vector<std::uint64_t>(children, 1));
}

/// Every family forks about as often as fib(n): the largest term with no more leaves.
unsigned term_for(unsigned n) {
  unsigned term = 0;
  while (leaves(term + 1, styles::children) <= leaves(n, 2) && term < n) ++term;
  return term;
}

}  // namespace

std::uint64_t bench::usual_size() {
  return 36;
}

bench::problem bench::make_problem(std::uint64_t n) {
  if (n > 60) throw std::invalid_argument("styles: a size up to 60 is wanted; 60 takes hours");
  const unsigned term = term_for(static_cast<unsigned>(n));
  auto answer = std::make_shared<std::uint64_t>(0);
  return {.solve = [=] { *answer = styles::answer(term); },
          .right = [=] { return *answer == right_answer(term); },
          .operations =
              static_cast<double>(leaves(term, styles::children)) - 1,  // a call with k children offers k - 1 of them
          .operation = "fork"};
}
