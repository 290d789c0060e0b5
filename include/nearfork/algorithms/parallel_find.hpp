#pragma once

#include <nearfork/detail/language.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <type_traits>
#include <utility>

#include <nearfork/parallel_for.hpp>

namespace nearfork {
namespace detail {

/// As element == value, without a warning where numbers of different types are compared.
template <class Element, class Value>
[[nodiscard]] constexpr bool is_equal(const Element& element, const Value& value) {
  if constexpr (std::is_arithmetic_v<Element> && std::is_arithmetic_v<Value>) {
    using common = std::common_type_t<Element, Value>;
    return static_cast<common>(element) == static_cast<common>(value);
  } else {
    return static_cast<bool>(element == value);
  }
}

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

#if defined(__AVX2__)
inline constexpr std::size_t vector_bytes = 32;
#else
inline constexpr std::size_t vector_bytes = 16;
#endif
/// x86-64 alone has no comparison of vectors of 64-bit integers.
#if defined(__x86_64__) && !defined(__SSE4_1__)
template <class Number>
inline constexpr bool compares_in_vectors = sizeof(Number) < 8 || std::is_same_v<Number, double>;
#else
template <class Number>
inline constexpr bool compares_in_vectors = sizeof(Number) <= 8;
#endif

/// Numbers side by side, to be compared with one. No comparison can throw, or be seen from outside: so many are made at
/// once, also behind a match. With vectors by name, because gcc -O2 makes none from a loop: a million int take 0.07 ms
/// so, 0.15 by a loop, and 0.18 by std::find.
template <class Number>
struct numbers_equal {
  using vector __attribute__((__vector_size__(vector_bytes))) = Number;
  static constexpr std::size_t in_vector = sizeof(vector) / sizeof(Number);
  static constexpr std::size_t together = 4 * in_vector;

  const Number* data;
  Number value;

  bool operator()(std::size_t i) const noexcept { return data[i] == value; }
  /// Whether there is a match from `i` on, among as many as are compared together.
  [[nodiscard]] bool are_some(std::size_t i) const noexcept {
    const auto all = vector{} + value;
    const auto equal = (vector_at(i) == all) | (vector_at(i + in_vector) == all) |
                       (vector_at(i + 2 * in_vector) == all) | (vector_at(i + 3 * in_vector) == all);
    std::uint64_t words[vector_bytes / 8];
    std::memcpy(words, &equal, sizeof words);
    return std::ranges::any_of(words, [](std::uint64_t word) { return word != 0; });
  }

