#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <nearfork/fork_join.hpp>
#include <nearfork/loop_options.hpp>

namespace nearfork {
namespace detail {

/// A clock that only orders and spaces: the core's own counter.
[[nodiscard]] inline std::uint64_t coarse_ticks() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  std::uint64_t ticks;
  __asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#endif
}

/// A loop looks up for thieves about this often at first: 2-8 microseconds at the usual counter frequencies.
#if defined(__x86_64__)
inline constexpr std::uint64_t look_up_ticks = 8000;
#else
inline constexpr std::uint64_t look_up_ticks = 100;  // the counter runs at 24 MHz to 1 GHz
#endif

/// A look costs about 100 ns, most of it for leaving the compiler's vector loop and entering it again: 4% of the first
/// pieces. So pieces grow with a loop that nobody has asked for long, up to eight times as long: 0.5%. A thief never waits
/// for more than a thirtieth of what the loop has taken so far.
[[nodiscard]] inline std::uint64_t ticks_per_look(std::uint64_t ticks_so_far) noexcept {
  return std::clamp(ticks_so_far / 32, look_up_ticks, 8 * look_up_ticks);
}

/// Lazy binary splitting (Tzannes et al., PPoPP 2010), with a request in place of an empty deque: a loop
/// that nobody helps runs as it stands, and gives half of what is left away when a thief asks.
template <class I, class Body>
void lazy_loop(I first, I last, Body& body, const cancellation_token& cancel) {
  I step = 16;
  const std::uint64_t began = coarse_ticks();
  std::uint64_t before = began;
  while (last - first > step) {
    if (cancel.cancelled()) return;
    if (this_fiber().jobs.requested()) {
      const I middle = static_cast<I>(first + (last - first) / 2);
      fork_join([&, first, middle] { lazy_loop(first, middle, body, cancel); },
                [&, middle, last] { lazy_loop(middle, last, body, cancel); });
      return;
    }
    body(first, static_cast<I>(first + step));
    first = static_cast<I>(first + step);
    const std::uint64_t now = coarse_ticks();
    const std::uint64_t took = now - before;
    before = now;
    const std::uint64_t aim = ticks_per_look(now - began);
    if (took < aim / 2 && step <= (last - first) / 4) step = static_cast<I>(step * 2);
    else if (took > aim * 2 && step > 1) step = static_cast<I>(step / 2);
  }
  if (first < last && !cancel.cancelled()) body(first, last);
}

/// A balanced tree of halves down to leaves of at most `grain`: what a plan hangs on, and what a given grain means.
template <class I, class Body>
void tree_loop(I first, I last, Body& body, std::size_t grain, const cancellation_token& cancel) {
  if (cancel.cancelled()) return;
  if (static_cast<std::size_t>(last - first) <= grain) {
    body(first, last);
    return;
  }
  const I middle = static_cast<I>(first + (last - first) / 2);
  fork_join([&, first, middle] { tree_loop(first, middle, body, grain, cancel); },
            [&, middle, last] { tree_loop(middle, last, body, grain, cancel); });
}

/// Above a plan's subtree roots the tree decides, below them demand. The tree ends at leaves of `grain`: a profile has no
/// use for more.
template <class I, class Body>
void planned_loop(I first, I last, Body& body, std::size_t grain, const cancellation_token& cancel) {
  if (this_fiber().cursor == nullptr) {
    lazy_loop(first, last, body, cancel);
    return;
  }
  if (cancel.cancelled()) return;
  if (static_cast<std::size_t>(last - first) <= grain) {
    body(first, last);
    return;
  }
  const I middle = static_cast<I>(first + (last - first) / 2);
  fork_join([&, first, middle] { planned_loop(first, middle, body, grain, cancel); },
            [&, middle, last] { planned_loop(middle, last, body, grain, cancel); });
}

}  // namespace detail

/// Calls body(lo, hi) on pieces that together cover [first, last) exactly once, in any order, in parallel.
/// With the default grain a piece is as long as nobody asks for work; the pieces differ from run to run.
/// Throws: the first exception of a piece, by position; pieces that had not started are skipped on the way.
template <class I, class Body>
  requires std::is_integral_v<I>
void parallel_for_range(I first, I last, Body&& body, const loop_options& options = {}) {
  if (!(first < last)) return;
  if (!detail::inside_worker) return run([&] { parallel_for_range(first, last, body, options); });
  // Unsigned offsets, so that the length of any signed range fits.
  using offset = std::make_unsigned_t<I>;
  const auto length = static_cast<offset>(static_cast<offset>(last) - static_cast<offset>(first));
  auto piece = [&](std::size_t lo, std::size_t hi) {
    body(static_cast<I>(static_cast<offset>(first) + static_cast<offset>(lo)),
         static_cast<I>(static_cast<offset>(first) + static_cast<offset>(hi)));
  };
  const std::size_t count = length;
  if (options.grain != 0) detail::tree_loop(std::size_t{0}, count, piece, options.grain, options.cancel);
  else detail::planned_loop(std::size_t{0}, count, piece, detail::deterministic_grain(count, 0), options.cancel);
}

/// Calls body(i) for each i in [first, last) exactly once, in any order, in parallel.
/// Throws: the first exception of an index, by position among those that ran.
template <class I, class Body>
  requires std::is_integral_v<I>
void parallel_for(I first, I last, Body&& body, const loop_options& options = {}) {
  parallel_for_range(
      first, last,
      [&](I lo, I hi) {
        for (I i = lo; i != hi; ++i) body(i);
      },
      options);
}

}  // namespace nearfork
