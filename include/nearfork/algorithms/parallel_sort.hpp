#pragma once

#include <nearfork/detail/language.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <type_traits>
#include <utility>

#include <nearfork/algorithms/parallel_find.hpp>
#include <nearfork/algorithms/sample_sort.hpp>
#include <nearfork/parallel_for.hpp>
#include <nearfork/run.hpp>

namespace nearfork {
namespace detail {

/// Iterators whose elements are objects. Those of std::vector<bool> are not: eight of its elements share a byte.
template <class It>
inline constexpr bool has_real_elements =
    std::is_lvalue_reference_v<std::iter_reference_t<It>> &&
    std::is_same_v<std::remove_cvref_t<std::iter_reference_t<It>>, std::iter_value_t<It>>;

template <class Compare, class It>
concept orders_constants = std::predicate<Compare&, const std::iter_value_t<It>&, const std::iter_value_t<It>&>;
/// As std::sort, also what wants to have its arguments by reference to non-const. It must not change them.
template <class Compare, class It>
concept orders = orders_constants<Compare, It> ||
                 (has_real_elements<It> && std::predicate<Compare&, std::iter_value_t<It>&, std::iter_value_t<It>&>);

template <class Compare, class T>
struct order_of_constants {
  Compare& compare;
  bool operator()(const T& one, const T& other) const { return compare(const_cast<T&>(one), const_cast<T&>(other)); }
};

/// True if all pairs of neighbours fit.
template <class Fits>
bool all_pairs(std::size_t count, const Fits& fits, const loop_options& options) {
  const auto breaks = [&fits](std::size_t i) { return !fits(i); };
  return first_match(count - 1, breaks, {.grain = 0, .cancel = options.cancel}) == count - 1;
}

/// Reverses each run of equal elements.
template <class It, class Compare>
void reverse_equals(It first, It last, Compare& compare) {
  while (first != last) {
    const It end = std::find_if(first + 1, last, [&](const auto& element) { return compare(*first, element); });
    std::reverse(first, end);
    first = end;
  }
}

/// True if the range was sorted, or in descending order and is now reversed.
template <equal_elements Equals, class It, class Compare>
bool sort_one_run(It data, std::size_t count, Compare& compare, const loop_options& options) {
  using distance = std::iter_difference_t<It>;
  const auto ordered = [data, &compare](std::size_t a, std::size_t b) -> bool {
    return !compare(std::as_const(data[static_cast<distance>(b)]), std::as_const(data[static_cast<distance>(a)]));
  };
  // One search for both directions: two would be twice the code in each program that sorts.
  const bool ascending = ordered(0, 1) && ordered(0, count - 1);
  const auto fits = [&](std::size_t i) -> bool { return ascending ? ordered(i, i + 1) : ordered(i + 1, i); };
  if (const bool all = all_pairs(count, fits, options); ascending || !all) return all;
  if (options.cancel.cancelled()) return true;
  const auto swap_ends = [&](std::size_t lo, std::size_t hi) {
    for (; lo != hi; ++lo)
      std::ranges::iter_swap(data + static_cast<distance>(lo), data + static_cast<distance>(count - 1 - lo));
  };
  parallel_for_range(std::size_t{0}, count / 2, swap_ends, {});
  if constexpr (Equals == equal_elements::keep_order)
    reverse_equals(data, data + static_cast<distance>(count), compare);
  return true;
}

template <equal_elements Equals, class It, class Compare>
void sort_range(It first, It last, Compare& compare, const loop_options& options) {
  if (!(first < last)) return;
  const auto count = static_cast<std::size_t>(last - first);
  sample_sort<Equals, It, Compare> sorter(compare, options);
  if constexpr (has_real_elements<It>) {
    if (count > sort_tuning::too_short_for_two || (options.grain != 0 && count > options.grain && count > 2))
      return run([&] {
        if (options.cancel.cancelled() || sort_one_run<Equals>(first, count, compare, options)) return;
        const raw_elements<std::iter_value_t<It>> buffer(count);
        const auto ids = std::make_unique_for_overwrite<std::uint8_t[]>(count);
        sorter.sort_all(first, count, buffer.data(), ids.get());
      });
  }
  if (!options.cancel.cancelled()) sorter.sort_serially(first, count);
}

template <equal_elements Equals, class It, class Compare>
void sort_by(It first, It last, Compare& compare, const loop_options& options) {
  if constexpr (orders_constants<Compare, It>) {
    sort_range<Equals>(first, last, compare, options);
  } else {
    order_of_constants<Compare, std::iter_value_t<It>> constants{compare};
    sort_range<Equals>(first, last, constants, options);
  }
}

}  // namespace detail

/// Sorts [first, last) in parallel. Equal elements may end in any order, but in the same one for any number of workers.
///
///     std::vector<int> numbers(1 << 20);
///     std::iota(numbers.rbegin(), numbers.rend(), 0);
///     nearfork::parallel_sort(numbers.begin(), numbers.end());
///     nearfork::parallel_sort(numbers.begin(), numbers.end(), std::greater<>());
///
/// Elements need a move constructor and a move assignment. `compare` must be a strict weak order.
/// options.grain: std::sort sorts a bucket of at most so many elements; by default 512.
/// A sort that options.cancel ended returns with the elements in any order.
/// Throws: what `compare` or a move of an element throws; std::bad_alloc; nearfork::cancelled as parallel_for. All
/// elements are then in the range, in any order, unless an exception left a move of an element, std::sort or
/// std::stable_sort, which sort the buckets: elements that were being moved may then have lost their values.
/// Complexity: about n log2(n) comparisons for n elements, fewer where most neighbours are in order, and up to four
/// moves per element for each factor of 128 in n / 512. A range that is sorted already, or descending, takes n
/// comparisons. One that consists of few runs takes n log2(runs) where its runtime has one worker.
/// Memory: n elements and n bytes. None for less than 2048 elements, nor for a range that is sorted already.
/// Thread-safety: any thread. Several threads may call `compare` at the same time.
/// Source: sample sort (Frazer and McKellar, JACM 1970); branch-free classification as in super scalar sample sort
/// (Sanders and Winkel, ESA 2004).
template <std::random_access_iterator It, class Compare = std::less<>>
  requires detail::orders<Compare, It>
void parallel_sort(It first, It last, Compare compare = {}, const loop_options& options = {}) {
  detail::sort_by<detail::equal_elements::any_order>(first, last, compare, options);
}

/// The same for a range.
template <std::ranges::random_access_range Range, class Compare = std::less<>>
  requires std::ranges::sized_range<Range> && detail::orders<Compare, std::ranges::iterator_t<Range>>
void parallel_sort(Range&& range, Compare compare = {}, const loop_options& options = {}) {
  const auto first = std::ranges::begin(range);
  nearfork::parallel_sort(first, first + std::ranges::distance(range), std::move(compare), options);
}

/// As parallel_sort, but equal elements keep their order.
///
///     std::vector<std::pair<int, char>> letters{{2, 'a'}, {1, 'b'}, {2, 'c'}, {1, 'd'}};
///     nearfork::parallel_stable_sort(letters, [](auto& a, auto& b) { return a.first < b.first; });  // b d a c
///
/// Buckets are sorted by std::stable_sort, or by merging the runs that they have.
template <std::random_access_iterator It, class Compare = std::less<>>
  requires detail::orders<Compare, It>
void parallel_stable_sort(It first, It last, Compare compare = {}, const loop_options& options = {}) {
  detail::sort_by<detail::equal_elements::keep_order>(first, last, compare, options);
}

/// The same for a range.
template <std::ranges::random_access_range Range, class Compare = std::less<>>
  requires std::ranges::sized_range<Range> && detail::orders<Compare, std::ranges::iterator_t<Range>>
void parallel_stable_sort(Range&& range, Compare compare = {}, const loop_options& options = {}) {
  const auto first = std::ranges::begin(range);
  nearfork::parallel_stable_sort(first, first + std::ranges::distance(range), std::move(compare), options);
}

}  // namespace nearfork
