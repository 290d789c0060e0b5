// Where the data cells of tiles lie. When each row of a tile was a cell, and a tile with a border of its neighbours in
// it cut each of theirs, a task that read such a tile of 64 rows and wrote one took 68 us, and its work 5.
//
// A *band* is some rows of a matrix, one behind the other: bytes of the program, `stride` from row to row. What tasks
// did to them is known by column alone: the cells of a band lie at *band addresses*, where no memory is, and stand for
// all of its rows. So the part of a tile that is in one band is one range of them. Where a tile begins or ends within
// a band, the band is cut, and both halves begin with what was known of the whole.
//
// [TB1] Each byte belongs to one band, or to none. Of bytes in a band only the band addresses are known, of others only
//      their own: a band is made where nothing is known, or what is known moves into it.
// [TB2] A band has whole rows, what lies between the tiles included. So bytes side by side are in it a part of a row,
//      some whole rows, and a part of a row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <nearfork/detail/dataflow/access_parts.hpp>

#include "runtime/cells/band_addresses.hpp"
#include "runtime/cells/ordered_cells.hpp"

namespace nearfork {

/// What is known of some addresses: those of bytes, and those of bands.
class known_ranges {
 public:
  /// What is known of [begin, end) is known of as many addresses from `to` on, too. Nothing was known of those. Throws
  /// std::bad_alloc, and then it is known of some of them.
  virtual void copy(std::uintptr_t begin, std::uintptr_t end, std::uintptr_t to) = 0;
  /// What is known of [begin, end) is known in ranges that begin and end there. Throws std::bad_alloc.
  virtual void settle(std::uintptr_t begin, std::uintptr_t end) = 0;
  /// Adds the begins and ends of the known ranges that begin in [begin, end). Throws std::bad_alloc.
  virtual void add_borders(std::uintptr_t begin, std::uintptr_t end, std::vector<std::uintptr_t>& to) const = 0;
  /// How many known ranges begin in [begin, end), and at most `most`. O(most).
  [[nodiscard]] virtual std::size_t count(std::uintptr_t begin, std::uintptr_t end,
                                          std::size_t most) const noexcept = 0;
  /// Forgets the ranges that begin in [begin, end), which is settled.
  virtual void forget(std::uintptr_t begin, std::uintptr_t end) noexcept = 0;

 protected:
  ~known_ranges() = default;
};

class tile_bands {
 public:
  tile_bands(web_memory& memory, known_ranges& known) noexcept : known_(known), store_(memory), all_(store_) {}
  tile_bands(const tile_bands&) = delete;
  tile_bands& operator=(const tile_bands&) = delete;

  [[nodiscard]] bool is_empty() const noexcept { return all_.size() == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }

  /// Calls use(begin, end) for the ranges of addresses that are those of the access. Makes and cuts bands as
  /// they are needed. Complexity: O(log n + k) for a tile in k of n bands. Throws std::bad_alloc.
  template <class Use>
  void for_each_range(const detail::access_parts& what, const Use& use) {
    const tile all{reinterpret_cast<std::uintptr_t>(what.data), what.bytes, what.stride_bytes, what.pieces};
    const bool has_rows =
        all.pieces > 1 && all.bytes <= all.stride && all.stride >= shortest_row && all.stride <= longest_row;
    return has_rows ? in_rows(all, use) : piece_by_piece(all, use);
  }
  /// The same without a change to bands: those that the access would cut are meant as a whole.
  template <class Use>
  void for_each_range_now(const detail::access_parts& what, const Use& use) const {
    auto begin = reinterpret_cast<std::uintptr_t>(what.data);
    for (std::size_t i = 0; i < what.pieces; ++i, begin += what.stride_bytes)
      side_by_side_now(begin, begin + what.bytes, use);
  }
  /// Drops the bands of which nothing is known any more.
  void drop_unknown() noexcept;
  /// Nothing is known of any byte any more.
  void drop_all() noexcept;

 private:
  struct band {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    std::uintptr_t stride = 1;
    std::uintptr_t cells = 0;  // the band address of the first byte of each row
    band* previous = nullptr;
    band* next = nullptr;  // by address
    [[nodiscard]] std::uintptr_t column_of(std::uintptr_t byte) const noexcept { return (byte - begin) % stride; }
  };
  struct tile {
    std::uintptr_t begin;
    std::uintptr_t bytes;  // of each piece
    std::uintptr_t stride;
    std::size_t pieces;
  };
  /// Elements with strides of 2, 4, 8, ... in turn, as in a Fourier transform, are no tiles of one matrix.
  static constexpr std::uintptr_t shortest_row = 128;
  static constexpr std::uintptr_t longest_row = std::uintptr_t{1} << 36;

