#pragma once

#include <nearfork/detail/language.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include <nearfork/parallel_for.hpp>
#include <nearfork/parallel_reduce.hpp>
#include <nearfork/tasks/this_runtime.hpp>

namespace nearfork {
namespace detail {

enum class scan_kind : unsigned char { inclusive, exclusive };

template <class T, class... Types>
inline constexpr bool is_one_of = (std::is_same_v<T, Types> || ...);

/// The fold of one block. A struct, because different threads write different elements of a vector of these at the same
/// time, and the elements of a std::vector<bool> would share bytes.
template <class T>
struct block_fold {
  T value;
};
/// True for iterators of std::vector<bool>: eight of its elements share a byte.
template <class It>
inline constexpr bool gives_shared_bits = std::is_same_v<std::iter_reference_t<It>, std::vector<bool>::reference>;

/// Scans one element from `running` on.
template <scan_kind Kind, class It, class Out, class T, class Op>
NEARFORK_INLINE void scan_element(It first, Out out, std::size_t i, T& running, Op& op) {
  const auto at = static_cast<std::iter_difference_t<Out>>(i);
  // Read the element before writing it: the output may be the input.
  T next = op(running, first[static_cast<std::iter_difference_t<It>>(i)]);
  if constexpr (Kind == scan_kind::inclusive) out[at] = next;
  else out[at] = running;
  running = std::move(next);
}
template <class It, class T, class Op>
NEARFORK_INLINE void fold_element(It first, std::size_t i, T& folded, Op& op) {
  folded = op(std::move(folded), first[static_cast<typename std::iterator_traits<It>::difference_type>(i)]);
}

template <class It, class T, class Op>
NEARFORK_INLINE T fold_elements(It first, std::size_t lo, std::size_t hi, T folded, Op& op) {
  for (; lo != hi; ++lo) fold_element(first, lo, folded, op);
  return folded;
}

/// Integers under operations that are exactly associative: a block that is scanned from its start on needs no fold of
/// its own to give the bits of two passes. A million int take 0.33 ms so, and 0.58 with the fold (gcc).
template <class Op, class T>
inline constexpr bool is_exact_operation =
    is_one_of<Op, std::plus<>, std::plus<T>, std::multiplies<>, std::multiplies<T>, std::bit_and<>, std::bit_and<T>,
              std::bit_or<>, std::bit_or<T>, std::bit_xor<>, std::bit_xor<T>>;
template <class Op, class T>
inline constexpr bool is_exact_operation<narrowing<T, Op>, T> = is_exact_operation<Op, T>;
template <class It, class T, class Op>
inline constexpr bool scans_exactly =
    std::is_integral_v<T> && std::is_integral_v<std::iter_value_t<It>> && is_exact_operation<std::remove_cv_t<Op>, T>;

/// Sums that wait for each other, in a fold as in a scan: two workers gain nothing by two passes. A million double take
/// 0.52 ms so, and 0.47 in one pass. Iterators that compute their elements may take longer than the sums.
template <class It, class T, class Op>
inline constexpr bool folds_as_slowly =
    std::contiguous_iterator<It> && std::is_floating_point_v<T> &&
    is_one_of<std::remove_cv_t<Op>, std::plus<>, std::plus<T>, std::multiplies<>, std::multiplies<T>>;

/// Scans [lo, hi), a block, from `start` on: what two passes compute, in one. Returns where the next block starts.
template <scan_kind Kind, class It, class Out, class T, class Op>
NEARFORK_INLINE T scan_in_one_pass(It first, Out out, std::size_t lo, std::size_t hi, const T& identity, T start,
                                   Op& op) {
  if constexpr (scans_exactly<It, T, Op>) {
    for (; lo != hi; ++lo) scan_element<Kind>(first, out, lo, start, op);
    return start;
  } else {
    T folded = identity;
    T running = start;
    for (std::size_t i = lo; i != hi; ++i) {
      fold_element(first, i, folded, op);
      scan_element<Kind>(first, out, i, running, op);
    }
    return op(std::move(start), std::move(folded));
  }
}

/// How many blocks a scan does in the calling task, with one pass: all, if a runtime has one worker or the scan is so
/// short that no thief would come in time; else some at the beginning, until that is known.
class blocks_in_place {
 public:
  /// `two_gain`: whether two workers may be faster than one.
  blocks_in_place(std::size_t blocks, bool two_gain)
      : blocks_(blocks), workers_(this_runtime::workers()), shortest_ticks_(shortest_for(workers_, two_gain)) {
    if (!this_fiber().forks_are_seen()) to_ = 1;
  }
  /// The blocks before this one are to be done now, without a look for a cancellation: one, if blocks are slow.
  [[nodiscard]] std::size_t to() const noexcept { return to_; }
  /// They are. Whether to go on.
  [[nodiscard]] bool go_on() noexcept {
    if (to_ == 0 || to_ == blocks_) return false;
    pieces_.piece_ended();
    const std::size_t done = std::exchange(to_, std::min(blocks_, to_ + pieces_.step()));
    return pieces_.ticks() / done * (blocks_ - done) < shortest_ticks_;
  }
  /// For two workers alone, a fold must take less than a scan: that can be tried.
  [[nodiscard]] bool need_trial() const noexcept { return workers_ == 2 && to_ != 0; }
  /// All blocks are to be done here, by one pass; those before `done` are.
  void stay(std::size_t done) noexcept {
    shortest_ticks_ = UINT64_MAX;
    to_ = std::max(to_, done);
    pieces_ = lone_pieces(pieces_.step(), 0);  // without the time of the trial
  }

