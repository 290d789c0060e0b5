// How loops over rectangles and cuboids are cut into tiles.
#pragma once

#include <nearfork/detail/language.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <nearfork/detail/callable.hpp>
#include <nearfork/loop_options.hpp>

namespace nearfork::detail {

/// One dimension of a tiling: its length and into how many parts it is cut. Parts differ by at most one index.
struct tiled_dimension {
  std::size_t length = 1;
  std::size_t grain = 0;
  std::size_t parts = 1;
  std::size_t shortest_part = 1;
  std::size_t longer_parts = 0;  // the first parts have one index more

  constexpr void cut_into(std::size_t count) noexcept {
    parts = count;
    shortest_part = length / count;
    longer_parts = length % count;
  }
  /// Where part `i` begins; part `parts` is the end.
  [[nodiscard]] constexpr std::size_t begin_of(std::size_t i) const noexcept {
    return shortest_part * i + std::min(i, longer_parts);
  }
  [[nodiscard]] constexpr std::size_t longest_part() const noexcept { return (length - 1) / parts + 1; }
};

/// Pages, rows, columns. Tiles are numbered so that neighbours in number are neighbours in space: all halves of the
/// numbers are boxes. So the part of a loop that a thief takes is compact.
class tiling {
 public:
  using dimensions = std::array<tiled_dimension, 3>;
  using box = std::array<std::pair<std::size_t, std::size_t>, 3>;

  constexpr explicit tiling(const dimensions& given) noexcept : in_(given) {
    for (tiled_dimension& one : in_) one.cut_into(one.grain != 0 ? (one.length - 1) / one.grain + 1 : 1);
    while (!can_be_counted()) halve_most_parts();
    while (tiles() < most_chosen_tiles && cut_longest()) {
    }
  }
  [[nodiscard]] constexpr std::size_t tiles() const noexcept { return in_[0].parts * in_[1].parts * in_[2].parts; }

  /// The positions of tile `number` in each dimension.
  [[nodiscard]] constexpr box tile(std::size_t number) const noexcept {
    cuboid in = all();
    while (in.tiles > 1) {
      const cut_cuboid halves(in);
      if (number < halves.below) {
        in = halves.lower(in);
      } else {
        in = halves.upper(in);
        number -= halves.below;
      }
    }
    return positions(in);
  }

  /// Calls act(positions) for the tiles [lo, hi), in order. Those that together fill a half, a quarter and so on of all
  /// are given as one, if no dimension has a grain.
  template <class Act>
  constexpr void for_each_box(std::size_t lo, std::size_t hi, const Act& act) const {
    const bool together = has_no_grain();
    while (lo != hi) {
      cuboid in = all();
      std::size_t first = 0;  // the number of its first tile
      while (in.tiles > 1 && !(together && first == lo && first + in.tiles <= hi)) {
        const cut_cuboid halves(in);
        if (lo - first < halves.below) {
          in = halves.lower(in);
        } else {
          in = halves.upper(in);
          first += halves.below;
        }
      }
      act(positions(in));
      lo = first + in.tiles;
    }
  }

 private:
  static constexpr std::size_t most_chosen_tiles = deterministic_leaves;
  /// Columns are cut only where they are so many times longer than the rest: a cache line holds 8 doubles of a row.
  static constexpr std::size_t column_weight = 8;

  /// A box of tiles. No array: finding a tile takes 60 ns with one, because its index is computed, and 15 ns so.
  struct cuboid {
    std::size_t page, row, column;     // its first tile
    std::size_t pages, rows, columns;  // how many it has
    std::size_t tiles;
  };
  /// Cuts a box in halves across its dimension of most tiles.
  struct cut_cuboid {
    std::size_t below;                             // tiles in the lower half
    std::size_t pages = 0, rows = 0, columns = 0;  // what the lower half has of the dimension that is cut

    NEARFORK_INLINE constexpr explicit cut_cuboid(const cuboid& of) noexcept {
      if (of.pages >= of.rows && of.pages >= of.columns) {
        pages = of.pages / 2;
        below = pages * of.rows * of.columns;
      } else if (of.rows >= of.columns) {
        rows = of.rows / 2;
        below = of.pages * rows * of.columns;
      } else {
        columns = of.columns / 2;
        below = of.pages * of.rows * columns;
      }
    }
    [[nodiscard]] NEARFORK_INLINE constexpr cuboid lower(const cuboid& of) const noexcept {
      return {of.page,
              of.row,
              of.column,
              pages != 0 ? pages : of.pages,
              rows != 0 ? rows : of.rows,
              columns != 0 ? columns : of.columns,
              below};
    }
    [[nodiscard]] NEARFORK_INLINE constexpr cuboid upper(const cuboid& of) const noexcept {
      return {of.page + pages, of.row + rows,        of.column + columns, of.pages - pages,
              of.rows - rows,  of.columns - columns, of.tiles - below};
    }
  };

  [[nodiscard]] constexpr cuboid all() const noexcept {
    return {0, 0, 0, in_[0].parts, in_[1].parts, in_[2].parts, tiles()};
  }
  [[nodiscard]] constexpr box positions(const cuboid& of) const noexcept {
    const auto range = [](const tiled_dimension& in, std::size_t first, std::size_t count) {
      return std::pair(in.begin_of(first), in.begin_of(first + count));
    };
    return {range(in_[0], of.page, of.pages), range(in_[1], of.row, of.rows), range(in_[2], of.column, of.columns)};
  }
  [[nodiscard]] constexpr bool has_no_grain() const noexcept {
    return in_[0].grain == 0 && in_[1].grain == 0 && in_[2].grain == 0;
  }

  /// False: there are more tiles than numbers.
  [[nodiscard]] constexpr bool can_be_counted() const noexcept {
    std::size_t so_far = 1;
    for (const tiled_dimension& one : in_)
      if (__builtin_mul_overflow(so_far, one.parts, &so_far)) return false;
    return true;
  }
  constexpr void halve_most_parts() noexcept {
    tiled_dimension& most = *std::ranges::max_element(in_, {}, &tiled_dimension::parts);
    most.cut_into(most.parts / 2);
  }

  /// Cuts the parts of one dimension without a given grain in halves. False if there is none to cut.
  constexpr bool cut_longest() noexcept {
    tiled_dimension* longest = nullptr;
    std::size_t most = 0;
    for (std::size_t d = 0; d != 3; ++d) {
      const std::size_t part = in_[d].longest_part();
      const std::size_t weight = d == 2 ? std::max<std::size_t>(part / column_weight, 1) : part;
      if (in_[d].grain == 0 && part > 1 && weight > most) {
        longest = &in_[d];
        most = weight;
      }
    }
    if (longest == nullptr) return false;
    longest->cut_into(std::min(2 * longest->parts, longest->length));
    return true;
  }

  dimensions in_;
};

}  // namespace nearfork::detail
