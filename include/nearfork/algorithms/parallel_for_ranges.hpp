// parallel_for with a step, over iterators, and over ranges.
#pragma once

#include <nearfork/detail/language.hpp>

#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>

#include <nearfork/error.hpp>
#include <nearfork/parallel_for.hpp>

namespace nearfork {
namespace detail {

template <class Range>
concept range_of_elements = !is_blocked_range<std::remove_cvref_t<Range>> && std::ranges::random_access_range<Range> &&
                            std::ranges::sized_range<Range>;

/// How many indices a loop with a step has. The differences are taken without a sign, so no range is too long.
template <loop_index I, loop_index Step>
[[nodiscard]] std::size_t count_of_steps(I first, I last, Step step) {
  if (step == 0) throw error("parallel_for: the step is 0, so the loop would not end; give another step");
  const auto size = static_cast<std::size_t>(step);
  if (step > 0) return first < last ? (length_of(first, last) - 1) / size + 1 : 0;
  return last < first ? (length_of(last, first) - 1) / (std::size_t{0} - size) + 1 : 0;
}

}  // namespace detail

/// Calls body(i) for i = first, first + step, first + 2 * step and so on, as long as i < last; with a negative step as
/// long as i > last. Otherwise as parallel_for.
///
///     std::vector<int> numbers(1000, 1);
///     nearfork::parallel_for(0, 1000, 10, [&](int i) { numbers[static_cast<std::size_t>(i)] = 0; });
///
/// Throws: nearfork::error if the step is 0; else as parallel_for.
template <detail::loop_index I, detail::loop_index Step, class Body>
  requires std::invocable<Body&, I>
void parallel_for(I first, I last, Step step, Body&& body, const loop_options& options = {}) {
  const std::size_t count = detail::count_of_steps(first, last, step);
  const detail::one_call<std::remove_reference_t<Body>, I> call{body};
  nearfork::parallel_for(
      std::size_t{0}, count,
      [=](std::size_t i) { call.f(detail::index_behind(first, i * static_cast<std::size_t>(step))); }, options);
}

/// Calls body(it) for each iterator in [first, last). Otherwise as parallel_for.
///
///     std::vector<double> data(1000, 4);
///     nearfork::parallel_for(data.begin(), data.end(), [](auto it) { *it = std::sqrt(*it); });
template <std::random_access_iterator It, class Body>
  requires std::invocable<Body&, It>
void parallel_for(It first, It last, Body&& body, const loop_options& options = {}) {
  if (!(first < last)) return;
  const detail::one_call<std::remove_reference_t<Body>, It> call{body};
  nearfork::parallel_for(
      std::size_t{0}, static_cast<std::size_t>(last - first),
      [=](std::size_t i) { std::invoke(call.f, first + static_cast<std::iter_difference_t<It>>(i)); }, options);
}

/// Calls body(lo, hi) on pieces that together cover [first, last). Otherwise as parallel_for_range.
///
///     std::vector<double> data(1000, 4);
///     nearfork::parallel_for_range(data.begin(), data.end(), [](auto lo, auto hi) { std::fill(lo, hi, 1.0); });
template <std::random_access_iterator It, class Body>
  requires std::invocable<Body&, It, It>
void parallel_for_range(It first, It last, Body&& body, const loop_options& options = {}) {
  using distance = std::iter_difference_t<It>;
  if (!(first < last)) return;
  nearfork::parallel_for_range(
      std::size_t{0}, static_cast<std::size_t>(last - first),
      [&](std::size_t lo, std::size_t hi) {
        std::invoke(body, first + static_cast<distance>(lo), first + static_cast<distance>(hi));
      },
      options);
}

/// Calls body(element) for each element of a range. Otherwise as parallel_for.
///
///     std::vector<double> data(1000, 4);
///     nearfork::parallel_for(data, [](double& x) { x = std::sqrt(x); });
///     nearfork::parallel_for(std::views::iota(0, 1000), [](int) {});
///
/// Bodies must not write to elements of a std::vector<bool>: eight of its elements share a byte.
template <detail::range_of_elements Range, class Body>
  requires std::invocable<Body&, std::ranges::range_reference_t<Range>>
void parallel_for(Range&& range, Body&& body, const loop_options& options = {}) {
  using distance = std::ranges::range_difference_t<Range>;
  const auto first = std::ranges::begin(range);
  const detail::one_call<std::remove_reference_t<Body>, std::ranges::range_reference_t<Range>> call{body};
  nearfork::parallel_for(
      std::size_t{0}, static_cast<std::size_t>(std::ranges::distance(range)),
      [=](std::size_t i) { std::invoke(call.f, first[static_cast<distance>(i)]); }, options);
}

}  // namespace nearfork
