// What a task reads and writes, for recordings (NEARFORK_RECORD). A hint costs a predictable branch where nobody records, and
// changes nothing but the recording.
#pragma once

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

/// The running task reads these elements in this stretch of its own work, between the fork before and the fork to come.
/// Say it for each pass over them. Any thread; outside recorded tasks nothing happens. Constant time.
template <std::ranges::contiguous_range Range>
  requires std::ranges::sized_range<Range>
void reads(const Range& data) noexcept {
  detail::hint(detail::hinted_access::read, std::ranges::data(data), std::ranges::size(data), 1, 0);
}
/// `count` elements, `stride` elements from one to the next: a column of a matrix.
template <class T>
void reads(const T* first, std::size_t count, std::size_t stride) noexcept {
  detail::hint(detail::hinted_access::read, first, 1, count, stride);
}
/// `count` pieces like the first, `stride` elements from begin to begin: a tile of a matrix.
template <class T>
void reads(std::span<T> first_piece, std::size_t count, std::size_t stride) noexcept {
  detail::hint(detail::hinted_access::read, first_piece.data(), first_piece.size(), count, stride);
}

/// As reads(). What a task updates in place it reads and writes: say both.
template <std::ranges::contiguous_range Range>
  requires std::ranges::sized_range<Range>
void writes(const Range& data) noexcept {
  detail::hint(detail::hinted_access::write, std::ranges::data(data), std::ranges::size(data), 1, 0);
}
template <class T>
void writes(const T* first, std::size_t count, std::size_t stride) noexcept {
  detail::hint(detail::hinted_access::write, first, 1, count, stride);
}
template <class T>
void writes(std::span<T> first_piece, std::size_t count, std::size_t stride) noexcept {
  detail::hint(detail::hinted_access::write, first_piece.data(), first_piece.size(), count, stride);
}

/// What recordings call this data, while the object lives: the blocks of a recording have names, and those that nobody
/// named are "data 1", "data 2" and so on. It counts for iterations that end meanwhile. Where names overlap the first one of
/// a recording wins. Any thread; takes a lock, where somebody records.
class data_name {
 public:
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
