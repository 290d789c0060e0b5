// Sample sort (Frazer and McKellar, 1970): elements are dealt out to buckets between sampled splitters, and each bucket
// is sorted by itself. What nearfork::parallel_sort() and parallel_stable_sort() do; not for users.
//
// A pass has three steps. *Classify* writes the bucket of each element beside it and counts; only this step compares,
// and it moves nothing. *Scatter* moves the elements to the buffer, in order, so equal elements keep their order.
// *Collect* moves each bucket back and sorts it. If a step ends early, each element is moved back before the exception
// goes on: [S1] outside a pass all elements are in the user's range.
//
// What looks ordered is not dealt out any further: its runs are merged (merge_runs.hpp).
#pragma once

#include <nearfork/detail/language.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <nearfork/algorithms/merge_runs.hpp>
#include <nearfork/detail/registers.hpp>
#include <nearfork/loop_options.hpp>
#include <nearfork/parallel_for.hpp>
#include <nearfork/tasks/this_runtime.hpp>

namespace nearfork::detail {

enum class equal_elements : bool { any_order, keep_order };

/// Numbers that were set by measurement, with std::uint32_t, double and std::string.
struct sort_tuning {
  std::size_t serial_most = 512;                          ///< std::sort sorts a bucket of up to so many elements
  std::size_t samples_per_bucket = 8;                     ///< buckets then differ by less than 3x, nearly always
  std::size_t block = std::size_t{1} << 14;               ///< elements that one worker classifies or scatters at once
  static constexpr std::size_t too_short_for_two = 2048;  ///< some 30 us of work: a thief needs a third of that to come
  static constexpr std::size_t largest_to_merge = 32;     ///< bytes of an element that a merge moves at little cost
  static constexpr std::size_t most_buckets = 128;        ///< with a bucket of equals beside each: numbers below 256
  static constexpr std::size_t most_ids = 2 * most_buckets;
};

/// Memory for `count` elements, none of which exist at first.
template <class T>
class raw_elements {
 public:
  explicit raw_elements(std::size_t count) : data_(std::allocator<T>().allocate(count)), count_(count) {}
  ~raw_elements() { std::allocator<T>().deallocate(data_, count_); }
  raw_elements(const raw_elements&) = delete;
  raw_elements& operator=(const raw_elements&) = delete;
  [[nodiscard]] T* data() const noexcept { return data_; }

 private:
  T* data_;
  std::size_t count_;
};

/// What std::sort gets, for splitters and for buckets: with one type for both, a program has its code once.
template <class T, class Compare>
struct in_order {
  Compare& compare;
  bool operator()(const T& a, const T& b) const { return compare(a, b); }
};

/// Splitters as an implicit search tree: node i has the children 2i and 2i + 1. So a comparison gives the next node
/// without a branch, and the processor works on several elements at once.
template <class T, class Compare>
class splitter_tree {
  /// Elements are compared where they are; small plain ones are copied, which keeps them together in the cache.
  static constexpr bool copies = std::is_trivially_copyable_v<T> && std::is_copy_constructible_v<T> && sizeof(T) <= 16;
  using splitter = std::conditional_t<copies, T, const T*>;
  static const T& value(const splitter& s) noexcept {
    if constexpr (copies) return s;
    else return *s;
  }

 public:
  /// Takes about `buckets` - 1 splitters, a power of two less one, from a sample. The elements must not move while the
  /// tree is used.
  template <class It>
  splitter_tree(It data, std::size_t count, std::size_t buckets, std::size_t samples_per_bucket, Compare& compare)
      : compare_(compare), buckets_(buckets), levels_(static_cast<unsigned>(std::countr_zero(buckets))) {
    std::vector<splitter> sample = take_sample(data, count, buckets * samples_per_bucket);
    sort_sample(sample);
    for (std::size_t i = 1; i < buckets; ++i) add(sample[i * samples_per_bucket]);
    while (sorted_.size() < buckets - 1) sorted_.push_back(sorted_.back());
    tree_.reserve(buckets);
    tree_.push_back(sorted_[0]);  // node 0 is no node
    for (unsigned level = 0; level < levels_; ++level)
      for (std::size_t i = 0; i < std::size_t{1} << level; ++i)
        tree_.push_back(sorted_[((2 * i + 1) << (levels_ - level - 1)) - 1]);
  }

  /// Elements that equal a splitter get buckets of their own, with odd numbers, where the sample has equal elements.
  [[nodiscard]] std::size_t ids() const noexcept { return equals_ ? 2 * buckets_ : buckets_; }
  [[nodiscard]] bool is_sorted(std::size_t id) const noexcept { return equals_ && id % 2 == 1; }

