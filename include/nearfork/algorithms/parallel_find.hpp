#pragma once

#include <nearfork/detail/language.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <exception>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

#include <nearfork/parallel_for.hpp>

namespace nearfork {
namespace detail {

/// The lowest position at which a search ended so far: by a match, or by an exception. Workers that are beyond it stop.
/// So the search ends as the sequential one does, whichever worker was first.
class search_end {
 public:
  explicit search_end(std::size_t count) noexcept : position_(count) {}

  /// Relaxed: a worker that reads an old value only looks at a few more elements.
  [[nodiscard]] bool is_before(std::size_t position) const noexcept {
    return position_.load(seam::memory_order_relaxed) < position;
  }
  void note_match(std::size_t position) noexcept {
    std::size_t seen = position_.load(seam::memory_order_relaxed);
    // Relaxed: the position is all that is handed over; the end of the loop orders it before take().
    while (position < seen && !position_.compare_exchange_weak(seen, position, seam::memory_order_relaxed)) {
    }
  }
  /// Call it in a handler.
  NEARFORK_COLD void note_failure(std::size_t position) noexcept {
    while (locked_.exchange(true, seam::memory_order_acquire)) seam::yield();
    if (position < failed_at_) {
      failed_at_ = position;
      failure_ = std::current_exception();
    }
    locked_.store(false, seam::memory_order_release);  // pairs with the exchange of the next failure
    note_match(position);
  }
  /// After the loop. Throws the exception if it came before the first match.
  std::size_t take() {
    const std::size_t position = position_.load(seam::memory_order_relaxed);
    if (failure_ != nullptr && failed_at_ == position) std::rethrow_exception(std::move(failure_));
    return position;
  }

 private:
  seam::atomic<std::size_t> position_;
  seam::atomic<bool> locked_{false};
  std::size_t failed_at_ = static_cast<std::size_t>(-1);
  std::exception_ptr failure_;
};

/// Looks at [lo, hi) in order until a match, or until the search has ended before. Asks whether it has before each
/// stretch of one, two, four and at last 32 elements: asking before each element takes longer than comparing numbers.
template <class Matches>
void search_piece(std::size_t lo, std::size_t hi, Matches matches, search_end& end) {
  constexpr std::size_t longest = 32;
  std::size_t stretch = 1;
  std::size_t i = lo;
  try {
    for (; i != hi; stretch = std::min(2 * stretch, longest)) {
      if (end.is_before(i) || this_task::cancelled()) return;
      const std::size_t stop = i + std::min(stretch, hi - i);
      while (i != stop)
        if (matches(i)) return end.note_match(i);
        else ++i;
    }
  } catch (...) {
    if (handles_cancelled()) throw;
    end.note_failure(i);
  }
}

/// True if `element == value` can be asked. std::equality_comparable_with would want a common type, too, and a
/// std::optional has none with std::nullopt.
template <class Element, class Value>
concept equals_value = requires(Element&& element, const Value& value) {
  { element == value } -> std::convertible_to<bool>;
};

/// The first i in [0, count) with matches(i); `count` if there is none.
template <class Matches>
std::size_t first_match(std::size_t count, Matches&& matches, const loop_options& options) {
  search_end end(count);
  parallel_for_range(
      std::size_t{0}, count, [&](std::size_t lo, std::size_t hi) { search_piece(lo, hi, matches, end); }, options);
  return end.take();
}

}  // namespace detail

/// The first element of [first, last) for which matches(element) is true, searched in parallel.
///
///     const std::vector<int> ages(1 << 20, 17);
///     const auto adult = nearfork::parallel_find_if(ages.begin(), ages.end(), [](int age) { return age >= 18; });
///
/// Returns: the same iterator as std::find_if: `last` if no element matches, or if options.cancel ended the search
/// before a match.
/// Throws: what `matches` threw, if no element before that one matches; nearfork::cancelled as parallel_for.
/// Complexity: at most one call of `matches` per element. Once a match is known, a worker behind it stops after 32 more
/// elements at most.
/// Thread-safety: any thread. Several threads may call `matches` at the same time, also for elements behind the match.
template <std::random_access_iterator It, class Matches>
  requires std::predicate<Matches&, std::iter_reference_t<It>>
[[nodiscard]] It parallel_find_if(It first, It last, Matches&& matches, const loop_options& options = {}) {
  using distance = std::iter_difference_t<It>;
  if (!(first < last)) return last;
  const auto at = [&](std::size_t i) { return std::invoke(matches, first[static_cast<distance>(i)]); };
  return first + static_cast<distance>(detail::first_match(static_cast<std::size_t>(last - first), at, options));
}

/// The same for a range.
template <std::ranges::random_access_range Range, class Matches>
  requires std::ranges::sized_range<Range> && std::predicate<Matches&, std::ranges::range_reference_t<Range>>
[[nodiscard]] std::ranges::borrowed_iterator_t<Range> parallel_find_if(Range&& range, Matches&& matches,
                                                                       const loop_options& options = {}) {
  const auto first = std::ranges::begin(range);
  return nearfork::parallel_find_if(first, first + std::ranges::distance(range), matches, options);
}

/// The first element of [first, last) that equals `value`. Otherwise as parallel_find_if.
///
///     const std::vector<int> numbers{3, 1, 4, 1, 5};
///     const auto one = nearfork::parallel_find(numbers.begin(), numbers.end(), 1);  // the second element
template <std::random_access_iterator It, class Value>
  requires detail::equals_value<std::iter_reference_t<It>, Value>
[[nodiscard]] It parallel_find(It first, It last, const Value& value, const loop_options& options = {}) {
  return nearfork::parallel_find_if(first, last, [&](auto&& element) -> bool { return element == value; }, options);
}

/// The same for a range.
template <std::ranges::random_access_range Range, class Value>
  requires std::ranges::sized_range<Range> && detail::equals_value<std::ranges::range_reference_t<Range>, Value>
[[nodiscard]] std::ranges::borrowed_iterator_t<Range> parallel_find(Range&& range, const Value& value,
                                                                    const loop_options& options = {}) {
  return nearfork::parallel_find_if(range, [&](auto&& element) -> bool { return element == value; }, options);
}

}  // namespace nearfork
