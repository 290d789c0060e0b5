#include "bench/uts/uts.hpp"

uts::count uts::solve(const parameters& tree, const node& from) {
  const std::uint32_t children = children_of(tree, from);
  count all = one(from, children);
  for (std::uint32_t i = 0; i < children; ++i) all = all + solve(tree, child_of(from, i));
  return all;
}
