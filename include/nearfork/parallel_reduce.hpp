#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <nearfork/fork_join.hpp>
#include <nearfork/loop_options.hpp>

namespace nearfork {
namespace detail {

template <class T, class Map, class Combine>
T reduce_tree(std::size_t lo, std::size_t hi, const T& identity, Map& map, Combine& combine, std::size_t grain,
              const cancellation_token& cancel) {
  if (hi - lo <= grain) return cancel.cancelled() ? identity : map(lo, hi, identity);
  const std::size_t middle = lo + (hi - lo) / 2;
  auto [left, right] =
      fork_join([&, lo, middle] { return reduce_tree(lo, middle, identity, map, combine, grain, cancel); },
                [&, middle, hi] { return reduce_tree(middle, hi, identity, map, combine, grain, cancel); });
  return combine(std::move(left), std::move(right));
}

}  // namespace detail

/// Folds [first, last): each leaf starts from `identity` and calls map(lo, hi, accumulated) -> T, neighbours are joined by
/// combine(left, right). The tree depends on the range and the grain alone: the answer is the same bit for bit for any
/// number of workers, also for floating point. combine must be associative up to what the caller tolerates;
/// it need not be commutative. Cancelled leaves count as `identity`.
template <class I, class T, class Map, class Combine>
  requires std::is_integral_v<I>
[[nodiscard]] T parallel_reduce_range(I first, I last, T identity, Map&& map, Combine&& combine,
                                      const loop_options& options = {}) {
  if (!(first < last)) return identity;
  if (!detail::inside_worker)
    return run([&] { return parallel_reduce_range(first, last, identity, map, combine, options); });
  using offset = std::make_unsigned_t<I>;
  const std::size_t count = static_cast<offset>(static_cast<offset>(last) - static_cast<offset>(first));
  auto leaf = [&](std::size_t lo, std::size_t hi, const T& start) -> T {
    return map(static_cast<I>(static_cast<offset>(first) + static_cast<offset>(lo)),
               static_cast<I>(static_cast<offset>(first) + static_cast<offset>(hi)), start);
  };
  return detail::reduce_tree<T>(0, count, identity, leaf, combine, detail::deterministic_grain(count, options.grain),
                                options.cancel);
}

/// combine(... combine(identity, map(first)) ..., map(last - 1)) in a fixed tree: see parallel_reduce_range.
template <class I, class T, class Map, class Combine>
  requires std::is_integral_v<I>
[[nodiscard]] T parallel_reduce(I first, I last, T identity, Map&& map, Combine&& combine,
                                const loop_options& options = {}) {
  return parallel_reduce_range(
      first, last, std::move(identity),
      [&](I lo, I hi, T accumulated) {
        for (I i = lo; i != hi; ++i) accumulated = combine(std::move(accumulated), map(i));
        return accumulated;
      },
      combine, options);
}

}  // namespace nearfork
