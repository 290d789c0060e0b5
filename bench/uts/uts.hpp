// Unbalanced tree search: counts the nodes of a tree that is computed on the way, each node from its parent's digest
// (Olivier et al., "UTS: An Unbalanced Tree Search Benchmark", LCPC 2006). Nobody can tell which subtree is large.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace uts {

enum class shape : std::uint8_t {
  geometric,  // the number of children is distributed geometrically, down to a fixed depth
  binomial,   // the root has many children; others have `branching` of them or none
};

struct parameters {
  shape kind;
  std::uint32_t seed;
  double root_branching;
  std::uint32_t depth;      // of a geometric tree
  std::uint32_t branching;  // of a binomial one
  double probability;       // of having children there
};

struct node {
  std::array<std::uint8_t, 20> digest;
  std::uint32_t depth;
};

[[nodiscard]] node root_of(const parameters& tree);
[[nodiscard]] std::uint32_t children_of(const parameters& tree, const node& parent);
[[nodiscard]] node child_of(const node& parent, std::uint32_t index);

struct count {
  std::uint64_t nodes = 0;
  std::uint64_t leaves = 0;
  std::uint32_t deepest = 0;
  friend bool operator==(const count&, const count&) = default;
};
[[nodiscard]] inline count operator+(const count& a, const count& b) {
  return {a.nodes + b.nodes, a.leaves + b.leaves, std::max(a.deepest, b.deepest)};
}
/// A node by itself.
[[nodiscard]] inline count one(const node& n, std::uint32_t children) {
  return {1, children == 0 ? std::uint64_t{1} : 0, n.depth};
}

/// Each contender's own: the node and all below it.
[[nodiscard]] count solve(const parameters& tree, const node& from);

}  // namespace uts