  /// A tile that is at most a row wide. Where the rows of a band begin within its pieces, what is on either side is a
  /// tile by itself: `splits` times, since each matrix may have rows of its own.
  template <class Use>
  void in_rows(tile left, const Use& use, int splits = 8) {
    while (left.pieces > 0) {
      band* around = all_.last_until(left.begin);
      std::size_t rows = 1;
      if (around == nullptr || around->end <= left.begin) around = make_around(left, rows);
      const bool suits = around != nullptr && around->stride == left.stride;
      const std::uintptr_t column = suits ? around->column_of(left.begin) : 0;
      const std::uintptr_t in_row = left.stride - column;
      if (suits && left.bytes <= in_row) {
        const std::uintptr_t row = left.begin - column;
        rows = std::min<std::size_t>(left.pieces, (around->end - row) / left.stride);
        rectangle(*around, row, rows * left.stride, column, column + left.bytes, use);
      } else if (suits && splits > 0) {
        in_rows({left.begin, in_row, left.stride, left.pieces}, use, splits - 1);
        return in_rows({left.begin + in_row, left.bytes - in_row, left.stride, left.pieces}, use, splits - 1);
      } else {
        piece_by_piece({left.begin, left.bytes, left.stride, rows}, use);
      }
      left.pieces -= rows;
      left.begin += rows * left.stride;
    }
  }
  template <class Use>
  void piece_by_piece(tile left, const Use& use) {
    for (; left.pieces > 0; --left.pieces, left.begin += left.stride)
      side_by_side(left.begin, left.begin + left.bytes, use);
  }
  /// The columns [from, to) of rows of a band: of so many bytes that begin with `begin`.
  template <class Use>
  void rectangle(band& of, std::uintptr_t begin, std::uintptr_t bytes, std::uintptr_t from, std::uintptr_t to,
                 const Use& use) {
    band& cut_off = of.begin < begin ? cut(of, begin) : of;
    if (cut_off.end > begin + bytes) (void)cut(cut_off, begin + bytes);
    use(cut_off.cells + from, cut_off.cells + to);
  }
  /// [TB2]
  template <class Use>
  void side_by_side(std::uintptr_t begin, std::uintptr_t end, const Use& use) {
    while (begin < end) {
      band* const around = all_.first_behind(begin);
      if (around == nullptr || around->begin >= end) return use(begin, end);
      if (begin < around->begin) use(std::exchange(begin, around->begin), around->begin);
      const std::uintptr_t until = std::min(end, around->end);
      const std::uintptr_t column = around->column_of(begin);
      const std::uintptr_t stride = around->stride;
      const std::uintptr_t row = begin - column;
      if (column > 0 || until < row + stride) {
        begin = std::min(until, row + stride);
        rectangle(*around, row, stride, column, begin - row, use);
      } else {
        const std::uintptr_t whole = (until - row) / stride * stride;
        begin += whole;
        rectangle(*around, row, whole, 0, stride, use);
      }
    }
  }
  template <class Use>
  void side_by_side_now(std::uintptr_t begin, std::uintptr_t end, const Use& use) const {
    for (const band* at = all_.first_behind(begin); begin < end; at = at->next) {
      if (at == nullptr || at->begin >= end) return use(begin, end);
      if (begin < at->begin) use(std::exchange(begin, at->begin), at->begin);
      const std::uintptr_t until = std::min(end, at->end);
      const std::uintptr_t from = at->column_of(begin);
      const std::uintptr_t to = from + (until - begin);
      if (to >= 2 * at->stride) use(at->cells, at->cells + at->stride);
      else {
        use(at->cells + from, at->cells + std::min(to, at->stride));
        if (to > at->stride) use(at->cells, at->cells + (to - at->stride));
      }
      begin = until;
    }
  }

  /// A band for the first piece and as many others as there is room for. nullptr: so many `rows` are not worth one,
  /// since there is no room for a whole row, or what is known there is known row by row. Throws std::bad_alloc.
  [[nodiscard]] band* make_around(const tile& what, std::size_t& rows);
  [[nodiscard]] static std::uintptr_t first_row_of(const tile& what, const band* left, const band* right) noexcept;
  [[nodiscard]] bool is_known_by_rows(const band& all) const noexcept;
  void move_into(const band& all);
  /// Returns the second half. Throws std::bad_alloc, and then the band is as it was.
  band& cut(band& one, std::uintptr_t border);
  void add(const band& like) { (void)all_.add(all_.last_until(like.begin), like); }
  [[nodiscard]] std::uintptr_t take_addresses(std::uintptr_t bytes);

  known_ranges& known_;
  ordered_cells<band>::store store_;
  ordered_cells<band> all_;
  std::uintptr_t next_address_ = first_band_address;
};

}  // namespace nearfork
