#pragma once

#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <nearfork/parallel_for.hpp>

namespace nearfork {
namespace detail {

template <class T, class Map, class Combine>
T reduce_tree(std::size_t lo, std::size_t hi, const T& identity, Map& map, Combine& combine, std::size_t grain,
              loop_scope& loop) {
  if (loop.must_stop()) return identity;
  if (hi - lo <= grain) {
    try {
      return map(lo, hi, identity);
    } catch (...) {
      loop.fail(lo);
    }
    return identity;
  }
  const std::size_t middle = lo + (hi - lo) / 2;
  auto [left, right] =
      fork_join([&, lo, middle] { return reduce_tree(lo, middle, identity, map, combine, grain, loop); },
                [&, middle, hi] { return reduce_tree(middle, hi, identity, map, combine, grain, loop); });
  return combine(std::move(left), std::move(right));
}

}  // namespace detail

/// Folds [first, last): each leaf starts from `identity` and calls map(lo, hi, accumulated) -> T, neighbours are joined by
/// combine(left, right). The tree depends on the range and the grain alone: the answer is the same bit for bit for any
/// number of workers, also for floating point. combine must be associative up to what the caller tolerates;
/// it need not be commutative. Throws: as parallel_for_range. Leaves that options.cancel cancelled count as `identity`.
template <detail::loop_index I, class T, class Map, class Combine>
[[nodiscard]] T parallel_reduce_range(I first, I last, T identity, Map&& map, Combine&& combine,
                                      const loop_options& options = {}) {
  if (!(first < last)) return identity;
  if (!detail::inside_worker)
    return run([&] { return parallel_reduce_range(first, last, identity, map, combine, options); });
  const std::size_t count = detail::length_of(first, last);
  const std::size_t grain = detail::deterministic_grain(count, options.grain);
  auto leaf = [&](std::size_t lo, std::size_t hi, const T& start) -> T {
    return map(detail::index_behind(first, lo), detail::index_behind(first, hi), start);
  };
  std::optional<T> result;
  detail::in_loop_scope(options.cancel, [&](detail::loop_scope& loop) {
    result.emplace(detail::reduce_tree<T>(0, count, identity, leaf, combine, grain, loop));
  });
  return result ? std::move(*result) : std::move(identity);
}

/// combine(... combine(identity, map(first)) ..., map(last - 1)) in a fixed tree: see parallel_reduce_range.
template <detail::loop_index I, class T, class Map, class Combine>
[[nodiscard]] T parallel_reduce(I first, I last, T identity, Map&& map, Combine&& combine,
                                const loop_options& options = {}) {
  return parallel_reduce_range(
      first, last, std::move(identity),
      [&](I lo, I hi, T accumulated) {
        detail::in_cancellable_steps(lo, hi, [&](I from, I to) {
          for (I i = from; i != to; ++i) accumulated = combine(std::move(accumulated), map(i));
        });
        return accumulated;
      },
      combine, options);
}

}  // namespace nearfork
