// Where the data cells of tiles lie. When each row of a tile was a cell, and a tile with a border of its neighbours in
// it cut each of theirs, a task that read such a tile of 64 rows and wrote one took 68 us, and its work 5.
//
// A *band* is some rows of a matrix, one behind the other: bytes of the program, `stride` from row to row. What tasks
// did to them is known by column alone: the cells of a band lie at *places*, which are addresses that no memory has,
// and stand for all of its rows. So the part of a tile that is in one band is one range of places. Where a tile begins
// or ends within a band, the band is cut, and both halves begin with what was known of the whole.
//
// [TB1] Each byte belongs to one band, or to none. Of bytes in a band only the places are known, of others only the
//      addresses: a band is made where nothing is known, or what is known moves into it.
// [TB2] A band has whole rows, what lies between the tiles included. So bytes side by side are in it a part of a row,
//      some whole rows, and a part of a row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <nearfork/detail/dataflow/access_parts.hpp>

#include "runtime/cells/cell_index.hpp"
#include "runtime/cells/link_store.hpp"

namespace nearfork {

/// What is known of some bytes, and of places.
class known_ranges {
 public:
  /// What is known of [begin, end) is known of as many places from `to` on, too. Nothing was known of those. Throws
  /// std::bad_alloc, and then it is known of some of them.
  virtual void copy(std::uintptr_t begin, std::uintptr_t end, std::uintptr_t to) = 0;
  /// What is known of [begin, end) is known in ranges that begin and end there. Returns whether there are any. Throws
  /// std::bad_alloc.
  virtual bool settle(std::uintptr_t begin, std::uintptr_t end) = 0;
  /// Adds the begins and ends of the known ranges that begin in [begin, end). Throws std::bad_alloc.
  virtual void add_borders(std::uintptr_t begin, std::uintptr_t end, std::vector<std::uintptr_t>& to) const = 0;
  /// A known range begins in [begin, end).
  [[nodiscard]] virtual bool has_any(std::uintptr_t begin, std::uintptr_t end) const noexcept = 0;
  /// Forgets the ranges that begin in [begin, end), which is settled.
  virtual void forget(std::uintptr_t begin, std::uintptr_t end) noexcept = 0;

 protected:
  ~known_ranges() = default;
};

class tile_bands {
 public:
  tile_bands(web_memory& memory, known_ranges& known) noexcept
      : known_(known), store_(memory), parts_(memory), order_(parts_) {}
  tile_bands(const tile_bands&) = delete;
  tile_bands& operator=(const tile_bands&) = delete;

  [[nodiscard]] static bool is_place(std::uintptr_t at) noexcept { return at >= first_place; }
  [[nodiscard]] bool is_empty() const noexcept { return count_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }

