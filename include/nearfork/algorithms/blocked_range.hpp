#pragma once

#include <nearfork/detail/language.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <nearfork/parallel_for.hpp>
#include <nearfork/parallel_reduce.hpp>

namespace nearfork {

/// The indices [begin(), end()) of one dimension of a tile, or of a range that is cut into tiles.
template <detail::loop_index I>
class blocked_range {
 public:
  /// The type of begin() and end().
  using const_iterator = I;

  /// `grain`: the most indices of a tile in this dimension. 0 lets the loop choose.
  constexpr blocked_range(I begin, I end, std::size_t grain = 0) noexcept : begin_(begin), end_(end), grain_(grain) {}

  /// The first index.
  [[nodiscard]] constexpr I begin() const noexcept { return begin_; }
  /// The index behind the last one.
  [[nodiscard]] constexpr I end() const noexcept { return end_; }
  /// True if there are no indices.
  [[nodiscard]] constexpr bool empty() const noexcept { return !(begin_ < end_); }
  /// The number of indices.
  [[nodiscard]] constexpr std::size_t size() const noexcept { return empty() ? 0 : detail::length_of(begin_, end_); }
  /// The grain that it was made with; 0: the loop chooses.
  [[nodiscard]] constexpr std::size_t grainsize() const noexcept { return grain_; }

 private:
  I begin_;
  I end_;
  std::size_t grain_;
};

/// A rectangle of indices: rows() and cols(). Loops cut it into tiles.
template <detail::loop_index Row, detail::loop_index Col = Row>
class blocked_range2d {
 public:
  /// How many blocked_ranges it has.
  static constexpr std::size_t dimensions = 2;

  /// All pairs of these rows and columns.
  constexpr blocked_range2d(const blocked_range<Row>& rows, const blocked_range<Col>& cols) noexcept
      : rows_(rows), cols_(cols) {}
  /// Rows, then columns. The loop chooses the size of the tiles.
  constexpr blocked_range2d(Row row_begin, Row row_end, Col col_begin, Col col_end) noexcept
      : rows_(row_begin, row_end), cols_(col_begin, col_end) {}
  /// Tiles have at most `row_grain` rows and `col_grain` columns.
  constexpr blocked_range2d(Row row_begin, Row row_end, std::size_t row_grain, Col col_begin, Col col_end,
                            std::size_t col_grain) noexcept
      : rows_(row_begin, row_end, row_grain), cols_(col_begin, col_end, col_grain) {}

  ///@{
  /// The indices of one dimension.
  [[nodiscard]] constexpr const blocked_range<Row>& rows() const noexcept { return rows_; }
  [[nodiscard]] constexpr const blocked_range<Col>& cols() const noexcept { return cols_; }
  ///@}
  /// True if there are no indices.
  [[nodiscard]] constexpr bool empty() const noexcept { return rows_.empty() || cols_.empty(); }

 private:
  blocked_range<Row> rows_;
  blocked_range<Col> cols_;
};

/// A cuboid of indices: pages(), rows() and cols(). Loops cut it into tiles.
template <detail::loop_index Page, detail::loop_index Row = Page, detail::loop_index Col = Row>
class blocked_range3d {
 public:
  /// How many blocked_ranges it has.
  static constexpr std::size_t dimensions = 3;

  /// All triples of these pages, rows and columns.
  constexpr blocked_range3d(const blocked_range<Page>& pages, const blocked_range<Row>& rows,
                            const blocked_range<Col>& cols) noexcept
      : pages_(pages), rows_(rows), cols_(cols) {}
  /// Pages, then rows, then columns. The loop chooses the size of the tiles.
  constexpr blocked_range3d(Page page_begin, Page page_end, Row row_begin, Row row_end, Col col_begin,
                            Col col_end) noexcept
      : pages_(page_begin, page_end), rows_(row_begin, row_end), cols_(col_begin, col_end) {}
  /// Tiles have at most so many pages, rows and columns.
  constexpr blocked_range3d(Page page_begin, Page page_end, std::size_t page_grain, Row row_begin, Row row_end,
                            std::size_t row_grain, Col col_begin, Col col_end, std::size_t col_grain) noexcept
      : pages_(page_begin, page_end, page_grain),
        rows_(row_begin, row_end, row_grain),
        cols_(col_begin, col_end, col_grain) {}

  ///@{
  /// The indices of one dimension.
  [[nodiscard]] constexpr const blocked_range<Page>& pages() const noexcept { return pages_; }
  [[nodiscard]] constexpr const blocked_range<Row>& rows() const noexcept { return rows_; }
  [[nodiscard]] constexpr const blocked_range<Col>& cols() const noexcept { return cols_; }
  ///@}
  /// True if there are no indices.
  [[nodiscard]] constexpr bool empty() const noexcept { return pages_.empty() || rows_.empty() || cols_.empty(); }

