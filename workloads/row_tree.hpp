// How the stencils cut their rows: the task tree of the papers' heat and SOR, down to leaves of at most 8 rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "workloads/random_numbers.hpp"

namespace nearfork::workloads {

/// regular: every inner node has two children (the papers' heat, sor).
/// irregular: an inner node has two, three or four, by a hash of its rows (heat-ub, heat-ir, sor-ub, sor-ir). The
/// papers say only that degrees differ between nodes and leaves end at different depths; both hold here, every node
/// still cuts its rows evenly as Eq. 1 and 2 of A-CAB assume, and the tree is the same in every iteration.
enum class tree_shape : std::uint8_t { regular, irregular };

/// [first, last)
struct row_range {
  std::size_t first;
  std::size_t last;
  [[nodiscard]] constexpr std::size_t count() const noexcept { return last - first; }
};

/// The papers' cut-off for all their stencils.
inline constexpr std::size_t leaf_rows = 8;

/// The children of a node of the tree; none for a leaf.
class row_cut {
 public:
  constexpr row_cut(row_range rows, tree_shape shape) noexcept : parts_(degree(rows, shape)) {
    for (unsigned i = 0; i <= parts_; ++i) bounds_[i] = rows.first + rows.count() * i / (parts_ == 0 ? 1 : parts_);
  }
  [[nodiscard]] constexpr unsigned parts() const noexcept { return parts_; }
  [[nodiscard]] constexpr row_range part(unsigned i) const noexcept { return {bounds_[i], bounds_[i + 1]}; }

 private:
  static constexpr unsigned degree(row_range rows, tree_shape shape) noexcept {
    if (rows.count() <= leaf_rows) return 0;
    if (shape == tree_shape::regular) return 2;
    return 2 + static_cast<unsigned>(mixed(rows.first ^ mixed(rows.last)) % 3);
  }

  unsigned parts_;
  std::array<std::size_t, 5> bounds_{};
};

/// Calls leaf(rows) for each leaf of the tree.
template <class Fork, class Leaf>
void for_row_leaves(const Fork& fork, row_range rows, tree_shape shape, const Leaf& leaf) {
  const row_cut cut(rows, shape);
  const auto child = [&](unsigned i) { return [&, i] { for_row_leaves(fork, cut.part(i), shape, leaf); }; };
  switch (cut.parts()) {
    case 0: return leaf(rows);
    case 2: return fork(child(0), child(1));
    case 3: return fork(child(0), child(1), child(2));
    default: return fork(child(0), child(1), child(2), child(3));
  }
}

}  // namespace nearfork::workloads