  /// Calls use(begin, end) for the ranges of bytes and of places that are those of the access. Makes and cuts bands as
  /// they are needed. Complexity: O(log n + k) for a tile in k of n bands. Throws std::bad_alloc.
  template <class Use>
  void for_each_range(const detail::access_parts& what, const Use& use) {
    const tile all{reinterpret_cast<std::uintptr_t>(what.data), what.bytes, what.stride_bytes, what.pieces};
    if (all.pieces > 1 && all.bytes <= all.stride && all.stride <= longest_row) return in_rows(all, use);
    for (std::size_t i = 0; i < all.pieces; ++i) {
      const std::uintptr_t begin = all.begin + i * all.stride;
      side_by_side(begin, begin + all.bytes, use);
    }
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
    std::uintptr_t place = 0;  // of the first byte of each row
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
  static constexpr std::uintptr_t first_place = std::uintptr_t{1} << 60;
  static constexpr std::uintptr_t last_place = std::uintptr_t{1} << 61;
  static constexpr std::uintptr_t longest_row = std::uintptr_t{1} << 36;

  /// A tile that is at most a row wide. Where the rows of a band begin within its pieces, what is on either side is a
  /// tile by itself: `splits` times, since each matrix may have rows of its own.
  template <class Use>
  void in_rows(tile left, const Use& use, int splits = 8) {
    while (left.pieces > 0) {
      const band* around = order_.last_until(left.begin);
      if (around == nullptr || around->end <= left.begin) around = make_around(left);
      const bool suits = around != nullptr && around->stride == left.stride;
      const std::uintptr_t column = suits ? around->column_of(left.begin) : 0;
      const std::uintptr_t in_row = left.stride - column;
      std::size_t rows = 1;
      if (suits && left.bytes <= in_row) {
        const std::uintptr_t row = left.begin - column;
        rows = std::min<std::size_t>(left.pieces, (around->end - row) / left.stride);
        rectangle(row, rows * left.stride, column, column + left.bytes, use);
      } else if (suits && splits > 0) {
        in_rows({left.begin, in_row, left.stride, left.pieces}, use, splits - 1);
        return in_rows({left.begin + in_row, left.bytes - in_row, left.stride, left.pieces}, use, splits - 1);
      } else {
        side_by_side(left.begin, left.begin + left.bytes, use);
      }
      left.pieces -= rows;
      left.begin += rows * left.stride;
    }
  }
  /// The columns [from, to) of the rows in so many bytes, which one band has, or had before it was cut.
  template <class Use>
  void rectangle(std::uintptr_t begin, std::uintptr_t bytes, std::uintptr_t from, std::uintptr_t to, const Use& use) {
    const std::uintptr_t end = begin + bytes;
    band* at = order_.last_until(begin);
    if (at->begin < begin) at = &cut(*at, begin);
    for (;; at = at->next) {
      if (at->end > end) (void)cut(*at, end);
      use(at->place + from, at->place + to);
      if (at->end == end) return;
    }
  }
  /// [TB2]
  template <class Use>
  void side_by_side(std::uintptr_t begin, std::uintptr_t end, const Use& use) {
    while (begin < end) {
      const band* const around = first_behind(begin);
      if (around == nullptr || around->begin >= end) return use(begin, end);
      if (begin < around->begin) use(std::exchange(begin, around->begin), around->begin);
      const std::uintptr_t until = std::min(end, around->end);
      const std::uintptr_t column = around->column_of(begin);
      const std::uintptr_t stride = around->stride;
      const std::uintptr_t row = begin - column;
      if (column > 0 || until < row + stride) {
        begin = std::min(until, row + stride);
        rectangle(row, stride, column, begin - row, use);
      } else {
        const std::uintptr_t whole = (until - row) / stride * stride;
        begin += whole;
        rectangle(row, whole, 0, stride, use);
      }
    }
  }
  template <class Use>
  void side_by_side_now(std::uintptr_t begin, std::uintptr_t end, const Use& use) const {
    for (const band* at = first_behind(begin); begin < end; at = at->next) {
      if (at == nullptr || at->begin >= end) return use(begin, end);
      if (begin < at->begin) use(std::exchange(begin, at->begin), at->begin);
      const std::uintptr_t until = std::min(end, at->end);
      const std::uintptr_t from = at->column_of(begin);
      const std::uintptr_t to = from + (until - begin);
      if (to >= 2 * at->stride) use(at->place, at->place + at->stride);
      else {
        use(at->place + from, at->place + std::min(to, at->stride));
        if (to > at->stride) use(at->place, at->place + (to - at->stride));
      }
      begin = until;
    }
  }

  /// The first band that ends behind this byte; nullptr: there is none.
  [[nodiscard]] band* first_behind(std::uintptr_t byte) const noexcept {
    band* const left = order_.last_until(byte);
    if (left == nullptr) return first_;
    return left->end > byte ? left : left->next;
  }
  /// A band for the first piece and as many others as there is room for. nullptr: there is no room for one. Throws
  /// std::bad_alloc.
  [[nodiscard]] const band* make_around(const tile& what);
  [[nodiscard]] static std::uintptr_t first_row_of(const tile& what, const band* left, const band* right) noexcept;
  void move_into(const band& all);
  /// Returns the second half. Throws std::bad_alloc, and then the band is as it was.
  band& cut(band& one, std::uintptr_t border);
  void add(const band& like);
  void drop(band& one) noexcept;
  [[nodiscard]] std::uintptr_t take_places(std::uintptr_t bytes);

  known_ranges& known_;
  link_store<band> store_;
  cell_index<band>::parts parts_;
  cell_index<band> order_;
  band* first_ = nullptr;
  std::size_t count_ = 0;
  std::uintptr_t next_place_ = first_place;
};

}  // namespace nearfork
