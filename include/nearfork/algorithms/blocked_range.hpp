#pragma once

#include <nearfork/detail/language.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include <nearfork/algorithms/tiling.hpp>
#include <nearfork/parallel_for.hpp>
#include <nearfork/parallel_reduce.hpp>

namespace nearfork {
namespace detail {

template <class I>
concept block_position = loop_index<I> || std::random_access_iterator<I>;

template <std::random_access_iterator I>
[[nodiscard]] constexpr std::size_t length_of(I first, I last) noexcept {
  return static_cast<std::size_t>(last - first);
}
template <std::random_access_iterator I>
[[nodiscard]] constexpr I index_behind(I first, std::size_t steps) noexcept {
  return first + static_cast<std::iter_difference_t<I>>(steps);
}

}  // namespace detail

/// The indices [begin(), end()) of one dimension of a tile, or of a range that is cut into tiles. In one dimension also
/// iterators with random access.
template <detail::block_position I>
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

template <class I>
inline constexpr bool detail::is_blocked_range<blocked_range<I>> = true;

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

/// The tiles of a loop by their numbers. Quick bodies get many tiles as one.
template <class Range, class Body>
struct tile_pieces {
  static constexpr auto is = loop_pieces::form::boxes;
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
template <detail::block_position I, class Body>
  requires std::invocable<Body&, const blocked_range<I>&>
void parallel_for(const blocked_range<I>& range, Body&& body, const loop_options& options = {}) {
  nearfork::parallel_for_range(
      std::size_t{0}, range.size(),
      [&](std::size_t lo, std::size_t hi) {
        const blocked_range<I> piece = detail::part_of(range, {lo, hi});
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
template <detail::block_position I, class T, class Map, class Combine>
  requires std::invocable<Map&, const blocked_range<I>&, T>
[[nodiscard]] T parallel_reduce(const blocked_range<I>& range, T identity, Map&& map, Combine&& combine,
                                const loop_options& options = {}) {
  return nearfork::parallel_reduce_range(
      std::size_t{0}, range.size(), std::move(identity),
      [&](std::size_t lo, std::size_t hi, T so_far) {
        const blocked_range<I> piece = detail::part_of(range, {lo, hi});
        return map(piece, std::move(so_far));
      },
      combine, {.grain = options.grain != 0 ? options.grain : range.grainsize(), .cancel = options.cancel});
}

}  // namespace nearfork
