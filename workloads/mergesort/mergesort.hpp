// Sorting 64-bit keys: halves sorted in parallel between two buffers, and merged in parallel by cutting at medians.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "workloads/parameters.hpp"
#include "workloads/workload.hpp"

namespace nearfork::workloads {

struct mergesort_size {
  std::uint64_t keys = std::uint64_t{3} << 20;
  std::uint64_t leaf = 4096;
  std::uint64_t seed = 1;
};
[[nodiscard]] std::vector<parameter> parameters_of(mergesort_size& size);
[[nodiscard]] std::uint64_t bytes_of(const mergesort_size& size);

using sort_key = std::uint64_t;
using sort_keys = std::span<sort_key>;

/// Sorts.
void sort_leaf(sort_keys keys);
/// Merges two sorted runs into `out`, which has room for both.
void merge_leaf(std::span<const sort_key> one, std::span<const sort_key> other, sort_key* out);

/// Below `leaf` keys together a merge is not cut any more.
template <class Fork>
void merge_by(const Fork& fork, std::span<const sort_key> one, std::span<const sort_key> other, sort_key* out,
              std::size_t leaf) {
  if (one.size() < other.size()) return merge_by(fork, other, one, out, leaf);
  if (one.size() + other.size() <= leaf || other.empty()) return merge_leaf(one, other, out);
  const std::size_t middle = one.size() / 2;
  const auto cut = static_cast<std::size_t>(std::ranges::lower_bound(other, one[middle]) - other.begin());
  fork([&] { merge_by(fork, one.first(middle), other.first(cut), out, leaf); },
       [&] { merge_by(fork, one.subspan(middle), other.subspan(cut), out + middle + cut, leaf); });
}

/// Which of the two buffers gets the sorted keys.
enum class sorted_into : std::uint8_t { same, other };

/// Sorts `keys`; `room` is as long and its content is lost, or it is where the result goes.
template <class Fork>
void sort_by(const Fork& fork, sort_keys keys, sort_keys room, sorted_into target, std::size_t leaf) {
  if (keys.size() <= leaf) {
    sort_leaf(keys);
    if (target == sorted_into::other) std::ranges::copy(keys, room.begin());
    return;
  }
  const std::size_t middle = keys.size() / 2;
  const auto from = target == sorted_into::same ? sorted_into::other : sorted_into::same;
  fork([&] { sort_by(fork, keys.first(middle), room.first(middle), from, leaf); },
       [&] { sort_by(fork, keys.subspan(middle), room.subspan(middle), from, leaf); });
  const sort_keys halves = target == sorted_into::same ? room : keys;
  const sort_keys out = target == sorted_into::same ? keys : room;
  merge_by(fork, halves.first(middle), halves.subspan(middle), out.data(), leaf);
}

class mergesort final : public problem {
 public:
  using size = mergesort_size;
  explicit mergesort(const mergesort_size& chosen);

  void reset() override;
  [[nodiscard]] std::optional<std::string> fault() const override;
  [[nodiscard]] std::span<std::byte> answer() override { return std::as_writable_bytes(std::span(keys_)); }

  template <class Fork>
  void solve(const Fork& fork) {
    sort_by(fork, sort_keys(keys_), sort_keys(room_), sorted_into::same, chosen_.leaf);
  }

 private:
  mergesort_size chosen_;
  std::vector<sort_key> keys_;
  std::vector<sort_key> room_;
  std::vector<sort_key> expected_;
};

void run_mergesort_serial(mergesort& list);
void run_mergesort_nearfork(mergesort& list);

[[nodiscard]] workload define_mergesort();

}  // namespace nearfork::workloads
