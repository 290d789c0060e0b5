// Merges the runs that a range has already (natural merge sort). For ranges that look ordered: n comparisons for a
// sorted one, about n log2(runs) else. Equal elements keep their order. What sample_sort.hpp does with buckets that
// look ordered; not for users.
#pragma once

#include <nearfork/detail/language.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>

#include <nearfork/cancellation.hpp>
#include <nearfork/detail/callable.hpp>

namespace nearfork::detail {

/// Sorts [data, data + count) with places for count / 2 elements in `buffer`. If `compare` throws, all elements are in
/// the range.
template <class It, class T, class Compare>
class run_merger {
  using distance = std::iter_difference_t<It>;

 public:
  run_merger(It data, std::size_t count, T* buffer, Compare& compare, const cancellation_token* cancel)
      : data_(data), count_(count), buffer_(buffer), compare_(compare), cancel_(cancel) {}

  /// Runs are merged in the order of powersort (Munro and Wild, ESA 2018): neighbours of similar length first.
  bool sort() {
    if (count_ == 0) return true;  // a bucket between two keys of a range with few
    run last = next_run(0);
    while (last.end != count_) {
      if (must_stop()) return false;
      const run next = next_run(last.end);
      const unsigned power = power_between(last, next);
      while (depth_ != 0 && waiting_[depth_ - 1].power >= power) last = merge(waiting_[--depth_].its, last);
      waiting_[depth_++] = {last, power};
      last = next;
    }
    while (depth_ != 0) last = merge(waiting_[--depth_].its, last);
    return true;
  }

 private:
  struct run {
    std::size_t begin, end;
  };
  struct waiting_run {
    run its;
    unsigned power;  // of the border behind it, 0 to 64; powers rise in the list
  };
  /// Shorter runs are filled up by insertion.
  static constexpr std::size_t shortest_run = 8;
  /// After so many elements in a row from one side, a search finds how many more come from there.
  static constexpr int in_a_row = 8;

  [[nodiscard]] bool must_stop() const noexcept {
    return cancel_ != nullptr && (cancel_->cancelled() || this_task::cancelled());
  }
  [[nodiscard]] auto& at(std::size_t i) const { return data_[static_cast<distance>(i)]; }
  [[nodiscard]] It place(std::size_t i) const { return data_ + static_cast<distance>(i); }
  [[nodiscard]] bool descends(std::size_t i) const { return before(at(i), at(i - 1)); }
  [[nodiscard]] bool before(const T& a, const T& b) const { return compare_(a, b); }

  [[nodiscard]] run next_run(std::size_t begin) const {
    std::size_t end = begin + 1;
    if (end == count_) return {begin, end};
    const bool falls = descends(end++);
    while (end != count_ && descends(end) == falls) ++end;
    if (falls) std::reverse(place(begin), place(end));
    for (const std::size_t least = std::min(begin + shortest_run, count_); end < least; ++end)
      std::rotate(std::upper_bound(place(begin), place(end), std::as_const(at(end)), by_order()), place(end),
                  place(end + 1));
    return {begin, end};
  }
  [[nodiscard]] auto by_order() const {
    return [this](const T& a, const T& b) -> bool { return compare_(a, b); };
  }

  /// The first bit in which the middles of two neighbours differ, as binary fractions of the whole.
  [[nodiscard]] unsigned power_between(const run& a, const run& b) const noexcept {
    const int shift = std::countl_zero(std::uint64_t{2} * count_);
    const auto middle = [&](const run& one) { return (std::uint64_t{one.begin + one.end} << shift) / count_; };
    return static_cast<unsigned>(std::countl_zero(middle(a) ^ middle(b)));
  }

  run merge(const run& a, const run& b) {
    const std::size_t middle = b.begin;
    const auto lo = static_cast<std::size_t>(
        std::upper_bound(place(a.begin), place(middle), std::as_const(at(middle)), by_order()) - data_);
    if (lo != middle) {
      const auto hi = static_cast<std::size_t>(
          std::lower_bound(place(middle), place(b.end), std::as_const(at(middle - 1)), by_order()) - data_);
      if (hi == middle) return {a.begin, b.end};  // by a comparison that is no order, as < of NaNs
      if (middle - lo <= hi - middle) merge_upwards(lo, middle, hi);
      else merge_downwards(lo, middle, hi);
    }
    return {a.begin, b.end};
  }

