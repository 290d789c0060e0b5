#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <nearfork/fork_join.hpp>
#include <nearfork/loop_options.hpp>

namespace nearfork {
namespace detail {

/// Integer types that a loop can count with.
template <class I>
concept loop_index =
    std::is_integral_v<I> && !std::is_same_v<std::remove_cv_t<I>, bool> && sizeof(I) <= sizeof(std::size_t);

/// The number of indices in [first, last). The length of any signed range fits into std::size_t.
template <loop_index I>
[[nodiscard]] constexpr std::size_t length_of(I first, I last) noexcept {
  using offset = std::make_unsigned_t<I>;
  return static_cast<offset>(static_cast<offset>(last) - static_cast<offset>(first));
}
/// The index `steps` after `first`.
template <loop_index I>
[[nodiscard]] constexpr I index_behind(I first, std::size_t steps) noexcept {
  using offset = std::make_unsigned_t<I>;
  return static_cast<I>(static_cast<offset>(static_cast<offset>(first) + static_cast<offset>(steps)));
}

/// The core's own counter: enough to measure short times on one core, in ticks of unknown length.
[[nodiscard]] inline std::uint64_t coarse_ticks() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  std::uint64_t ticks;
  __asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#endif
}

/// How often a loop looks for requests of thieves at first: every 2-8 microseconds at the usual counter frequencies.
#if defined(__x86_64__)
inline constexpr std::uint64_t look_up_ticks = 8000;
#else
inline constexpr std::uint64_t look_up_ticks = 100;  // the counter runs at 24 MHz to 1 GHz
#endif

/// How long a piece may take until the next look. A look costs about 100 ns, 4% of the first pieces; most of that is
/// for leaving the compiler's vector loop and entering it again. So the pieces of a loop grow while no thief asks, up
/// to eight times their first length: 0.5%. A thief never waits longer than a thirtieth of the time that the loop has
/// taken so far.
[[nodiscard]] inline std::uint64_t ticks_per_look(std::uint64_t ticks_so_far) noexcept {
  return std::clamp(ticks_so_far / 32, look_up_ticks, 8 * look_up_ticks);
}

/// The length of the next piece. The first piece is one body; its time tells whether 16 bodies take only nanoseconds.
/// After that the length doubles or halves.
[[nodiscard]] inline std::size_t next_step(std::size_t step, std::uint64_t took, std::uint64_t aim,
                                           std::size_t left) noexcept {
  const std::size_t factor = step == 1 && took < aim / 32 ? 16 : 2;
  if (took < aim / 2 && step <= left / 4) return std::min(step * factor, std::max<std::size_t>(left / 2, 1));
  return took > aim * 2 && step > 1 ? step / 2 : step;
}

/// Bodies that take longer than this are slow: a cancellable loop calls them one by one.
inline constexpr std::uint64_t slow_body_ticks = look_up_ticks / 32;

/// Calls act(lo, hi) on pieces of [first, last), in order. If bodies are slow, the loop sees a cancellation within one
/// body. Only the first body of the first leaf is timed: reading the clock takes about 10 ns, and a leaf that begins
/// one body later may take 1.6x, because the compiler's vectors then straddle cache lines.
template <class Act>
NEARFORK_INLINE void in_cancellable_steps(std::size_t first, std::size_t last, loop_scope& loop, Act&& act) {
  bool quick = last - first == 1 || loop.bodies_are_quick();
  const std::uint64_t before = quick ? 0 : coarse_ticks();
  for (bool is_first = true;; is_first = false) {
    const std::size_t end = quick ? last : first + 1;
    act(first, end);
    first = end;
    if (is_first && !quick && coarse_ticks() - before <= slow_body_ticks) {
      loop.note_quick_bodies();
      quick = true;
    }
    if (first == last || loop.must_stop()) return;
  }
}

/// Calls one piece. An exception ends the loop on all workers.
template <class Body>
NEARFORK_INLINE void call_piece(std::size_t first, std::size_t last, Body& body, loop_scope& loop) {
  try {
    body(first, last);
  } catch (...) {
    loop.fail(first);
  }
}

/// Calls one leaf of a tree. A leaf is not cut if the body takes ranges. (lazy_loop() does not need this: its pieces
/// are short.)
template <class Body>
void call_leaf(std::size_t first, std::size_t last, Body& body, loop_scope& loop) {
  if constexpr (Body::whole) call_piece(first, last, body, loop);
  else
    in_cancellable_steps(first, last, loop,
                         [&](std::size_t from, std::size_t to) { call_piece(from, to, body, loop); });
}

/// Lazy binary splitting (Tzannes et al., PPoPP 2010): the loop runs piece by piece, and offers half of the remaining
/// indices to thieves when a thief asks. In the paper an empty deque triggers the split; here a thief's request does.
template <class Body>
void lazy_loop(std::size_t first, std::size_t last, Body& body, loop_scope& loop) {
  std::size_t step = 1;
  const std::uint64_t began = coarse_ticks();
  std::uint64_t before = began;
  while (last - first > step) {
    if (loop.must_stop()) return;
    if (this_fiber().jobs.requested()) {
      const std::size_t middle = first + (last - first) / 2;
      fork_join([&, first, middle] { lazy_loop(first, middle, body, loop); },
                [&, middle, last] { lazy_loop(middle, last, body, loop); });
      return;
    }
    call_piece(first, first + step, body, loop);
    first += step;
    const std::uint64_t now = coarse_ticks();
    const std::uint64_t took = now - before;
    before = now;
    const std::uint64_t aim = ticks_per_look(now - began);
    step = next_step(step, took, aim, last - first);
  }
  if (first < last && !loop.must_stop()) call_piece(first, last, body, loop);
}

/// A balanced tree of halves, down to leaves of at most `grain` indices. For loops with a given grain.
template <class Body>
void tree_loop(std::size_t first, std::size_t last, Body& body, std::size_t grain, loop_scope& loop) {
  if (loop.must_stop()) return;
  if (last - first <= grain) return call_leaf(first, last, body, loop);
  const std::size_t middle = first + (last - first) / 2;
  fork_join([&, first, middle] { tree_loop(first, middle, body, grain, loop); },
            [&, middle, last] { tree_loop(middle, last, body, grain, loop); });
}

/// A balanced tree above the plan's subtree roots, lazy splitting below them. The tree ends at leaves of `grain`
/// indices, because a profile needs no finer ones.
template <class Body>
void planned_loop(std::size_t first, std::size_t last, Body& body, std::size_t grain, loop_scope& loop) {
  if (this_fiber().cursor == nullptr) return lazy_loop(first, last, body, loop);
  if (loop.must_stop()) return;
  if (last - first <= grain) return call_leaf(first, last, body, loop);
  const std::size_t middle = first + (last - first) / 2;
  fork_join([&, first, middle] { planned_loop(first, middle, body, grain, loop); },
            [&, middle, last] { planned_loop(middle, last, body, grain, loop); });
}

/// Turns positions of a loop that begins at `first` into indices, for bodies that take ranges.
template <loop_index I, class Body>
struct range_pieces {
  static constexpr bool whole = true;
  I first;
  Body& body;
  NEARFORK_INLINE void operator()(std::size_t lo, std::size_t hi) const {
    body(index_behind(first, lo), index_behind(first, hi));
  }
};
/// The same for bodies that take one index.
template <loop_index I, class Body>
struct index_pieces {
  static constexpr bool whole = false;
  I first;
  Body& body;
  NEARFORK_INLINE void operator()(std::size_t lo, std::size_t hi) const {
    const I end = index_behind(first, hi);
    for (I i = index_behind(first, lo); i != end; ++i) body(i);
  }
};

/// Calls `run` with a new loop scope and ends the loop. If the loop was cancelled from outside, throws
/// nearfork::cancelled.
template <class Run>
void in_loop_scope(const cancellation_token& token, Run&& run) {
  loop_scope loop(token);
  try {
    run(loop);
  } catch (const cancelled&) {
    end_unwinding();  // a fork of the loop was cancelled; finish() throws the reason
  }
  loop.finish();
}

template <class Pieces>
void run_loop(std::size_t count, Pieces pieces, const loop_options& options) {
  in_loop_scope(options.cancel, [&](loop_scope& loop) {
    if (options.grain != 0) tree_loop(0, count, pieces, options.grain, loop);
    else planned_loop(0, count, pieces, deterministic_grain(count, 0), loop);
  });
}

}  // namespace detail

