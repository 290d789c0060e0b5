// parallel_reduce without an identity, and over ranges.
#pragma once

#include <nearfork/detail/language.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

#include <nearfork/algorithms/parallel_for_ranges.hpp>
#include <nearfork/parallel_reduce.hpp>

namespace nearfork {
namespace detail {

template <class Value, class Combined>
struct folded_of : std::common_type<Value, Combined> {};
/// Not the common type, which for a string and a view of one is the view.
template <class Value, class Combined>
  requires(!std::is_arithmetic_v<Value> && std::is_constructible_v<Combined, Value>)
struct folded_of<Value, Combined> {
  using type = Combined;
};
/// What a fold of values of type R has: R, or what combine makes of two.
template <class R, class Combine>
using folded = typename folded_of<std::decay_t<R>, std::decay_t<std::invoke_result_t<Combine&, R, R>>>::type;

/// The fold of some elements, or nothing. Folds copy their identity alone, which is nothing; so values need no copy.
template <class T>
struct partial_fold {
  std::optional<T> value;

  partial_fold() = default;
  partial_fold(const partial_fold&) noexcept {}
  partial_fold(partial_fold&&) = default;
  partial_fold& operator=(const partial_fold&) = delete;
  partial_fold& operator=(partial_fold&&) = default;
  ~partial_fold() = default;

  /// Folds map(i) for each i in [from, to), behind what is here. Between, the value is in no optional: a compiler would
  /// write it to memory for each element (1e6 doubles: 2.7 ms so, now 0.5).
  template <class Map, class Combine>
  NEARFORK_INLINE void add_each(std::size_t from, std::size_t to, const Map& map, Combine& combine) {
    if (!value) value.emplace(map(from++));
    if (from == to) return;
    T folded = std::move(*value);
    for (; from != to; ++from) folded = std::invoke(combine, std::move(folded), map(from));
    *value = std::move(folded);
  }
};

/// Folds map(0) to map(count - 1) without a start value. Leaves that were skipped have no value.
template <class T, class Map, class Combine>
std::optional<T> fold_without_identity(std::size_t count, const Map& map, Combine& combine,
                                       const loop_options& options) {
  if (count == 0) return std::nullopt;
  if (!thread_mark()) return run([&] { return fold_without_identity<T>(count, map, combine, options); });
  using part = partial_fold<T>;
  const auto leaf = [&](std::size_t lo, std::size_t hi, part so_far, loop_scope* loop) -> part {
    in_cancellable_steps(lo, hi, loop,
                         [&](std::size_t from, std::size_t to) { so_far.add_each(from, to, map, combine); });
    return so_far;
  };
  const auto short_ones = [&](std::size_t lo, std::size_t hi, auto grain, const part&) -> part {
    const auto short_leaf = [&](std::size_t from, std::size_t to) __attribute__((__always_inline__)) -> T {
      T value = static_cast<T>(map(from));
      while (++from != to) value = std::invoke(combine, std::move(value), map(from));
      return value;
    };
    const auto both = [&](T&& left, T&& right) __attribute__((__always_inline__)) -> T {
      return std::invoke(combine, std::move(left), std::move(right));
    };
    part folded;
    folded.value.emplace(reduce_short_leaves<T>(lo, hi, grain, short_leaf, both));
    return folded;
  };
  const auto join = [&](part left, part right) -> part {
    if (!left.value) return right;
    if (right.value) *left.value = std::invoke(combine, std::move(*left.value), std::move(*right.value));
    return left;
  };
  return reduce_loop<part>(count, part(), leaves{leaf, short_ones}, join, options, leaves_for<part>).value;
}

}  // namespace detail

/// Computes combine(... combine(map(first), map(first + 1)) ..., map(last - 1)) in parallel, in a fixed tree, without a
/// start value.
///
///     std::vector<int> heights(1000, 170);
///     const std::optional<int> tallest = nearfork::parallel_reduce(
///         std::size_t{0}, heights.size(), [&](std::size_t i) { return heights[i]; },
///         [](int a, int b) { return std::max(a, b); });
///
/// Values need a move constructor and a move assignment; they need not be copyable.
/// Returns: nothing for an empty range, and if options.cancel skipped all leaves.
/// Determinism, requirements on combine, exceptions, complexity, thread-safety: as parallel_reduce.
template <detail::loop_index I, class Map, class Combine>
  requires std::invocable<Map&, I>
[[nodiscard]] auto parallel_reduce(I first, I last, Map&& map, Combine&& combine, const loop_options& options = {})
    -> std::optional<detail::folded<std::invoke_result_t<Map&, I>, Combine>> {
  using value = detail::folded<std::invoke_result_t<Map&, I>, Combine>;
  if (!(first < last)) return std::nullopt;
  const auto at = [&](std::size_t i) -> decltype(auto) { return std::invoke(map, detail::index_behind(first, i)); };
  return detail::fold_without_identity<value>(detail::length_of(first, last), at, combine, options);
}

/// Folds the elements of a range, beginning with `identity`. Otherwise as parallel_reduce.
///
///     const std::vector<double> data(1 << 20, 0.5);
///     const double sum = nearfork::parallel_reduce(data, 0.0, std::plus<>());
template <detail::range_of_elements Range, class T, class Combine>
  requires std::invocable<Combine&, T, std::ranges::range_reference_t<Range>> && std::invocable<Combine&, T, T>
[[nodiscard]] T parallel_reduce(Range&& range, T identity, Combine&& combine, const loop_options& options = {}) {
  using distance = std::ranges::range_difference_t<Range>;
  const auto first = std::ranges::begin(range);
  return nearfork::parallel_reduce(
      std::size_t{0}, static_cast<std::size_t>(std::ranges::distance(range)), std::move(identity),
      [&](std::size_t i) -> decltype(auto) { return first[static_cast<distance>(i)]; }, combine, options);
}

/// Folds the elements of a range without a start value.
///
///     const std::vector<int> heights{168, 181, 175};
///     const auto tallest = nearfork::parallel_reduce(heights, [](int a, int b) { return std::max(a, b); });
///
/// Returns: nothing for an empty range, and if options.cancel skipped all leaves.
/// Otherwise as parallel_reduce.
template <detail::range_of_elements Range, class Combine>
  requires std::invocable<Combine&, std::ranges::range_reference_t<Range>, std::ranges::range_reference_t<Range>>
[[nodiscard]] auto parallel_reduce(Range&& range, Combine&& combine, const loop_options& options = {})
    -> std::optional<detail::folded<std::ranges::range_reference_t<Range>, Combine>> {
  using value = detail::folded<std::ranges::range_reference_t<Range>, Combine>;
  using distance = std::ranges::range_difference_t<Range>;
  const auto first = std::ranges::begin(range);
  const auto at = [&](std::size_t i) -> decltype(auto) { return first[static_cast<distance>(i)]; };
  return detail::fold_without_identity<value>(static_cast<std::size_t>(std::ranges::distance(range)), at, combine,
                                              options);
}

}  // namespace nearfork