  /// [lo, middle) goes through the buffer, and the result is written upwards.
  void merge_upwards(std::size_t lo, std::size_t middle, std::size_t hi) {
    const in_buffer left(place(lo), middle - lo, buffer_);
    merge_with(left.first(), left.last(), place(middle), place(hi), place(lo),
               [this](const T& right, const T& lifted) { return before(right, lifted); });
  }
  /// [middle, hi) goes through the buffer, and the result is written downwards.
  void merge_downwards(std::size_t lo, std::size_t middle, std::size_t hi) {
    const in_buffer right(place(middle), hi - middle, buffer_);
    // By functions: the class template's own deduction copies iterators that are reverse already.
    merge_with(std::make_reverse_iterator(right.last()), std::make_reverse_iterator(right.first()),
               std::make_reverse_iterator(place(middle)), std::make_reverse_iterator(place(lo)),
               std::make_reverse_iterator(place(hi)),
               [this](const T& left, const T& lifted) { return before(lifted, left); });
  }

  class in_buffer {
   public:
    in_buffer(It from, std::size_t count, T* buffer)
        : first_(buffer), last_(std::uninitialized_move_n(from, count, buffer).second) {}
    ~in_buffer() { std::destroy(first_, last_); }
    in_buffer(const in_buffer&) = delete;
    in_buffer& operator=(const in_buffer&) = delete;
    [[nodiscard]] T* first() const noexcept { return first_; }
    [[nodiscard]] T* last() const noexcept { return last_; }

   private:
    T* first_;
    T* last_;
  };

  /// Merges [lifted, lifted_end), elements in the buffer, with [other, other_end), elements of the range, to `out`. The
  /// range has as many holes from `out` to `other` as there are elements left in the buffer.
  template <class Lifted, class Other, class GoesFirst>
  static void merge_with(Lifted lifted, Lifted lifted_end, Other other, Other other_end, Other out,
                         const GoesFirst& other_goes_first) {
    int others = 0, lifts = 0;  // in a row
    try {
      for (;;) {
        if (other_goes_first(std::as_const(*other), std::as_const(*lifted))) {
          *out++ = std::move(*other++);
          lifts = 0;
          if (++others == in_a_row) {
            const auto is_behind = [&](const T& one) { return !other_goes_first(one, std::as_const(*lifted)); };
            const Other end = first_with(other, other_end, is_behind);
            out = std::move(other, end, out);
            other = end;
            others = 0;
          }
          if (other == other_end) break;
        } else {
          *out++ = std::move(*lifted++);
          others = 0;
          if (++lifts == in_a_row) {
            const auto is_behind = [&](const T& one) { return other_goes_first(std::as_const(*other), one); };
            const Lifted end = first_with(lifted, lifted_end, is_behind);
            out = std::move(lifted, end, out);
            lifted = end;
            lifts = 0;
          }
          if (lifted == lifted_end) break;
        }
      }
    } catch (...) {
      put_back(lifted, lifted_end, out);
      throw;
    }
    std::move(lifted, lifted_end, out);
  }
  template <class Lifted, class Other>
  NEARFORK_COLD static void put_back(Lifted first, Lifted last, Other out) noexcept {
    try {
      std::move(first, last, out);
    } catch (...) {
      return;  // the exception that ended the merge goes on
    }
  }
  /// The first element with `is_so`, which is true from there on. Looks near `first`, then farther and farther.
  template <class Iter, class Is>
  static Iter first_with(Iter first, Iter last, const Is& is_so) {
    std::iter_difference_t<Iter> step = 1;
    while (step < last - first && !is_so(std::as_const(first[step - 1]))) {
      first += step;
      step *= 2;
    }
    return std::partition_point(first, first + std::min(step, last - first), [&](const T& one) { return !is_so(one); });
  }

  It data_;
  std::size_t count_;
  T* buffer_;
  Compare& compare_;
  const cancellation_token* cancel_;
  waiting_run waiting_[65];
  unsigned depth_ = 0;
};

/// False: `cancel`, which may be nullptr, or the task around has ended the sort before.
template <class It, class T, class Compare>
bool merge_runs(It data, std::size_t count, T* buffer, Compare& compare, const cancellation_token* cancel) {
  return run_merger<It, T, Compare>(data, count, buffer, compare, cancel).sort();
}

}  // namespace nearfork::detail