  /// Writes the bucket of each element to `ids` and counts them.
  template <class It>
  void classify(It data, std::size_t count, std::uint8_t* ids, std::size_t* counts) const {
    constexpr std::size_t together = 8;
    std::size_t i = 0;
    for (; i + together <= count; i += together) classify_some<together>(data, i, ids, counts);
    for (; i != count; ++i) classify_some<1>(data, i, ids, counts);
  }

 private:
  template <class It>
  static std::vector<splitter> take_sample(It data, std::size_t count, std::size_t size) {
    std::vector<splitter> sample;
    sample.reserve(size);
    std::uint64_t random = count;
    for (std::size_t i = 0; i < size; ++i) {
      random = random * 6364136223846793005 + 1442695040888963407;  // Knuth's MMIX
      const T& element = data[static_cast<std::iter_difference_t<It>>((random >> 16) % count)];
      if constexpr (copies) sample.push_back(element);
      else sample.push_back(std::addressof(element));
    }
    return sample;
  }
  void sort_sample(std::vector<splitter>& sample) const {
    if constexpr (copies) {  // std::sort does not bear what is no order
      std::stable_sort(sample.begin(), sample.end(), in_order<T, Compare>{compare_});
    } else {
      const auto by_value = [this](const T* a, const T* b) -> bool { return compare_(*a, *b); };
      std::stable_sort(sample.begin(), sample.end(), by_value);
    }
  }
  void add(const splitter& next) {
    if (!sorted_.empty() && !compare_(value(sorted_.back()), value(next))) equals_ = true;
    else sorted_.push_back(next);
  }

  template <std::size_t Count, class It>
  void classify_some(It data, std::size_t from, std::uint8_t* ids, std::size_t* counts) const {
    using distance = std::iter_difference_t<It>;
    std::size_t node[Count];
    std::fill_n(node, Count, std::size_t{1});
    for (unsigned level = 0; level < levels_; ++level)
      for (std::size_t j = 0; j < Count; ++j)
        node[j] = 2 * node[j] +
                  as_number(compare_(value(tree_[node[j]]), std::as_const(data[static_cast<distance>(from + j)])));
    for (std::size_t j = 0; j < Count; ++j) {
      std::size_t id = node[j] - buckets_;
      if (equals_) id = 2 * id + (equals(std::as_const(data[static_cast<distance>(from + j)]), id) ? 1 : 0);
      ids[from + j] = static_cast<std::uint8_t>(id);
      ++counts[id];
    }
  }
  /// The bucket's elements are not behind its splitter. The last bucket has none.
  [[nodiscard]] bool equals(const T& element, std::size_t bucket) const {
    return bucket != buckets_ - 1 && !compare_(element, value(sorted_[bucket]));
  }

  Compare& compare_;
  std::size_t buckets_;
  unsigned levels_;
  bool equals_ = false;
  std::vector<splitter> sorted_;  // filled up with the last one
  std::vector<splitter> tree_;
};

/// Sorts `count` elements from `data` on, with as many places in `buffer` and `ids`.
template <equal_elements Equals, class It, class Compare>
class sample_sort {
  using T = std::iter_value_t<It>;
  using distance = std::iter_difference_t<It>;

 public:
  sample_sort(Compare& compare, const loop_options& options) : compare_(compare), options_(options) {
    if (options.grain != 0) tuning_.serial_most = options.grain;
  }

  /// The whole range. What looks ordered is sorted as if equal elements had to keep their order: then merging its runs
  /// gives the same result as a pass, which takes longer than one worker alone takes to merge.
  void sort_all(It data, std::size_t count, T* buffer, std::uint8_t* ids) {
    constexpr bool is_large = sizeof(T) > sort_tuning::largest_to_merge;
    keeps_order_ = seldom_turns(data, count, pairs::neighbours, is_large ? most_turns / 8 : most_turns) &&
                   seldom_turns(data, count, pairs::distant, 4 * most_turns);
    const bool alone = this_runtime::workers() == 1 && options_.grain == 0 && !this_fiber().forks_are_seen();
    // A merge that is cancelled leaves the rest to the pass, which ends as a loop does.
    if (!keeps_order_ || !alone || !sort_few_runs(data, count, buffer, &options_.cancel))
      sort(data, count, buffer, ids);
  }
  void sort(It data, std::size_t count, T* buffer, std::uint8_t* ids) {
    if (count <= std::max<std::size_t>(tuning_.serial_most, 2)) return sort_bucket(data, count, buffer);
    if (count <= tuning_.block && seldom_turns(data, count, pairs::neighbours, most_turns))
      return static_cast<void>(sort_few_runs(data, count, buffer, nullptr));
    pass(*this, data, count, buffer, ids).run();
  }
  void sort_serially(It data, std::size_t count) const {
    const auto sort_places = [&](auto first) {
      const auto end = first + static_cast<std::iter_difference_t<decltype(first)>>(count);
      if constexpr (Equals == equal_elements::any_order) {
        std::sort(first, end, in_order<T, Compare>{compare_});
      } else if constexpr (is_wide) {
        const raw_elements<T> buffer(count / 2);
        (void)merge_runs(first, count, buffer.data(), compare_, nullptr);
      } else std::stable_sort(first, end, in_order<T, Compare>{compare_});
    };
    if constexpr (std::contiguous_iterator<It>) sort_places(std::to_address(data));
    else sort_places(data);
  }

