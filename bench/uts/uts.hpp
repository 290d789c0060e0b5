// Unbalanced tree search: counts the nodes of a tree that is computed on the way, each node from its parent's digest
// (Olivier et al., "UTS: An Unbalanced Tree Search Benchmark", LCPC 2006). The size of a subtree cannot be known in
// advance.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace uts {

enum class shape : std::uint8_t {
  geometric,  // the number of children is distributed geometrically, down to a fixed depth
  binomial,   // the root has many children; every other node has `branching` children or none
};

struct parameters {
  shape kind;
  std::uint32_t seed;
  double root_branching;
  std::uint32_t depth;      // of a geometric tree
  std::uint32_t branching;  // of a binomial tree
  double probability;       // that a node of a binomial tree has children
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
/// The count of a node by itself.
[[nodiscard]] inline count one(const node& n, std::uint32_t children) {
  return {1, children == 0 ? std::uint64_t{1} : 0, n.depth};
}

/// Counts the node and all nodes below it; each contender defines solve().
[[nodiscard]] count solve(const parameters& tree, const node& from);

}  // namespace uts
