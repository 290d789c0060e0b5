#pragma once

#include <nearfork/detail/language.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <nearfork/detail/coarse_ticks.hpp>
#include <nearfork/detail/short_loop.hpp>
#include <nearfork/fork_join.hpp>
#include <nearfork/loop_options.hpp>
#include <nearfork/run.hpp>

namespace nearfork {
namespace detail {

/// Integer types that a loop can count with.
template <class I>
concept loop_index =
    std::is_integral_v<I> && !std::is_same_v<std::remove_cv_t<I>, bool> && sizeof(I) <= sizeof(std::size_t);

/// A blocked_range of iterators is a range of the elements, too, but loops take it as pieces.
template <class Range>
inline constexpr bool is_blocked_range = false;

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

/// Bodies that take longer than this are slow: a cancellable loop calls them one by one.
inline constexpr std::uint64_t slow_body_ticks = look_up_ticks / 32;

/// Calls act(lo, hi) on pieces of [first, last), in order. If bodies are slow, the loop sees a cancellation within one
/// body. Without a loop all is one piece, and nothing looks for a cancellation. Only the first body of the first leaf
/// is timed: reading the clock takes about 10 ns, and a leaf that begins one body later may take 1.6x, because the
/// compiler's vectors then straddle cache lines.
template <class Act>
NEARFORK_INLINE void in_cancellable_steps(std::size_t first, std::size_t last, loop_scope* loop, Act&& act) {
  if (loop == nullptr) return act(first, last);
  bool quick = last - first == 1 || loop->bodies_are_quick();
  const std::uint64_t before = quick ? 0 : coarse_ticks();
  for (bool is_first = true;; is_first = false) {
    const std::size_t end = quick ? last : first + 1;
    act(first, end);
    first = end;
    if (is_first && !quick && coarse_ticks() - before <= slow_body_ticks) {
      loop->note_quick_bodies();
      quick = true;
    }
    if (first == last || loop->must_stop()) return;
  }
}

/// A loop's body without its type, so that the loop itself is in the library and not in each program many times.
struct loop_pieces {
  void (*call)(void* body, std::size_t lo, std::size_t hi);  // calls the body for the positions [lo, hi)
  void* body;
  enum class form : std::uint8_t {
    bodies,  // a call for each position
    ranges,  // one call: the body sees the ends of a piece that was asked for, which is not cut
    boxes,   // a call for each power of two of tiles that begins at a multiple of itself
  } is;
};

/// Turns positions of a loop that begins at `first` into indices, for bodies that take ranges.
template <loop_index I, class Body>
struct range_pieces {
  static constexpr auto is = loop_pieces::form::ranges;
  I first;
  Body& body;
  NEARFORK_INLINE void operator()(std::size_t lo, std::size_t hi) const {
    body(index_behind(first, lo), index_behind(first, hi));
  }
};
/// The same for bodies that take one index.
template <loop_index I, class Body>
struct index_pieces {
  static constexpr auto is = loop_pieces::form::bodies;
  I first;
  Body& body;
  NEARFORK_INLINE void operator()(std::size_t lo, std::size_t hi) const {
    const I end = index_behind(first, hi);
    kept_for_calls<Body, I&> kept = body;
    for (I i = index_behind(first, lo); i != end; ++i) kept(i);
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
    return loop.finish();  // a fork of the loop was cancelled; throws the reason
  }
  loop.finish();
}

/// Runs the positions [0, count) on the calling worker and on those that help; outside workers in the process-wide
/// runtime. Throws as parallel_for().
void run_loop(std::size_t count, const loop_pieces& pieces, const loop_options& options, const call_site& where);

template <class Pieces>
void run_pieces_of(std::size_t count, Pieces pieces, const loop_options& options, const call_site& where) {
  const auto call = [](void* body, std::size_t lo, std::size_t hi) { (*static_cast<Pieces*>(body))(lo, hi); };
  run_loop(count, {call, &pieces, Pieces::is}, options, where);
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
/// `where`: the name of this call in recordings.
/// With the default grain a piece ends when a thief asks for work, so the pieces differ from run to run. Loops of some
/// microseconds that are called again and again run on the calling worker alone if that has been faster.
/// Throws: what a piece threw; if several did, the exception of the lowest position. Pieces that have not started are
/// then skipped on all workers, and loops, forks and groups inside running pieces stop. nearfork::cancelled if the task
/// around the loop is cancelled. A loop that options.cancel ended returns normally.
/// Complexity: one call of body per piece. With a grain, one fork (1-2 ns) fewer than pieces; by default one fork for
/// each request of a thief, and about 1024 pieces where the region is profiled or planned.
/// Thread-safety: any thread. Outside a worker the loop runs inside the process-wide runtime. Several threads may call
/// body at the same time.
/// Source: lazy binary splitting (Tzannes et al., PPoPP 2010), if no grain is given.
template <detail::loop_index I, class Body>
void parallel_for_range(I first, I last, Body&& body, const loop_options& options = {},
                        const call_site& where = {__builtin_FILE(), __builtin_LINE()}) {
  if (!(first < last)) return;
  using pieces = detail::range_pieces<I, std::remove_reference_t<Body>>;
  detail::run_pieces_of(detail::length_of(first, last), pieces{first, body}, options, where);
}

/// Calls body(i) for each i in [first, last) exactly once, in any order, in parallel. Returns when all calls are done.
///
///     std::vector<double> roots(1 << 20);
///     nearfork::parallel_for(std::size_t{0}, roots.size(), [&](std::size_t i) { roots[i] = std::sqrt(i); });
///
/// Throws: as parallel_for_range. If body(i) throws, the rest of its piece is skipped, too.
/// Complexity, thread-safety, source: as parallel_for_range.
template <detail::loop_index I, class Body>
void parallel_for(I first, I last, Body&& body, const loop_options& options = {},
                  const call_site& where = {__builtin_FILE(), __builtin_LINE()}) {
  if (!(first < last)) return;
  using pieces = detail::index_pieces<I, std::remove_reference_t<Body>>;
  detail::run_pieces_of(detail::length_of(first, last), pieces{first, body}, options, where);
}

}  // namespace nearfork
