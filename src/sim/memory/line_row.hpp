// What a cache does with one of its rows: entries in the order of their last use, compared and moved sixteen bytes at a
// time, in the vector extension of gcc and clang. Neither compiler makes vector instructions of the plain loops for
// baseline x86-64, and comparing and moving rows is most of what a simulation does.
//
// A row has as many entries as its cache has ways, and then vacant ones up to a multiple of sixteen bytes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace nearfork::sim {

/// `Ways`: of all rows; 0: known only where the row is made.
template <class Entry, std::uint32_t Ways>
class line_row {
  static_assert((sizeof(Entry) == 2 || sizeof(Entry) == 4) && Ways <= 16);

 public:
  static constexpr std::uint32_t lanes = 16 / sizeof(Entry);  // entries in sixteen bytes
  static constexpr Entry vacant = 0;

  line_row(Entry* first, std::uint32_t ways) noexcept : first_(first), ways_(Ways != 0 ? Ways : ways) {}

  [[nodiscard]] Entry first() const noexcept { return *first_; }
  [[nodiscard]] Entry last() const noexcept { return first_[ways() - 1]; }

  /// The place of `wanted`, which is not vacant; ways() or more: it is not in the row.
  [[nodiscard]] std::uint32_t position(Entry wanted) const noexcept {
    if constexpr (Ways == 2) {
      return first_[0] == wanted ? 0 : first_[1] == wanted ? 1 : 2;
    } else if constexpr (Ways != 0) {
      const std::uint32_t found = places<(Ways + lanes - 1) / lanes>(first_, wanted);
      return found == 0 ? Ways : static_cast<std::uint32_t>(std::countr_zero(found));
    } else {
      std::uint32_t from = 0;
      for (; from + 16 <= ways_; from += 16)
        if (const std::uint32_t found = places<16 / lanes>(first_ + from, wanted); found != 0)
          return from + static_cast<std::uint32_t>(std::countr_zero(found));
      for (; from < ways_; from += lanes)
        if (const std::uint32_t found = places<1>(first_ + from, wanted); found != 0)
          return from + static_cast<std::uint32_t>(std::countr_zero(found));
      return ways_;
    }
  }
  /// Moves the entries before `place`, which is one of the row, one place back, and puts `wanted` first.
  void put_first(Entry wanted, std::uint32_t place) noexcept {
    if constexpr (Ways == 2) {
      if (place != 0) first_[1] = first_[0];
      first_[0] = wanted;
      return;
    }
    if constexpr (Ways == 0)
      if (place >= long_move) {
        std::memmove(first_ + 1, first_, place * sizeof *first_);
        first_[0] = wanted;
        return;
      }
    for (std::uint32_t from = place / lanes * lanes; from != 0; from -= lanes) {
      const entries moved = entries_at(first_ + from - 1);
      put(first_ + from, from + lanes <= place ? moved : until(place - from, moved, entries_at(first_ + from)));
    }
    const entries were = entries_at(first_);
    entries moved = one_back(were);
    moved[0] = wanted;
    put(first_, lanes <= place ? moved : until(place, moved, were));
  }
  /// As put_first() with the last place, whose entry is lost.
  void push(Entry wanted) noexcept { put_first(wanted, ways() - 1); }
  /// Moves the entries behind `place` one place forward, over the one there.
  void remove(std::uint32_t place) noexcept {
    if constexpr (Ways == 2) {
      if (place == 0) first_[0] = first_[1];
      first_[1] = vacant;
      return;
    }
    if constexpr (Ways == 0)
      if (ways_ - place > long_move) {
        std::memmove(first_ + place, first_ + place + 1, (ways_ - 1 - place) * sizeof *first_);
        first_[ways_ - 1] = vacant;
        return;
      }
    for (std::uint32_t from = place / lanes * lanes; from < ways(); from += lanes) {
      const entries were = entries_at(first_ + from);
      const entries moved = from + lanes < ways() ? entries_at(first_ + from + 1) : one_forward(were);
      put(first_ + from, from >= place ? moved : until(place - from - 1, were, moved));
    }
  }

 private:
  /// So many entries are moved by memmove, which is called, in last levels of 48 ways and more.
  static constexpr std::uint32_t long_move = 16;

  using entries [[gnu::vector_size(16)]] = Entry;
  using number = std::conditional_t<sizeof(Entry) == 2, std::int16_t, std::int32_t>;
  using whole [[gnu::vector_size(16)]] = number;
  using halves [[gnu::vector_size(16)]] = std::uint64_t;

  [[nodiscard]] std::uint32_t ways() const noexcept { return Ways != 0 ? Ways : ways_; }

  [[nodiscard]] static entries entries_at(const Entry* from) noexcept {
    entries some;
    std::memcpy(&some, from, sizeof some);
    return some;
  }
  static void put(Entry* to, entries some) noexcept { std::memcpy(to, &some, sizeof some); }

  [[nodiscard]] static whole numbers() noexcept {
    if constexpr (sizeof(Entry) == 2) return whole{0, 1, 2, 3, 4, 5, 6, 7};
    else return whole{0, 1, 2, 3};
  }
  // Shuffled with a vector of zeros, which both compilers make one shift of.
  [[nodiscard]] static entries one_back(entries of) noexcept {
    const entries zero{};
    if constexpr (sizeof(Entry) == 2) return __builtin_shufflevector(of, zero, 8, 0, 1, 2, 3, 4, 5, 6);
    else return __builtin_shufflevector(of, zero, 4, 0, 1, 2);
  }
  [[nodiscard]] static entries one_forward(entries of) noexcept {
    const entries zero{};
    if constexpr (sizeof(Entry) == 2) return __builtin_shufflevector(of, zero, 1, 2, 3, 4, 5, 6, 7, 8);
    else return __builtin_shufflevector(of, zero, 1, 2, 3, 4);
  }
  /// The entries of `one` up to `place`, those of `other` behind it.
  [[nodiscard]] static entries until(std::uint32_t place, entries one, entries other) noexcept {
    const whole behind = numbers() > static_cast<number>(place);
    const auto mask = reinterpret_cast<entries>(behind);
    return (one & ~mask) | (other & mask);
  }

  /// A bit for each entry of `Vectors` times sixteen bytes that is `wanted`, the first one lowest.
  template <std::uint32_t Vectors>
  [[nodiscard]] static std::uint32_t places(const Entry* from, Entry wanted) noexcept {
    entries bits = numbers_as_bits();
    entries found = reinterpret_cast<entries>(entries_at(from) == wanted) & bits;
    for (std::uint32_t i = 1; i < Vectors; ++i) {
      bits <<= lanes;
      found |= reinterpret_cast<entries>(entries_at(from + i * lanes) == wanted) & bits;
    }
    const auto half = reinterpret_cast<halves>(found);
    std::uint64_t both = half[0] | half[1];
    both |= both >> 32;
    if constexpr (sizeof(Entry) == 2) both |= both >> 16;
    return static_cast<std::uint32_t>(both & 0xffff);
  }
  [[nodiscard]] static entries numbers_as_bits() noexcept {
    if constexpr (sizeof(Entry) == 2) return entries{1, 2, 4, 8, 16, 32, 64, 128};
    else return entries{1, 2, 4, 8};
  }

  Entry* first_;
  std::uint32_t ways_;
};

}  // namespace nearfork::sim
