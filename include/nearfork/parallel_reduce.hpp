#pragma once

#include <nearfork/detail/language.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>

#include <nearfork/detail/short_loop.hpp>
#include <nearfork/detail/tasks/private_fork.hpp>
#include <nearfork/parallel_for.hpp>

namespace nearfork {
namespace detail {

/// Sums of small integers are of type int.
template <class T, class Combine>
concept promotes = std::is_integral_v<T> && sizeof(T) < sizeof(int) && std::is_invocable_v<Combine&, T, T> &&
                   std::is_same_v<std::invoke_result_t<Combine&, T, T>, int>;
/// combine() with a cast of such sums: the program gets no warning that they are narrowed.
template <class T, class Combine>
struct narrowing {
  Combine& combine;
  template <class Left, class Right>
  NEARFORK_INLINE T operator()(Left&& left, Right&& right) const {
    return static_cast<T>(combine(std::forward<Left>(left), std::forward<Right>(right)));
  }
};
template <class T, class Combine>
NEARFORK_INLINE decltype(auto) combining(Combine& combine) noexcept {
  if constexpr (promotes<T, Combine>) return narrowing<T, Combine>{combine};
  else return (combine);
}

/// Leaves of up to so many indices need no call each.
inline constexpr std::size_t most_in_short_leaf = 8;
using one_index = std::integral_constant<std::size_t, 1>;

/// Folds the leaves of [lo, hi) in the tree's order, without forks. `leaf` has the form leaf(lo, hi) -> T, and is
/// short. Up to four leaves need one call: a call for each takes longer than many a leaf (parallel_reduce of 1000
/// doubles: 2.4 us so, and 1.0 us with this). `grain` is a number or `one_index`, with which 1000 doubles take 1.1 us
/// in place of 1.5.
template <class T, class Grain, class Leaf, class Combine>
T reduce_short_leaves(std::size_t lo, std::size_t hi, Grain grain, const Leaf& leaf, Combine& combine) {
  constexpr bool singles = std::is_same_v<Grain, one_index>;
  const auto two = [&](std::size_t from, std::size_t to) __attribute__((__always_inline__)) -> T {
    const std::size_t middle = singles ? from + 1 : from + (to - from) / 2;
    T left = leaf(from, middle);
    return combine(std::move(left), leaf(middle, singles ? from + 2 : to));
  };
  const auto up_to_two = [&](std::size_t from, std::size_t to) __attribute__((__always_inline__)) -> T {
    return to - from <= grain ? leaf(from, singles ? from + 1 : to) : two(from, to);
  };
  if (hi - lo <= 2 * grain) return up_to_two(lo, hi);
  const std::size_t middle = lo + (hi - lo) / 2;
  if (hi - lo <= 4 * grain) {
    T left = up_to_two(lo, middle);
    return combine(std::move(left), two(middle, hi));
  }
  T left = reduce_short_leaves<T>(lo, middle, grain, leaf, combine);
  return combine(std::move(left), reduce_short_leaves<T>(middle, hi, grain, leaf, combine));
}

/// The leaves of a fold. `leaf` has the form leaf(lo, hi, start, loop) -> T; without a loop the leaf does not look for
/// a cancellation. `short_ones` folds a subtree whose leaves have few indices each, and has the form
/// short_ones(lo, hi, grain, start) -> T.
template <class Leaf, class ShortOnes>
struct leaves {
  const Leaf& leaf;
  const ShortOnes& short_ones;
  template <class T>
  NEARFORK_INLINE T operator()(std::size_t lo, std::size_t hi, const T& start, loop_scope* loop) const {
    return leaf(lo, hi, start, loop);
  }
};
template <class Leaf, class ShortOnes>
leaves(const Leaf&, const ShortOnes&) -> leaves<Leaf, ShortOnes>;  // clang needs it up to 16

/// Folds the leaves of [lo, hi) in the tree's order, without forks. They are quick, as far as is known.
template <class T, class Map, class Combine>
T reduce_quick_leaves(std::size_t lo, std::size_t hi, const T& identity, const Map& map, Combine& combine,
                      std::size_t grain) {
  const auto half = [&](std::size_t from, std::size_t to) __attribute__((__always_inline__)) -> T {
    if (to - from <= grain) return map(from, to, identity, nullptr);  // here: a leaf needs no call
    return reduce_quick_leaves(from, to, identity, map, combine, grain);
  };
  const std::size_t middle = lo + (hi - lo) / 2;
  T left = half(lo, middle);
  return combine(std::move(left), half(middle, hi));
}

/// Folds [lo, hi) in the tree's order, without forks.
template <class T, class Map, class Combine>
T reduce_in_place(std::size_t lo, std::size_t hi, const T& identity, const Map& map, Combine& combine,
                  std::size_t grain, loop_scope* loop) {
  if (hi - lo <= grain) return map(lo, hi, identity, loop);
  if (grain == 1) return map.short_ones(lo, hi, one_index(), identity);
  if (grain <= most_in_short_leaf) return map.short_ones(lo, hi, grain, identity);
  return reduce_quick_leaves(lo, hi, identity, map, combine, grain);
}

/// The same. What throws ends the loop.
template <class T, class Map, class Combine>
T reduce_or_fail(std::size_t lo, std::size_t hi, const T& identity, const Map& map, Combine& combine, std::size_t grain,
                 loop_scope& loop) {
  try {
    return reduce_in_place(lo, hi, identity, map, combine, grain, &loop);
  } catch (...) {
    loop.fail(lo);
  }
  return identity;
}

/// What `combine` makes of two parts, of which `left` begins at `lo`. A part that failed has no value to be combined.
template <class T, class Combine>
T joined(T& left, T& right, Combine& combine, loop_scope& loop, std::size_t lo) {
  try {
    if (!loop.has_failed()) return combine(std::move(left), std::move(right));
  } catch (...) {
    loop.fail(lo);
  }
  return std::move(left);  // it does not count
}

/// The same. If some leaves are slow, others take the parts that have not begun.
template <class T, class Map, class Combine>
T reduce_in_parts(std::size_t lo, std::size_t hi, const T& identity, const Map& map, Combine& combine,
                  std::size_t grain, loop_scope& loop, std::size_t most) {
  if (hi - lo <= most) return reduce_or_fail(lo, hi, identity, map, combine, grain, loop);
  const std::size_t middle = lo + (hi - lo) / 2;
  auto [left, right] = fork_privately(
      [&, lo, middle] { return reduce_in_parts(lo, middle, identity, map, combine, grain, loop, most); },
      [&, middle, hi] { return reduce_in_parts(middle, hi, identity, map, combine, grain, loop, most); });
  return joined<T>(left, right, combine, loop, lo);
}

/// The same for a subtree that is short, as far as is known. Measures how long it takes, and says so to the others.
template <class T, class Map, class Combine>
T reduce_subtree(std::size_t lo, std::size_t hi, const T& identity, const Map& map, Combine& combine, std::size_t grain,
                 loop_scope& loop) {
  const bool timed = hi - lo > loop.batch() / 2;  // the others tell nothing new, and reading the clock takes 20 ns
  const std::uint64_t before = timed ? coarse_ticks() : 0;
  T folded = reduce_in_parts(lo, hi, identity, map, combine, grain, loop, std::max(grain, part_of_piece(hi - lo)));
  if (timed) loop.note_subtree(hi - lo, coarse_ticks() - before);
  return folded;
}

/// Folds [lo, hi). The result does not count if the loop failed or was cancelled. Subtrees that take a few microseconds
/// are folded in place: 200 quick leaves take 4.8 us with a fork for each, and 0.5 us so. But plans and profiles see
/// each fork.
template <class T, class Map, class Combine>
T reduce_tree(std::size_t lo, std::size_t hi, const T& identity, const Map& map, Combine& combine, std::size_t grain,
              loop_scope& loop) {
  if (loop.must_stop()) return identity;
  if (hi - lo <= grain || (loop.is_batch(lo, hi) && this_fiber().cursor == nullptr))
    return reduce_subtree(lo, hi, identity, map, combine, grain, loop);
  const std::size_t middle = lo + (hi - lo) / 2;
  auto [left, right] =
      fork_join([&, lo, middle] { return reduce_tree(lo, middle, identity, map, combine, grain, loop); },
                [&, middle, hi] { return reduce_tree(middle, hi, identity, map, combine, grain, loop); });
  return joined<T>(left, right, combine, loop, lo);
}

/// The same by the caller alone, piece by piece. Once that takes too long, the rest of the tree is open to others.
template <class T, class Map, class Combine>
T reduce_alone(std::size_t lo, std::size_t hi, const T& identity, const Map& map, Combine& combine, std::size_t grain,
               loop_scope& loop, lone_pieces& pieces) {
  if (pieces.are_over()) return reduce_tree(lo, hi, identity, map, combine, grain, loop);
  if (loop.must_stop()) return identity;
  if (hi - lo <= std::max(grain, pieces.step())) {
    T folded = reduce_or_fail(lo, hi, identity, map, combine, grain, loop);
    pieces.piece_ended();
    return folded;
  }
  const std::size_t middle = lo + (hi - lo) / 2;
  T left = reduce_alone(lo, middle, identity, map, combine, grain, loop, pieces);
  T right = reduce_alone(middle, hi, identity, map, combine, grain, loop, pieces);
  return joined<T>(left, right, combine, loop, lo);
}

/// The same without a scope, as long as nobody asks for work and nothing is cancelled: nobody else has a part of this
/// fold, so what is thrown just leaves. `rest` folds a part in a scope. `piece`: looks are so many indices apart.
template <class T, class Map, class Combine, class Rest>
T reduce_in_passing(std::size_t lo, std::size_t hi, const T& identity, const Map& map, Combine& combine,
                    std::size_t grain, std::size_t piece, const Rest& rest) {
  if (this_fiber().jobs.requested() || !nothing_is_cancelled()) return rest(lo, hi);
  if (hi - lo <= std::max(grain, piece)) return reduce_in_place(lo, hi, identity, map, combine, grain, nullptr);
  const std::size_t middle = lo + (hi - lo) / 2;
  T left = reduce_in_passing(lo, middle, identity, map, combine, grain, piece, rest);
  return combine(std::move(left), reduce_in_passing(middle, hi, identity, map, combine, grain, piece, rest));
}

/// Each leaf begins with a copy of the identity and ends with a call of combine. Where copies are not trivial, as those
/// of containers, or large, as those of an array of counters, both may take long. 10,000 counters in a vector took 8
/// times the serial time with 1024 leaves, and 16 boxes of 28 bytes over 1000 indices 18 times.
template <class T>
inline constexpr std::size_t leaves_for =
    !std::is_trivially_copy_constructible_v<T>
        ? deterministic_leaves / 8
        : deterministic_leaves / std::clamp<std::size_t>(std::bit_ceil(sizeof(T)) / 16, 1, 16);

/// How many numbers a copy of such a value copies, and a combine combines, as far as can be told.
template <class T>
[[nodiscard]] constexpr std::size_t numbers_in(const T& value) noexcept {
  if constexpr (std::ranges::sized_range<const T>) return static_cast<std::size_t>(std::ranges::size(value));
  else return sizeof(T) / sizeof(double);
}
/// The same where a leaf folds many indices at once, each of which may change little of a large value. Then a leaf has
/// four indices for each number of the value, if that leaves 32: bodies may take long. A million indices counted in
/// 65,536 bins took 10 ms on two workers with 128 leaves, and 4.0 so; 10 million 21.7 and 15.
template <class T>
[[nodiscard]] constexpr std::size_t leaves_of_pieces(std::size_t count, const T& identity) noexcept {
  constexpr std::size_t few_numbers = 64;
  constexpr std::size_t least = 32;
  const std::size_t numbers = numbers_in(identity);
  if (numbers <= few_numbers || leaves_for<T> <= least) return leaves_for<T>;
  return std::clamp(count / 4 / numbers, least, leaves_for<T>);
}

/// Folds [0, count) in a fixed tree of about `leaves` leaves, as usual or alone, whatever was faster at this place.
/// `leaf` is of the form leaves.
template <class T, class Leaf, class Combine>
T reduce_loop(std::size_t count, T identity, const Leaf& leaf, Combine& combine, const loop_options& options,
              std::size_t leaves) {
  const std::size_t grain = deterministic_grain(count, options.grain, leaves);
  const bool in_passing = nothing_is_cancelled() && !options.cancel.can_cancel();
  if (in_passing && count <= std::min(grain, most_in_one_go)) return leaf(0, count, identity, nullptr);
  std::optional<short_loop> seen;
  if (options.grain == 0) seen.emplace(reinterpret_cast<std::uintptr_t>(&reduce_tree<T, Leaf, Combine>), count);
  const bool alone = seen && seen->runs_alone();
  bool opened = false;
  const auto in_scope = [&](std::size_t lo, std::size_t hi) -> T {
    std::optional<T> folded;
    in_loop_scope(options.cancel, [&](loop_scope& loop) {
      loop.limit_batch(most_leaves_in_turn(count), hi);
      if (!alone) {
        folded.emplace(reduce_tree(lo, hi, identity, leaf, combine, grain, loop));
      } else {
        lone_pieces pieces(count / 32 + 1, seen->most_ticks());
        folded.emplace(reduce_alone(lo, hi, identity, leaf, combine, grain, loop, pieces));
        opened = opened || pieces.are_over();
      }
    });
    return folded ? std::move(*folded) : identity;
  };
  T folded = alone && in_passing ? reduce_in_passing(0, count, identity, leaf, combine, grain, count / 8 + 1, in_scope)
                                 : in_scope(0, count);
  if (seen) seen->ended(opened);
  return folded;
}

}  // namespace detail

/// Folds [first, last) in parallel. Each leaf calls map(lo, hi, identity) -> T, and combine(left, right) -> T joins
/// neighbours.
///
///     std::vector<double> data(1 << 20, 0.5);
///     const double sum = nearfork::parallel_reduce_range(
///         std::size_t{0}, data.size(), 0.0,
///         [&](std::size_t lo, std::size_t hi, double so_far) {
///           return std::accumulate(&data[lo], &data[lo] + (hi - lo), so_far);
///         },
///         std::plus<>());
///
/// The tree depends on the range, the grain and the size of `identity` alone. So the result is the same bit for bit for
/// any number of workers, also for floating point. combine must be associative up to the error that the caller accepts.
/// It need not be commutative. T can be copied: each leaf begins with a copy of the identity. (Values that can only be
/// moved: parallel_reduce without an identity, algorithms/parallel_reduce_ranges.hpp.)
/// Returns: `identity` for an empty range. Leaves that options.cancel skipped count as `identity`.
/// Throws: as parallel_for_range, also what combine throws. After an exception no other part is combined.
/// Complexity: one call of map per leaf, one call of combine and one fork (1-2 ns) fewer than leaves. By default there
/// are at most 1024 leaves, and 128 if copies of T are not trivial. If `identity` is a container with more than 64
/// elements, or as large as that, a leaf has four indices for each of them, but there are 32 leaves or more. Where
/// combine takes long, options.grain is worth setting: one leaf for each worker is best, if their number may decide.
/// Thread-safety: any thread. Outside a worker the fold runs inside the process-wide runtime. Several threads may call
/// map and combine at the same time.
template <detail::loop_index I, class T, class Map, class Combine>
[[nodiscard]] T parallel_reduce_range(I first, I last, T identity, Map&& map, Combine&& combine,
                                      const loop_options& options = {},
                                      const call_site& where = {__builtin_FILE(), __builtin_LINE()}) {
  static_assert(std::is_copy_constructible_v<T>, "each leaf of a parallel_reduce begins with a copy of the identity");
  if (!(first < last)) return identity;
  if (!detail::thread_mark())
    return run([&] { return parallel_reduce_range(first, last, identity, map, combine, options); }, where);
  auto&& both = detail::combining<T>(combine);
  const auto leaf = [&](std::size_t lo, std::size_t hi, const T& start, detail::loop_scope*) -> T {
    return map(detail::index_behind(first, lo), detail::index_behind(first, hi), start);
  };
  const auto short_ones = [&](std::size_t lo, std::size_t hi, auto grain, const T& start) -> T {
    const auto short_leaf = [&](std::size_t from, std::size_t to) __attribute__((__always_inline__)) -> T {
      return map(detail::index_behind(first, from), detail::index_behind(first, to), start);
    };
    return detail::reduce_short_leaves<T>(lo, hi, grain, short_leaf, both);
  };
  const std::size_t count = detail::length_of(first, last);
  const std::size_t pieces = detail::leaves_of_pieces(count, identity);
  return detail::reduce_loop<T>(count, std::move(identity), detail::leaves{leaf, short_ones}, both, options, pieces);
}

/// Computes combine(... combine(identity, map(first)) ..., map(last - 1)) in parallel, in a fixed tree.
///
///     std::vector<double> data(1 << 20, 0.5);
///     const double sum = nearfork::parallel_reduce(
///         std::size_t{0}, data.size(), 0.0, [&](std::size_t i) { return data[i]; }, std::plus<>());
///
/// Complexity: one call of map and of combine per index; else as parallel_reduce_range.
/// Determinism, requirements on combine, exceptions and thread-safety: as parallel_reduce_range.
/// Without an identity: algorithms/parallel_reduce_ranges.hpp.
template <detail::loop_index I, class T, class Map, class Combine>
  requires(!std::is_same_v<std::remove_cvref_t<Combine>, loop_options>)
[[nodiscard]] T parallel_reduce(I first, I last, T identity, Map&& map, Combine&& combine,
                                const loop_options& options = {},
                                const call_site& where = {__builtin_FILE(), __builtin_LINE()}) {
  static_assert(std::is_copy_constructible_v<T>, "each leaf of a parallel_reduce begins with a copy of the identity");
  if (!(first < last)) return identity;
  if (!detail::thread_mark())
    return run([&] { return parallel_reduce(first, last, identity, map, combine, options); }, where);
  auto&& both = detail::combining<T>(combine);
  // A function of its own, whose value no closure refers to: a compiler writes such a value for each element, and gcc
  // has fewer registers for it. Sums of 12 doubles at once take 1.5 times as long inside, {double, index} 1.2 times.
  const auto fold = [&](I i, I end, T folded) __attribute__((__noinline__)) -> T {
    for (; i != end; ++i) folded = both(std::move(folded), map(i));
    return folded;
  };
  const auto leaf = [&](std::size_t lo, std::size_t hi, T accumulated, detail::loop_scope* loop) -> T {
    detail::in_cancellable_steps(lo, hi, loop, [&](std::size_t from, std::size_t to) {
      accumulated = fold(detail::index_behind(first, from), detail::index_behind(first, to), std::move(accumulated));
    });
    return accumulated;
  };
  const auto short_ones = [&](std::size_t lo, std::size_t hi, auto grain, const T& start) -> T {
    const auto short_leaf = [&](std::size_t from, std::size_t to) __attribute__((__always_inline__)) -> T {
      const I end = detail::index_behind(first, to);
      T folded = start;
      for (I i = detail::index_behind(first, from); i != end; ++i) folded = both(std::move(folded), map(i));
      return folded;
    };
    return detail::reduce_short_leaves<T>(lo, hi, grain, short_leaf, both);
  };
  return detail::reduce_loop<T>(detail::length_of(first, last), std::move(identity), detail::leaves{leaf, short_ones},
                                both, options, detail::leaves_for<T>);
}

}  // namespace nearfork