 private:
  /// How long the rest must take to be shared. Two passes by `workers` take 2 / workers of one, and some us more. Two
  /// workers gain only where a fold takes less than a scan: 10,000 int took 18 to 23 us, and 8 alone.
  [[nodiscard]] static std::uint64_t shortest_for(std::uint64_t workers, bool two_gain) noexcept {
    if (workers == 1 || (workers == 2 && !two_gain)) return UINT64_MAX;
    return workers == 2 ? 64 * look_up_ticks : 4 * look_up_ticks * workers / (workers - 2);
  }

  std::size_t blocks_;
  std::uint64_t workers_;
  std::uint64_t shortest_ticks_;
  std::size_t to_ = 0;
  lone_pieces pieces_{1, 0};
};

/// Times a fold and a scan of `some` elements each from `lo` on, and scans them all. True: the fold is not much faster,
/// as where the compiler makes no vector instructions of it: a million int take 0.29 ms by two workers then, and 0.24
/// by one (gcc -O2); with such instructions 0.19 and 0.25 (clang).
template <scan_kind Kind, class It, class Out, class T, class Op>
bool fold_is_slow(It first, Out out, std::size_t lo, std::size_t some, T& start, Op& op) {
  const std::uint64_t began = coarse_ticks();
  const T folded = fold_elements(first, lo, lo + some, start, op);
  __asm__ __volatile__("" : : "m"(folded) : "memory");
  const std::uint64_t fold_ticks = coarse_ticks() - began;
  start = scan_in_one_pass<Kind>(first, out, lo, lo + some, start, start, op);
  __asm__ __volatile__("" : : : "memory");
  const std::uint64_t scan_began = coarse_ticks();
  start = scan_in_one_pass<Kind>(first, out, lo + some, lo + 2 * some, start, start, op);
  __asm__ __volatile__("" : : : "memory");
  return fold_ticks * 8 > (coarse_ticks() - scan_began) * 7;
}

/// Two passes over fixed blocks: fold each block, scan the folds, then scan each block from its start value.
/// 2n calls of op, of which n/blocks + blocks follow one another. One worker makes the same calls in one pass: 1e6
/// numbers take 0.56 ms in two passes, and 0.28 in one; a std::inclusive_scan takes 0.25. Blocks of exact operations
/// are scanned as one: 100,000 int in blocks of 98 took 32 us, and take 25.
template <scan_kind Kind, class It, class Out, class T, class Op>
T scan_blocks(It first, std::size_t count, Out out, T identity, Op& op, const loop_options& options) {
  const std::size_t grain = deterministic_grain(count, options.grain);
  const std::size_t blocks = count / grain + (count % grain != 0 ? 1 : 0);
  const auto end_of = [&](std::size_t block) { return block * grain + std::min(grain, count - block * grain); };
  T total = identity;
  std::size_t done = 0;
  const auto is_better_alone = [&](blocks_in_place& here) {
    if constexpr (scans_exactly<It, T, Op> && std::contiguous_iterator<It>) {
      const std::size_t some = std::max<std::size_t>(1, 8192 / grain);  // blocks
      if (!here.need_trial() || done + 2 * some >= blocks) return false;
      const bool alone = fold_is_slow<Kind>(first, out, done * grain, some * grain, total, op);
      done += 2 * some;
      if (alone) here.stay(done);
      return alone;
    } else {
      return false;
    }
  };
  in_loop_scope(options.cancel, [&](const loop_scope& loop) {
    blocks_in_place here(blocks, !folds_as_slowly<It, T, Op>);
    while (!loop.must_stop()) {
      T start = total;  // in a register: through memory, each block takes 2 ns more
      if constexpr (scans_exactly<It, T, Op>) {
        const std::size_t from = std::exchange(done, here.to());
        start = scan_in_one_pass<Kind>(first, out, from * grain, std::min(count, done * grain), start, start, op);
      } else if (grain == 1) {
        // A loop of their own: a scan of 1000 takes 1.0 us so, else 1.2 (gcc) and 1.6 (clang).
        for (; done != here.to(); ++done)
          start = scan_in_one_pass<Kind>(first, out, done, done + 1, identity, std::move(start), op);
      } else {
        for (; done != here.to(); ++done)
          start = scan_in_one_pass<Kind>(first, out, done * grain, end_of(done), identity, std::move(start), op);
      }
      total = std::move(start);
      if (!here.go_on() && !is_better_alone(here)) break;
    }
  });
  if (done == blocks || options.cancel.cancelled()) return total;
  std::vector<block_fold<T>> starts(blocks - done, block_fold<T>{identity});
  const auto each_block = [&](auto&& act) {
    parallel_for(done, blocks,
                 [&](std::size_t block) { act(starts[block - done].value, block * grain, end_of(block)); },
                 {.grain = 0, .cancel = options.cancel});
  };
  each_block([&](T& start, std::size_t lo, std::size_t hi) { start = fold_elements(first, lo, hi, identity, op); });
  for (block_fold<T>& start : starts) {
    if (options.cancel.cancelled()) return total;
    T next = op(total, start.value);
    start.value = std::exchange(total, std::move(next));
  }
  each_block([&](T running, std::size_t lo, std::size_t hi) {
    for (std::size_t i = lo; i != hi; ++i) scan_element<Kind>(first, out, i, running, op);
  });
  return total;
}

template <scan_kind Kind, class It, class Out, class T, class Op>
T scan(It first, It last, Out out, T identity, Op& op, const loop_options& options) {
  static_assert(!gives_shared_bits<Out>,
                "a scan cannot write to std::vector<bool>: its elements share bytes between threads");
  if (!(first < last)) return identity;
  const auto count = static_cast<std::size_t>(last - first);
  auto&& both = combining<T>(op);
  return nearfork::run([&] { return scan_blocks<Kind>(first, count, out, std::move(identity), both, options); });
}

}  // namespace detail

/// Writes all prefixes in parallel: out[i] = first[0] op ... op first[i].
///
///     std::vector<long> counts(1 << 20, 1), sums(counts.size());
///     const long total =
///         nearfork::parallel_scan_inclusive(counts.begin(), counts.end(), sums.begin(), 0L, std::plus<>());
///
/// The iterators must have random access. `out` may be `first`, but no iterator of std::vector<bool>. op must be
/// associative up to the error that the caller accepts. The blocks depend on the length and the grain alone, so the
/// result is the same bit for bit for any number of workers.
/// Returns: the fold of all elements; `identity` for an empty range.
/// Throws: as parallel_for_range; std::bad_alloc. A scan that options.cancel ended returns, and leaves parts of `out`
/// unwritten.
/// Complexity: at most 2n + min(n, 1024) calls of op for n elements, and memory for one T per block. By default there
/// are at most 1024 blocks.
/// Thread-safety: any thread. Outside a worker the scan runs inside the process-wide runtime. Several threads may call
/// op at the same time.
template <class It, std::input_or_output_iterator Out, class T, class Op>
T parallel_scan_inclusive(It first, It last, Out out, T identity, Op op, const loop_options& options = {}) {
  return detail::scan<detail::scan_kind::inclusive>(first, last, out, std::move(identity), op, options);
}

/// The same without the element itself: out[i] = identity op first[0] op ... op first[i - 1]. Otherwise as
/// parallel_scan_inclusive.
///
///     std::vector<std::size_t> sizes(1000, 3), offsets(sizes.size());
///     const std::size_t all =
///         nearfork::parallel_scan_exclusive(sizes.begin(), sizes.end(), offsets.begin(), 0UL, std::plus<>());
template <class It, std::input_or_output_iterator Out, class T, class Op>
T parallel_scan_exclusive(It first, It last, Out out, T identity, Op op, const loop_options& options = {}) {
  return detail::scan<detail::scan_kind::exclusive>(first, last, out, std::move(identity), op, options);
}

/// The same for a range.
///
///     std::vector<long> counts(1 << 20, 1);
///     nearfork::parallel_scan_inclusive(counts, counts.begin(), 0L, std::plus<>());
template <std::ranges::random_access_range Range, class Out, class T, class Op>
  requires std::ranges::sized_range<Range> && std::random_access_iterator<Out>
T parallel_scan_inclusive(Range&& range, Out out, T identity, Op op, const loop_options& options = {}) {
  const auto first = std::ranges::begin(range);
  return nearfork::parallel_scan_inclusive(first, first + std::ranges::distance(range), out, std::move(identity),
                                           std::move(op), options);
}
/// The same for a range.
template <std::ranges::random_access_range Range, class Out, class T, class Op>
  requires std::ranges::sized_range<Range> && std::random_access_iterator<Out>
T parallel_scan_exclusive(Range&& range, Out out, T identity, Op op, const loop_options& options = {}) {
  const auto first = std::ranges::begin(range);
  return nearfork::parallel_scan_exclusive(first, first + std::ranges::distance(range), out, std::move(identity),
                                           std::move(op), options);
}

}  // namespace nearfork
