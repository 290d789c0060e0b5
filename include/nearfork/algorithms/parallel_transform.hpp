#pragma once

#include <nearfork/detail/language.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <vector>

#include <nearfork/parallel_for.hpp>

namespace nearfork {
namespace detail {

/// std::vector<bool> keeps eight elements in a byte: two threads must not write to neighbours.
template <class Out>
inline constexpr bool writes_whole_elements = !std::is_same_v<std::iter_reference_t<Out>, std::vector<bool>::reference>;

/// Calls write(i) for each i in [0, count). Returns the end of the output.
template <class Out, class Write>
Out write_all(std::ptrdiff_t count, Out out, const Write& write, const loop_options& options) {
  static_assert(writes_whole_elements<Out>,
                "parallel_transform cannot write to std::vector<bool>: its elements share bytes between threads");
  if (count <= 0) return out;
  nearfork::parallel_for(std::size_t{0}, static_cast<std::size_t>(count), write, options);
  return out + static_cast<std::iter_difference_t<Out>>(count);
}

}  // namespace detail

/// Computes out[i] = f(first[i]) for all elements of [first, last) in parallel.
///
///     const std::vector<double> in(1000, 2);
///     std::vector<double> squares(in.size());
///     nearfork::parallel_transform(in.begin(), in.end(), squares.begin(), [](double x) { return x * x; });
///
/// `out` may be `first`, but no iterator of std::vector<bool>.
/// Returns: the end of the output.
/// Throws: as parallel_for. A call that options.cancel ended returns, and leaves parts of the output unwritten.
/// Complexity: one call of f per element. Thread-safety: any thread. Several threads may call f at the same time.
template <std::random_access_iterator It, std::random_access_iterator Out, class F>
  requires std::indirectly_writable<Out, std::invoke_result_t<F&, std::iter_reference_t<It>>>
Out parallel_transform(It first, It last, Out out, F&& f, const loop_options& options = {}) {
  const detail::one_call<std::remove_reference_t<F>, std::iter_reference_t<It>> call{f};
  const auto write = [=](std::size_t i) {
    out[static_cast<std::iter_difference_t<Out>>(i)] =
        std::invoke(call.f, first[static_cast<std::iter_difference_t<It>>(i)]);
  };
  return detail::write_all(last - first, out, write, options);
}

/// The same for two inputs: out[i] = f(first[i], second[i]).
///
///     std::vector<double> a(1000, 1), b(1000, 2);
///     nearfork::parallel_transform(a.begin(), a.end(), b.begin(), a.begin(), std::plus<>());
template <std::random_access_iterator It, std::random_access_iterator Other, std::random_access_iterator Out, class F>
  requires std::indirectly_writable<Out,
                                    std::invoke_result_t<F&, std::iter_reference_t<It>, std::iter_reference_t<Other>>>
Out parallel_transform(It first, It last, Other second, Out out, F&& f, const loop_options& options = {}) {
  const detail::one_call<std::remove_reference_t<F>, std::iter_reference_t<It>, std::iter_reference_t<Other>> call{f};
  const auto write = [=](std::size_t i) {
    out[static_cast<std::iter_difference_t<Out>>(i)] =
        std::invoke(call.f, first[static_cast<std::iter_difference_t<It>>(i)],
                    second[static_cast<std::iter_difference_t<Other>>(i)]);
  };
  return detail::write_all(last - first, out, write, options);
}

/// The same for a range.
///
///     std::vector<double> lengths(1000, 2);
///     nearfork::parallel_transform(lengths, lengths.begin(), [](double x) { return 2 * x; });
template <std::ranges::random_access_range Range, std::random_access_iterator Out, class F>
  requires std::ranges::sized_range<Range> &&
           std::indirectly_writable<Out, std::invoke_result_t<F&, std::ranges::range_reference_t<Range>>>
Out parallel_transform(Range&& range, Out out, F&& f, const loop_options& options = {}) {
  const auto first = std::ranges::begin(range);
  return nearfork::parallel_transform(first, first + std::ranges::distance(range), out, f, options);
}

}  // namespace nearfork
