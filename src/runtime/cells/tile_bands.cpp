#include "runtime/cells/tile_bands.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace nearfork {

void tile_bands::drop_unknown() noexcept {
  for (band* each = all_.first(); each != nullptr;) {
    band& one = *std::exchange(each, each->next);
    if (known_.count(one.cells, one.cells + one.stride, 1) == 0) all_.drop(one);
  }
}

void tile_bands::drop_all() noexcept {
  all_.drop_all([](const band&) {});
  next_address_ = first_band_address;
}

/// Rows that suit those of bands nearby, which may be of the same matrix. Other matrices lie farther away.
std::uintptr_t tile_bands::first_row_of(const tile& what, const band* left, const band* right) noexcept {
  const std::uintptr_t near = 4 * what.pieces * what.stride;
  if (left != nullptr && left->stride == what.stride && what.begin - left->end < near)
    return what.begin - left->column_of(what.begin);
  if (right == nullptr || right->stride != what.stride || right->begin - what.begin >= near) return what.begin;
  const std::uintptr_t row = right->begin - (right->begin - what.begin + what.stride - 1) / what.stride * what.stride;
  return left == nullptr || left->end <= row ? row : what.begin;
}

/// Judged by some of the rows. Bands of one row gain nothing: tiles of rows that had been written one by one took 1.3
/// times as long.
bool tile_bands::is_known_by_rows(const band& all) const noexcept {
  const std::uintptr_t rows = (all.end - all.begin) / all.stride;
  constexpr std::uintptr_t looks = 4;
  for (std::uintptr_t i = 0; i < std::min(rows, looks); ++i) {
    const std::uintptr_t row = all.begin + (rows <= looks ? i : i * (rows - 1) / (looks - 1)) * all.stride;
    if (known_.count(row, row + all.stride, 1) == 0) return false;
  }
  return true;
}

tile_bands::band* tile_bands::make_around(const tile& what, std::size_t& rows) {
  band* const left = all_.last_until(what.begin);
  const band* const right = all_.behind(left);
  const std::uintptr_t row = first_row_of(what, left, right);
  std::size_t room = what.pieces;
  if (right != nullptr) room = std::min(room, (right->begin - row) / what.stride);
  if (room == 0) return nullptr;
  const band all{.begin = row, .end = row + room * what.stride, .stride = what.stride};
  if (is_known_by_rows(all)) {
    rows = room;
    return nullptr;
  }
  known_.settle(all.begin, all.end);
  if (known_.count(all.begin, all.end, 1) > 0) move_into(all);
  else add({.begin = all.begin, .end = all.end, .stride = all.stride, .cells = take_addresses(all.stride)});
  return all_.last_until(what.begin);
}

/// [TB1] A row in which a known range begins or ends is a band by itself. Of the rows between two such rows the same is
/// known.
void tile_bands::move_into(const band& all) {
  std::vector<std::uintptr_t> rows{all.begin, all.end};
  known_.add_borders(all.begin, all.end, rows);
  for (std::size_t i = rows.size(); i-- > 2;) {
    const std::uintptr_t column = all.column_of(rows[i]);
    rows[i] -= column;
    if (column > 0) rows.push_back(rows[i] + all.stride);
  }
  std::ranges::sort(rows);
  rows.erase(std::ranges::unique(rows).begin(), rows.end());
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    const band made{.begin = rows[i], .end = rows[i + 1], .stride = all.stride, .cells = take_addresses(all.stride)};
    known_.settle(made.begin, made.end);
    known_.copy(made.begin, made.begin + made.stride, made.cells);
    add(made);
    known_.forget(made.begin, made.end);
  }
}

tile_bands::band& tile_bands::cut(band& one, std::uintptr_t border) {
  const std::uintptr_t cells = take_addresses(one.stride);
  known_.copy(one.cells, one.cells + one.stride, cells);
  band& made = all_.add(&one, {.begin = border, .end = one.end, .stride = one.stride, .cells = cells});
  one.end = border;
  return made;
}

/// A read of whole rows then is a read of one block or a few: see read_blocks::at().
std::uintptr_t tile_bands::take_addresses(std::uintptr_t bytes) {
  const std::uintptr_t size = std::bit_ceil(bytes + 1);  // no row touches another one
  const std::uintptr_t begin = (next_address_ + size - 1) & ~(size - 1);
  if (end_of_band_addresses - begin < size) throw std::bad_alloc();
  next_address_ = begin + size;
  return begin;
}

}  // namespace nearfork
