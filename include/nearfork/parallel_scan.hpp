#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include <nearfork/parallel_for.hpp>
#include <nearfork/parallel_reduce.hpp>

namespace nearfork {
namespace detail {

enum class scan_kind : unsigned char { inclusive, exclusive };

/// Written by several threads at once, as the elements of a std::vector<bool> must not be.
template <class T>
struct block_fold {
  T value;
};
/// True for the elements that iterators of std::vector<bool> give: eight of them share a byte.
template <class It>
inline constexpr bool gives_shared_bits = std::is_same_v<std::iter_reference_t<It>, std::vector<bool>::reference>;

/// Two passes over fixed blocks: fold each block, scan the folds, then scan each block from its start value.
/// 2n applications of op, n/blocks + blocks of them one after another.
template <scan_kind Kind, class It, class Out, class T, class Op>
T scan_blocks(It first, std::size_t count, Out out, T identity, Op& op, const loop_options& options) {
  using distance = typename std::iterator_traits<It>::difference_type;
  const std::size_t grain = deterministic_grain(count, options.grain);
  const std::size_t blocks = count / grain + (count % grain != 0 ? 1 : 0);
  std::vector<block_fold<T>> starts(blocks, block_fold<T>{identity});
  const auto each_block = [&](auto&& act) {
    parallel_for(
        std::size_t{0}, blocks,
        [&](std::size_t block) { act(block, block * grain, block * grain + std::min(grain, count - block * grain)); },
        {.grain = 0, .cancel = options.cancel});
  };
  each_block([&](std::size_t block, std::size_t lo, std::size_t hi) {
    T folded = identity;
    for (std::size_t i = lo; i != hi; ++i) folded = op(std::move(folded), first[static_cast<distance>(i)]);
    starts[block].value = std::move(folded);
  });
  T total = identity;
  for (block_fold<T>& start : starts) {
    T next = op(total, start.value);
    start.value = std::exchange(total, std::move(next));
  }
  each_block([&](std::size_t block, std::size_t lo, std::size_t hi) {
    T running = starts[block].value;
    for (std::size_t i = lo; i != hi; ++i) {
      // Read before write: the output may be the input.
      T next = op(running, first[static_cast<distance>(i)]);
      if constexpr (Kind == scan_kind::inclusive) out[static_cast<distance>(i)] = next;
      else out[static_cast<distance>(i)] = running;
      running = std::move(next);
    }
  });
  return total;
}

template <scan_kind Kind, class It, class Out, class T, class Op>
T scan(It first, It last, Out out, T identity, Op& op, const loop_options& options) {
  static_assert(!gives_shared_bits<Out>,
                "a scan cannot write to std::vector<bool>: its elements share bytes between threads");
  if (!(first < last)) return identity;
  const auto count = static_cast<std::size_t>(last - first);
  return nearfork::run([&] { return scan_blocks<Kind>(first, count, out, std::move(identity), op, options); });
}

}  // namespace detail

/// out[i] = first[0] op ... op first[i]. Random-access iterators; out may be first. Returns the fold of all.
/// The blocks depend on the length and the grain alone: same answer bit for bit for any number of workers.
/// op must be associative up to what the caller tolerates. A scan that options.cancel ended leaves parts of `out` unwritten.
/// Throws: as parallel_for_range.
template <class It, class Out, class T, class Op>
T parallel_scan_inclusive(It first, It last, Out out, T identity, Op op, const loop_options& options = {}) {
  return detail::scan<detail::scan_kind::inclusive>(first, last, out, std::move(identity), op, options);
}

/// out[i] = identity op first[0] op ... op first[i - 1]; otherwise as parallel_scan_inclusive.
template <class It, class Out, class T, class Op>
T parallel_scan_exclusive(It first, It last, Out out, T identity, Op op, const loop_options& options = {}) {
  return detail::scan<detail::scan_kind::exclusive>(first, last, out, std::move(identity), op, options);
}

}  // namespace nearfork