 private:
  void sort_bucket(It data, std::size_t count, T* buffer) const {
    if (Equals == equal_elements::any_order ? keeps_order_ : is_wide) (void)sort_few_runs(data, count, buffer, nullptr);
    else sort_serially(data, count);
  }
  /// Where a few elements at the ends are out of order, as a scatter leaves them, std::sort makes up to three times
  /// n log2(n) comparisons, and std::stable_sort does not see that there are few runs.
  bool sort_few_runs(It data, std::size_t count, T* buffer, const cancellation_token* cancel) const {
    if constexpr (std::contiguous_iterator<It>)
      return merge_runs(std::to_address(data), count, buffer, compare_, cancel);
    else return merge_runs(data, count, buffer, compare_, cancel);
  }

  /// The buffer of std::stable_sort is not aligned for such elements (libstdc++ 12), and vector stores crash.
  static constexpr bool is_wide = alignof(T) > __STDCPP_DEFAULT_NEW_ALIGNMENT__;
  static constexpr std::size_t most_turns = 8;  // merging runs then takes less than half of a pass
  enum class pairs : bool { neighbours, distant };
  /// True if few of 64 pairs differ from the pair before in whether they are in order. Distant pairs: from one place
  /// that is looked at to the next.
  [[nodiscard]] bool seldom_turns(It data, std::size_t count, pairs which, std::size_t most) const {
    constexpr std::size_t looks = 64;
    const std::size_t step = (count - 1) / (looks + 1);
    // No even steps: they may be in time with the runs.
    const auto place = [&](std::size_t i) {
      return data + static_cast<distance>(step * i + (step > 1 ? i * i * 127 % step : 0));
    };
    std::size_t turns = 0;
    bool descends = false;
    for (std::size_t i = 0; i != looks && turns <= most; ++i) {
      const It at = place(i);
      const It other = which == pairs::neighbours ? at + 1 : place(i + 1);
      if (const bool next = compare_(std::as_const(*other), std::as_const(*at)); std::exchange(descends, next) != next)
        ++turns;
    }
    return turns <= most;
  }

  /// One bucket of a pass.
  struct bucket {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool in_buffer = false;
  };

  class pass {
   public:
    pass(sample_sort& all, It data, std::size_t count, T* buffer, std::uint8_t* ids)
        : all_(all),
          data_(data),
          count_(count),
          buffer_(buffer),
          ids_(ids),
          splitters_(data, count, buckets_for(count), all.tuning_.samples_per_bucket, all.compare_),
          blocks_((count + all.tuning_.block - 1) / all.tuning_.block),
          places_(blocks_ * splitters_.ids()),
          scattered_(blocks_),
          buckets_(splitters_.ids()) {}

    void run() {
      each_block(all_.options_.cancel, [&](std::size_t block, std::size_t lo, std::size_t hi) {
        splitters_.classify(data_ + static_cast<distance>(lo), hi - lo, ids_ + lo, row(block));
      });
      if (all_.options_.cancel.cancelled()) return;  // some elements have no bucket
      find_places();
      scatter();
      collect_all();
    }

   private:
    [[nodiscard]] std::size_t buckets_for(std::size_t count) const noexcept {
      const std::size_t wanted = count / std::max<std::size_t>(all_.tuning_.serial_most / 2, 1);
      return std::clamp<std::size_t>(std::bit_ceil(wanted), 2, sort_tuning::most_buckets);
    }
    [[nodiscard]] std::size_t* row(std::size_t block) noexcept { return &places_[block * splitters_.ids()]; }

