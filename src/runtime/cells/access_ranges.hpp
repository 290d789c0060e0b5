// The bytes of some accesses, sorted, so that those that meet other bytes are found without a look at all of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include <nearfork/detail/dataflow/dataflow_task.hpp>

namespace nearfork {

struct access_range {
  std::uintptr_t begin;
  std::uintptr_t end;
  detail::dataflow_task* task = nullptr;  // the end of the access (nested_scope.hpp)
  std::uint64_t held_by = 0;              // the newest task that `task` waits for, counted as they are added
  std::uintptr_t farthest_end = 0;        // of the ranges up to this one
};

class access_ranges {
 public:
  void reserve(std::size_t count) { all_.reserve(count); }
  /// Not empty. Throws std::bad_alloc.
  void add(const access_range& one) { all_.push_back(one); }
  /// Between the last add() and the first question.
  void sort() noexcept {
    std::ranges::sort(all_, {}, &access_range::begin);
    std::uintptr_t farthest = 0;
    for (access_range& each : all_) each.farthest_end = farthest = std::max(farthest, each.end);
  }
  template <class Use>
  void for_each(const Use& use) const {
    for (const access_range& each : all_) use(each);
  }
  /// Those that share a byte with [begin, end). Complexity: O(log n + k) for k of n ranges that do not overlap.
  template <class Use>
  void for_each_that_meets(std::uintptr_t begin, std::uintptr_t end, const Use& use) {
    for (auto at = behind(end); at != all_.begin() && std::prev(at)->farthest_end > begin; --at)
      if (access_range& one = all_[static_cast<std::size_t>(at - all_.begin()) - 1]; one.end > begin) use(one);
  }
  /// Cuts [begin, end) at the ends of those that meet it, and calls inside(from, to) for what is in some and
  /// outside(from, to) for what is in none. Complexity: as for_each_that_meets().
  template <class Inside, class Outside>
  void cut(std::uintptr_t begin, std::uintptr_t end, const Inside& inside, const Outside& outside) const {
    auto at = std::ranges::upper_bound(all_, begin, {}, &access_range::farthest_end);
    for (; begin < end && at != all_.end() && at->begin < end; ++at) {
      if (at->end <= begin) continue;
      if (begin < at->begin) outside(begin, at->begin);
      const std::uintptr_t to = std::min(at->end, end);
      inside(std::max(at->begin, begin), to);
      begin = to;
    }
    if (begin < end) outside(begin, end);
  }
  [[nodiscard]] bool any_meets(std::uintptr_t begin, std::uintptr_t end) const noexcept {
    const auto at = behind(end);
    return at != all_.begin() && std::prev(at)->farthest_end > begin;
  }

 private:
  /// The first that begins at or behind this byte.
  [[nodiscard]] std::vector<access_range>::const_iterator behind(std::uintptr_t end) const noexcept {
    return std::ranges::lower_bound(all_, end, {}, &access_range::begin);
  }

  std::vector<access_range> all_;
};

}  // namespace nearfork