/// Calls body(lo, hi) on pieces that together cover [first, last) exactly once, in any order, in parallel. Returns when
/// all pieces are done.
///
///     std::vector<double> squares(1 << 20);
///     nearfork::parallel_for_range(std::size_t{0}, squares.size(), [&](std::size_t lo, std::size_t hi) {
///       for (std::size_t i = lo; i != hi; ++i) squares[i] = static_cast<double>(i) * static_cast<double>(i);
///     });
///
/// With the default grain a piece ends when a thief asks for work, so the pieces differ from run to run.
/// Throws: what a piece threw; if several did, the exception of the lowest position. Pieces that have not started are
/// then skipped on all workers, and loops, forks and groups inside running pieces stop. nearfork::cancelled if the task
/// around the loop is cancelled. A loop that options.cancel ended returns normally.
/// Complexity: one call of body per piece. With a grain, one fork (1-2 ns) fewer than pieces; by default one fork for
/// each request of a thief, and about 1024 pieces where the region is profiled or planned.
/// Thread-safety: any thread. Outside a worker the loop runs inside the process-wide runtime. Several threads may call
/// body at the same time.
/// Source: lazy binary splitting (Tzannes et al., PPoPP 2010), if no grain is given.
template <detail::loop_index I, class Body>
void parallel_for_range(I first, I last, Body&& body, const loop_options& options = {}) {
  if (!(first < last)) return;
  if (!detail::inside_worker) return run([&] { parallel_for_range(first, last, body, options); });
  using pieces = detail::range_pieces<I, std::remove_reference_t<Body>>;
  detail::run_loop(detail::length_of(first, last), pieces{first, body}, options);
}

/// Calls body(i) for each i in [first, last) exactly once, in any order, in parallel. Returns when all calls are done.
///
///     std::vector<double> roots(1 << 20);
///     nearfork::parallel_for(std::size_t{0}, roots.size(), [&](std::size_t i) { roots[i] = std::sqrt(i); });
///
/// Throws: as parallel_for_range. If body(i) throws, the rest of its piece is skipped, too.
/// Complexity, thread-safety, source: as parallel_for_range.
template <detail::loop_index I, class Body>
void parallel_for(I first, I last, Body&& body, const loop_options& options = {}) {
  if (!(first < last)) return;
  if (!detail::inside_worker) return run([&] { parallel_for(first, last, body, options); });
  using pieces = detail::index_pieces<I, std::remove_reference_t<Body>>;
  detail::run_loop(detail::length_of(first, last), pieces{first, body}, options);
}

}  // namespace nearfork
