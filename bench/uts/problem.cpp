#include <memory>
#include <optional>
#include <stdexcept>

#include "bench/harness/problem.hpp"
#include "bench/uts/uts.hpp"

namespace {

/// T1 and T3 as named in the distribution's sample_trees.sh, with the counts stated there.
struct sample {
  uts::parameters tree;
  uts::count counted;
};

sample sample_called(std::uint64_t number) {
  using enum uts::shape;
  switch (number) {
    case 1: return {{geometric, 19, 4, 10, 0, 0}, {4'130'071, 3'305'118, 10}};
    case 3: return {{binomial, 42, 2000, 0, 8, 0.124875}, {4'112'897, 3'599'034, 1572}};
    default: throw std::invalid_argument("uts: size 1 is tree T1, 3 is tree T3; no other is known here");
  }
}

}  // namespace

std::uint64_t bench::usual_size() {
  return 1;
}

bench::problem bench::make_problem(std::uint64_t size) {
  const sample chosen = sample_called(size);
  auto answer = std::make_shared<uts::count>();
  return {.solve = [=] { *answer = uts::solve(chosen.tree, uts::root_of(chosen.tree)); },
          .right = [=] { return *answer == chosen.counted; },
          .operations = static_cast<double>(chosen.counted.nodes),
          .operation = "node"};
}
