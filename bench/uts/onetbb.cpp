#include <oneapi/tbb/parallel_invoke.h>

#include "bench/uts/uts.hpp"

namespace uts {
namespace {

count some_children(const parameters& tree, const node& of, std::uint32_t from, std::uint32_t to) {
  if (to - from == 1) return solve(tree, child_of(of, from));
  const std::uint32_t middle = from + (to - from) / 2;
  count left, right;
  tbb::parallel_invoke([&] { left = some_children(tree, of, from, middle); },
                       [&] { right = some_children(tree, of, middle, to); });
  return left + right;
}

}  // namespace

count solve(const parameters& tree, const node& from) {
  const std::uint32_t children = children_of(tree, from);
  const count self = one(from, children);
  return children == 0 ? self : self + some_children(tree, from, 0, children);
}

}  // namespace uts
