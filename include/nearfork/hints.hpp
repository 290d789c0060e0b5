// Hints: a task says what it reads and writes, so that recordings (NEARFORK_RECORD) are exact, and so that policies
// that move hot data know which are. A hint changes no result. While no runtime records or gauges, a hint costs one
// predictable branch.
#pragma once

#include <nearfork/detail/language.hpp>

#include <cstddef>
#include <ranges>
#include <span>
#include <type_traits>

#include <nearfork/detail/recording.hpp>

namespace nearfork {
namespace detail {

template <class T>
inline void hint(hinted_access kind, const T* first, std::size_t count, std::size_t pieces,
                 std::size_t stride) noexcept {
  if (anybody_records()) [[unlikely]]
    note_hint(kind, {first, count * sizeof(T), pieces, stride * sizeof(T)});
}

}  // namespace detail

/// Says that the running task reads these elements in its current stretch: its own work between the last fork and the
/// next. Repeat the hint for each pass over the elements.
///
///     nearfork::array<double> in(1 << 16), out(1 << 16);
///     nearfork::parallel_for_range(std::size_t{0}, in.size(), [&](std::size_t lo, std::size_t hi) {
///       nearfork::reads(std::span(in.data() + lo, hi - lo));
///       nearfork::writes(std::span(out.data() + lo, hi - lo));
///       for (std::size_t i = lo; i != hi; ++i) out[i] = 2 * in[i];
///     });
///
/// Outside recorded and gauged tasks nothing happens.
/// Complexity: constant. Thread-safety: any thread.
template <std::ranges::contiguous_range Range>
  requires std::ranges::sized_range<Range>
void reads(const Range& data) noexcept {
  detail::hint(detail::hinted_access::read, std::ranges::data(data), std::ranges::size(data), 1, 0);
}
/// The same for `count` single elements that lie `stride` elements apart, such as a column of a matrix.
template <class T>
void reads(const T* first, std::size_t count, std::size_t stride) noexcept {
  detail::hint(detail::hinted_access::read, first, 1, count, stride);
}
/// The same for `count` pieces as long as the first, whose begins lie `stride` elements apart, such as a tile of a
/// matrix.
template <class T>
void reads(std::span<T> first_piece, std::size_t count, std::size_t stride) noexcept {
  detail::hint(detail::hinted_access::read, first_piece.data(), first_piece.size(), count, stride);
}

/// As reads(), for elements that the task writes. A task that updates elements in place both reads and writes them:
/// give both hints.
template <std::ranges::contiguous_range Range>
  requires std::ranges::sized_range<Range>
void writes(const Range& data) noexcept {
  detail::hint(detail::hinted_access::write, std::ranges::data(data), std::ranges::size(data), 1, 0);
}
/// The same for single elements: see reads().
template <class T>
void writes(const T* first, std::size_t count, std::size_t stride) noexcept {
  detail::hint(detail::hinted_access::write, first, 1, count, stride);
}
/// The same for pieces: see reads().
template <class T>
void writes(std::span<T> first_piece, std::size_t count, std::size_t stride) noexcept {
  detail::hint(detail::hinted_access::write, first_piece.data(), first_piece.size(), count, stride);
}

/// Names data for recordings while the object lives. Data blocks without a name are called "data 1", "data 2" and so
/// on.
///
///     const nearfork::data_name named("grid", grid);
///
/// The name counts for iterations during which the object lives, at least in part. If names overlap, the first one in a
/// recording wins. Names count that were given before the first runtime was made.
/// Complexity: one branch while no runtime records; else, and until the first runtime is made, it takes a lock.
/// Thread-safety: any thread.
/// Throws: std::bad_alloc in the constructor.
class data_name {
 public:
  /// Names the elements of `data`.
  template <std::ranges::contiguous_range Range>
    requires std::ranges::sized_range<Range>
  data_name(const char* name, const Range& data) {
    if (detail::anybody_records()) [[unlikely]]
      noted_ =
          detail::note_name(name, std::ranges::data(data), std::ranges::size(data) * sizeof(*std::ranges::data(data)));
  }
  ~data_name() {
    if (noted_ != 0) [[unlikely]]
      detail::drop_name(noted_);
  }
  data_name(const data_name&) = delete;
  data_name& operator=(const data_name&) = delete;

 private:
  std::uint64_t noted_ = 0;
};

}  // namespace nearfork