 private:
  blocked_range<Page> pages_;
  blocked_range<Row> rows_;
  blocked_range<Col> cols_;
};

namespace detail {

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
    while (tiles() < most_chosen_tiles && cut_longest()) {
    }
  }
  [[nodiscard]] constexpr std::size_t tiles() const noexcept { return in_[0].parts * in_[1].parts * in_[2].parts; }

  /// The positions of tile `number` in each dimension.
  [[nodiscard]] constexpr box tile(std::size_t number) const noexcept {
    cuboid in = all();
    while (in.tiles > 1) {
      const cut_cuboid halves(in);
      if (number < halves.below) in = halves.lower(in);
      else in = halves.upper(in), number -= halves.below;
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
        if (lo - first < halves.below) in = halves.lower(in);
        else in = halves.upper(in), first += halves.below;
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
      if (of.pages >= of.rows && of.pages >= of.columns) pages = of.pages / 2, below = pages * of.rows * of.columns;
      else if (of.rows >= of.columns) rows = of.rows / 2, below = of.pages * rows * of.columns;
      else columns = of.columns / 2, below = of.pages * of.rows * columns;
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

  /// Cuts the parts of one dimension without a given grain in halves. False if there is none to cut.
  constexpr bool cut_longest() noexcept {
    tiled_dimension* longest = nullptr;
    std::size_t most = 0;
    for (std::size_t d = 0; d != 3; ++d) {
      const std::size_t part = in_[d].longest_part();
      const std::size_t weight = d == 2 ? std::max<std::size_t>(part / column_weight, 1) : part;
      if (in_[d].grain == 0 && part > 1 && weight > most) longest = &in_[d], most = weight;
    }
    if (longest == nullptr) return false;
    longest->cut_into(std::min(2 * longest->parts, longest->length));
    return true;
  }

  dimensions in_;
};

template <class Range>
concept tiled_range = requires(const Range& range) {
  { range.rows().grainsize() } -> std::same_as<std::size_t>;
  { range.cols().grainsize() } -> std::same_as<std::size_t>;
};

template <class I>
constexpr tiled_dimension dimension_of(const blocked_range<I>& in) noexcept {
  return {.length = in.size(), .grain = in.grainsize()};
}
template <class Range>
constexpr tiling tiling_of(const Range& range) noexcept {
  tiling::dimensions all{tiled_dimension{}, dimension_of(range.rows()), dimension_of(range.cols())};
  if constexpr (Range::dimensions == 3) all[0] = dimension_of(range.pages());
  return tiling(all);
}
template <class I>
constexpr blocked_range<I> part_of(const blocked_range<I>& in, std::pair<std::size_t, std::size_t> part) noexcept {
  return {index_behind(in.begin(), part.first), index_behind(in.begin(), part.second), in.grainsize()};
}
template <class Range>
constexpr Range tile_of(const Range& range, const tiling::box& box) noexcept {
  if constexpr (Range::dimensions == 3)
    return {part_of(range.pages(), box[0]), part_of(range.rows(), box[1]), part_of(range.cols(), box[2])};
  else return {part_of(range.rows(), box[1]), part_of(range.cols(), box[2])};
}

}  // namespace detail

namespace detail {

/// The tiles of a loop by their numbers. Quick bodies get many tiles as one.
template <class Range, class Body>
struct tile_pieces {
  static constexpr bool whole = false;
  const Range& range;
  const tiling& tiles;
  Body& body;
  void operator()(std::size_t lo, std::size_t hi) const {
    tiles.for_each_box(lo, hi, [this](const tiling::box& box) {
      const Range tile = tile_of(range, box);  // with a name: the body may take `auto&`
      body(tile);
    });
  }
};

}  // namespace detail

/// Calls body(tile) on tiles that together cover the range exactly once, in any order, in parallel. A tile has the type
/// of the range. Returns when all tiles are done.
///
///     std::vector<double> from(1000 * 1000, 1), to(from.size());
///     nearfork::parallel_for(nearfork::blocked_range2d<std::size_t>(0, 1000, 0, 1000), [&](const auto& tile) {
///       for (std::size_t i = tile.rows().begin(); i != tile.rows().end(); ++i)
///         for (std::size_t j = tile.cols().begin(); j != tile.cols().end(); ++j)
///           to[j * 1000 + i] = from[i * 1000 + j];
///     });
///
/// A tile has at most as many indices in each dimension as the range's grain says. Where a dimension has no grain, the
/// loop cuts the range into about 1024 tiles, which are up to eight times longer in columns than in rows and pages.
/// If a dimension has a grain, the tiles depend on the range alone. If none has, a body that is quick gets neighbouring
/// tiles as one; so the tiles then differ from run to run. Tiles that a worker runs one after the other are neighbours.
/// options.grain: how many tiles a thief leaves together; 0 lets the loop choose.
/// Throws, cancellation, thread-safety: as parallel_for, with a tile in place of an index.
/// Complexity: one call of body per tile, and about 15 ns to find the tile.
template <detail::tiled_range Range, class Body>
  requires std::invocable<Body&, const Range&>
void parallel_for(const Range& range, Body&& body, const loop_options& options = {},
                  const call_site& where = {__builtin_FILE(), __builtin_LINE()}) {
  if (range.empty()) return;
  const detail::tiling tiles = detail::tiling_of(range);
  using pieces = detail::tile_pieces<Range, std::remove_reference_t<Body>>;
  detail::run_pieces_of(tiles.tiles(), pieces{range, tiles, body}, options, where);
}

/// The same for one dimension: body(piece) on pieces of a blocked_range. options.grain is taken if it is not 0, else
/// the range's grain. Otherwise as parallel_for_range.
///
///     std::vector<double> data(1000, 4);
///     nearfork::parallel_for(nearfork::blocked_range<std::size_t>(0, data.size()), [&](const auto& piece) {
///       for (std::size_t i = piece.begin(); i != piece.end(); ++i) data[i] = std::sqrt(data[i]);
///     });
template <detail::loop_index I, class Body>
  requires std::invocable<Body&, const blocked_range<I>&>
void parallel_for(const blocked_range<I>& range, Body&& body, const loop_options& options = {}) {
  nearfork::parallel_for_range(
      range.begin(), range.end(),
      [&](I lo, I hi) {
        const blocked_range<I> piece(lo, hi, range.grainsize());
        body(piece);
      },
      {.grain = options.grain != 0 ? options.grain : range.grainsize(), .cancel = options.cancel});
}

/// Folds a range of tiles in parallel: map(tile, so_far) -> T for each tile, combine(left, right) -> T for neighbours.
///
///     const std::vector<double> matrix(100 * 100, 0.5);
///     const double sum = nearfork::parallel_reduce(
///         nearfork::blocked_range2d<std::size_t>(0, 100, 0, 100), 0.0,
///         [&](const auto& tile, double so_far) {
///           for (std::size_t i = tile.rows().begin(); i != tile.rows().end(); ++i)
///             for (std::size_t j = tile.cols().begin(); j != tile.cols().end(); ++j) so_far += matrix[i * 100 + j];
///           return so_far;
///         },
///         std::plus<>());
///
/// combine must be associative up to the error that the caller accepts, and commutative, because tiles have no order
/// in space. The tiles and the tree depend on the range alone, so the result is the same bit for bit for any number of
/// workers. Otherwise as parallel_reduce_range.
template <detail::tiled_range Range, class T, class Map, class Combine>
  requires std::invocable<Map&, const Range&, T>
[[nodiscard]] T parallel_reduce(const Range& range, T identity, Map&& map, Combine&& combine,
                                const loop_options& options = {}) {
  if (range.empty()) return identity;
  const detail::tiling tiles = detail::tiling_of(range);
  return nearfork::parallel_reduce_range(
      std::size_t{0}, tiles.tiles(), std::move(identity),
      [&](std::size_t lo, std::size_t hi, T so_far) {
        for (; lo != hi; ++lo) {
          const Range tile = detail::tile_of(range, tiles.tile(lo));
          so_far = map(tile, std::move(so_far));
        }
        return so_far;
      },
      combine, options);
}

/// The same for one dimension; combine need not be commutative.
///
///     const std::vector<double> data(1000, 0.5);
///     const double sum = nearfork::parallel_reduce(
///         nearfork::blocked_range<std::size_t>(0, data.size()), 0.0,
///         [&](const auto& piece, double so_far) {
///           for (std::size_t i = piece.begin(); i != piece.end(); ++i) so_far += data[i];
///           return so_far;
///         },
///         std::plus<>());
template <detail::loop_index I, class T, class Map, class Combine>
  requires std::invocable<Map&, const blocked_range<I>&, T>
[[nodiscard]] T parallel_reduce(const blocked_range<I>& range, T identity, Map&& map, Combine&& combine,
                                const loop_options& options = {}) {
  return nearfork::parallel_reduce_range(
      range.begin(), range.end(), std::move(identity),
      [&](I lo, I hi, T so_far) {
        const blocked_range<I> piece(lo, hi, range.grainsize());
        return map(piece, std::move(so_far));
      },
      combine, {.grain = options.grain != 0 ? options.grain : range.grainsize(), .cancel = options.cancel});
}

}  // namespace nearfork