    template <class Act>
    void each_block(const cancellation_token& cancel, Act&& act) {
      const auto blocks = [&](std::size_t block, std::size_t end) {
        for (; block != end; ++block) {
          const std::size_t lo = block * all_.tuning_.block;
          act(block, lo, std::min(lo + all_.tuning_.block, count_));
        }
      };
      if (blocks_ == 1) blocks(0, 1);
      else parallel_for_range(std::size_t{0}, blocks_, blocks, {.grain = 0, .cancel = cancel});
    }

    /// Turns counts into places: by bucket, then by block.
    void find_places() noexcept {
      std::size_t next = 0;
      for (std::size_t id = 0; id < splitters_.ids(); ++id) {
        buckets_[id].begin = next;
        for (std::size_t block = 0; block < blocks_; ++block) next += std::exchange(row(block)[id], next);
        buckets_[id].end = next;
      }
    }

    void scatter() {
      try {
        each_block({}, [&](std::size_t block, std::size_t lo, std::size_t hi) { scatter_block(block, lo, hi); });
      } catch (...) {
        for (std::size_t block = 0; block < blocks_; ++block) take_back_block(block);
        throw;
      }
      for (bucket& one : buckets_) one.in_buffer = true;
    }
    void scatter_block(std::size_t block, std::size_t lo, std::size_t hi) {
      std::size_t place[sort_tuning::most_ids];
      std::copy_n(row(block), splitters_.ids(), place);
      std::size_t i = lo;
      const struct noted_at_end {
        std::size_t& scattered;
        const std::size_t &i, lo;
        ~noted_at_end() { scattered = i - lo; }
      } note{scattered_[block], i, lo};
      for (; i != hi; ++i)
        std::construct_at(buffer_ + place[ids_[i]]++, std::ranges::iter_move(data_ + static_cast<distance>(i)));
    }
    /// [S1] Undoes scatter_block().
    void take_back_block(std::size_t block) noexcept {
      const std::size_t lo = block * all_.tuning_.block;
      for (std::size_t i = lo; i != lo + scattered_[block]; ++i) {
        const std::size_t from = row(block)[ids_[i]]++;
        try {
          take_back(from, from + 1, i);
        } catch (...) {
          ids_[i] = 0;  // the element has lost its value, and the exception that ended the pass goes on
        }
      }
    }

    /// Moves buffer places [lo, hi) to the range from `to` on, and ends their elements.
    void take_back(std::size_t lo, std::size_t hi, std::size_t to) noexcept(std::is_nothrow_move_assignable_v<T>) {
      const struct destroyed_at_end {
        T *first, *last;
        ~destroyed_at_end() { std::destroy(first, last); }
      } end{buffer_ + lo, buffer_ + hi};
      std::move(buffer_ + lo, buffer_ + hi, data_ + static_cast<distance>(to));
    }

    void collect_all() {
      const struct rest_at_end {
        pass& all;
        ~rest_at_end() {  // [S1]
          for (bucket& one : all.buckets_) all.collect_quietly(one);
        }
      } end{*this};
      const auto some = [&](std::size_t id, std::size_t last) {
        for (; id != last; ++id) collect(id);
      };
      if (count_ <= sort_tuning::too_short_for_two) some(0, buckets_.size());
      else parallel_for_range(std::size_t{0}, buckets_.size(), some, {.grain = 0, .cancel = all_.options_.cancel});
    }
    void collect(std::size_t id) {
      bucket& one = buckets_[id];
      one.in_buffer = false;
      take_back(one.begin, one.end, one.begin);
      if (splitters_.is_sorted(id)) return;
      const It begin = data_ + static_cast<distance>(one.begin);
      const std::size_t count = one.end - one.begin;
      if (count == count_)
        all_.sort_bucket(begin, count, buffer_ + one.begin);  // the comparison is no order, or the sample was unlucky
      else all_.sort(begin, count, buffer_ + one.begin, ids_ + one.begin);
    }
    void collect_quietly(bucket& one) noexcept {
      if (!std::exchange(one.in_buffer, false)) return;
      try {
        take_back(one.begin, one.end, one.begin);
      } catch (...) {
        one.in_buffer = false;  // the exception that ended the pass goes on
      }
    }

    sample_sort& all_;
    It data_;
    std::size_t count_;
    T* buffer_;
    std::uint8_t* ids_;
    splitter_tree<T, Compare> splitters_;
    std::size_t blocks_;
    std::vector<std::size_t> places_;     // by block: how many elements go to each bucket, then where the next one goes
    std::vector<std::size_t> scattered_;  // by block: how many elements are in the buffer
    std::vector<bucket> buckets_;
  };

  Compare& compare_;
  const loop_options& options_;
  sort_tuning tuning_;
  bool keeps_order_ = false;
};

}  // namespace nearfork::detail