 private:
  [[nodiscard]] vector vector_at(std::size_t i) const noexcept {
    vector read;
    std::memcpy(&read, data + i, sizeof read);
    return read;
  }
};

template <class It, class Value>
inline constexpr bool are_numbers =
    std::contiguous_iterator<It> && std::is_same_v<std::iter_value_t<It>, Value> && std::is_arithmetic_v<Value> &&
    !std::is_same_v<Value, bool> && compares_in_vectors<Value> &&
    !std::is_volatile_v<std::remove_reference_t<std::iter_reference_t<It>>>;

/// Matches that are looked for many at a time.
template <class Matches>
concept compared_together = requires { Matches::together; };

/// The first match in [i, stop), or `stop`. If a call throws, `i` says which.
template <class Matches>
NEARFORK_INLINE void find_in_stretch(std::size_t& i, std::size_t stop, Matches& matches) {
  if constexpr (compared_together<Matches>) {
    while (stop - i >= Matches::together && !matches.are_some(i)) i += Matches::together;
  } else {
    // Four by four, as std::find_if does: one by one takes twice as long for numbers.
    for (; stop - i >= 4; ++i) {
      if (matches(i)) return;
      if (matches(++i)) return;
      if (matches(++i)) return;
      if (matches(++i)) return;
    }
  }
  while (i != stop && !matches(i)) ++i;
}

/// Looks at [lo, hi) in order until a match, or until the search has ended before. Asks whether it has before each
/// stretch of one, two, four and at last 32 elements: asking before each element takes longer than comparing numbers.
/// Numbers that are compared side by side are quicker still.
template <class Matches>
void search_piece(std::size_t lo, std::size_t hi, Matches matches, search_end& end) {
  constexpr bool is_quick = compared_together<Matches>;
  constexpr std::size_t longest = is_quick ? 512 : 32;
  std::size_t stretch = is_quick ? longest : 1;
  std::size_t i = lo;
  try {
    for (; i != hi; stretch = std::min(2 * stretch, longest)) {
      if (end.is_before(i) || this_task::cancelled()) return;
      const std::size_t stop = i + std::min(stretch, hi - i);
      find_in_stretch(i, stop, matches);
      if (i != stop) return end.note_match(i);
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

/// How far a search has come: up to `i`, which matches if `found`.
struct searched_head {
  std::size_t i;
  bool found;
};

/// Looks at the first elements before there is a loop, which takes 0.2 us to begin: many searches end there. At 4096
/// numbers, which take 0.2 us; at 64 elements otherwise, as long as that is quick.
template <class Matches>
searched_head search_head(std::size_t count, Matches& matches) {
  std::size_t i = 0;
  if constexpr (compared_together<Matches>) {
    const std::size_t stop = std::min<std::size_t>(count, 4096);
    find_in_stretch(i, stop, matches);
    return {i, i != stop};
  } else {
    const std::size_t end = std::min<std::size_t>(count, 64);
    const std::uint64_t before = coarse_ticks();
    for (std::size_t stop = std::min<std::size_t>(end, 1);; stop = std::min(end, 4 * stop)) {
      find_in_stretch(i, stop, matches);
      if (i != stop) return {i, true};
      if (stop == end || coarse_ticks() - before > slow_body_ticks) return {i, false};
    }
  }
}

/// Functions of the program are called by workers alone.
template <class Matches>
bool may_begin_in_place(const loop_options& options) {
  if (options.grain != 0 || options.cancel.cancelled() || this_task::cancelled()) return false;
  if constexpr (compared_together<Matches>) return true;
  else return thread_mark() != outside;
}

/// The first i in [0, count) with matches(i); `count` if there is none.
template <class Matches>
std::size_t first_match(std::size_t count, Matches matches, const loop_options& options) {
  const searched_head head =
      may_begin_in_place<Matches>(options) ? search_head(count, matches) : searched_head{0, false};
  if (head.found || head.i == count) return head.i;
  search_end end(count);
  parallel_for_range(
      head.i, count, [&](std::size_t lo, std::size_t hi) { search_piece(lo, hi, matches, end); }, options);
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

/// The first element of [first, last) that equals `value`. Otherwise as parallel_find_if; but once a match is known, a
/// worker behind it may compare 512 more numbers.
///
///     const std::vector<int> numbers{3, 1, 4, 1, 5};
///     const auto one = nearfork::parallel_find(numbers.begin(), numbers.end(), 1);  // the second element
template <std::random_access_iterator It, class Value>
  requires detail::equals_value<std::iter_reference_t<It>, Value>
[[nodiscard]] It parallel_find(It first, It last, const Value& value, const loop_options& options = {}) {
  if constexpr (detail::are_numbers<It, Value>) {
    if (!(first < last)) return last;
    const auto count = static_cast<std::size_t>(last - first);
    const detail::numbers_equal<Value> equal{std::to_address(first), value};
    return first + static_cast<std::iter_difference_t<It>>(detail::first_match(count, equal, options));
  } else
    return nearfork::parallel_find_if(
        first, last, [&](auto&& element) -> bool { return detail::is_equal(element, value); }, options);
}

/// The same for a range.
template <std::ranges::random_access_range Range, class Value>
  requires std::ranges::sized_range<Range> && detail::equals_value<std::ranges::range_reference_t<Range>, Value>
[[nodiscard]] std::ranges::borrowed_iterator_t<Range> parallel_find(Range&& range, const Value& value,
                                                                    const loop_options& options = {}) {
  const auto first = std::ranges::begin(range);
  return nearfork::parallel_find(first, first + std::ranges::distance(range), value, options);
}

}  // namespace nearfork
