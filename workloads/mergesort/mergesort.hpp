// Merge sort with parallel merges: halves are sorted into the other buffer and merged back. A merge is divided at the
// middle of its longer run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "workloads/forks.hpp"
#include "workloads/instance.hpp"
#include "workloads/workload.hpp"

namespace nearfork::workloads {

struct mergesort_size {
  std::uint64_t keys;
};

using sort_key = std::uint64_t;
using key_range = std::span<sort_key>;

/// Sizes of leaves: for smaller ones a fork costs more than it gains.
inline constexpr std::size_t sort_leaf = 2048;
inline constexpr std::size_t merge_leaf = 4096;

/// In separate files, so that all contenders run the same code.
void sort_keys(key_range keys) noexcept;
/// Merges the sorted runs a and b to `out`, which has room for both.
void merge_keys(key_range a, key_range b, key_range out) noexcept;

template <class Fork>
void merge_runs(key_range a, key_range b, key_range out, const Fork& fork) {
  if (out.size() <= merge_leaf) {
    merge_keys(a, b, out);
    return;
  }
  if (a.size() < b.size()) std::swap(a, b);
  const std::size_t of_a = a.size() / 2;
  const auto of_b = static_cast<std::size_t>(std::ranges::lower_bound(b, a[of_a]) - b.begin());
  fork([&] { merge_runs(a.first(of_a), b.first(of_b), out.first(of_a + of_b), fork); },
       [&] { merge_runs(a.subspan(of_a), b.subspan(of_b), out.subspan(of_a + of_b), fork); });
}

enum class sorted_into : unsigned char { same, other };

/// Sorts `keys` into its own place or into `other`, which has the same length. The contents of the other of the two are
/// then unspecified.
template <class Fork>
void merge_sort(key_range keys, key_range other, sorted_into where, const Fork& fork) {
  if (keys.size() <= sort_leaf) {
    sort_keys(keys);
    if (where == sorted_into::other) std::ranges::copy(keys, other.begin());
    return;
  }
  const std::size_t half = keys.size() / 2;
  const auto sorted_from = where == sorted_into::same ? sorted_into::other : sorted_into::same;
  fork([&] { merge_sort(keys.first(half), other.first(half), sorted_from, fork); },
       [&] { merge_sort(keys.subspan(half), other.subspan(half), sorted_from, fork); });
  const key_range from = where == sorted_into::same ? other : keys;
  const key_range to = where == sorted_into::same ? keys : other;
  merge_runs(from.first(half), from.subspan(half), to, fork);
}

class mergesort_instance final : public instance {
 public:
  mergesort_instance(const mergesort_size& size, std::uint64_t seed);
  [[nodiscard]] static std::uint64_t bytes(const mergesort_size& size);

  void reset() override;
  void run_serial() override;
  void run_nearfork() override;
  [[nodiscard]] std::string fault() const override;
  void corrupt(std::uint64_t where) override;

  template <class Fork>
  void run_with(const Fork& fork) {
    merge_sort(keys_, other_, sorted_into::same, fork);
  }

 private:
  std::uint64_t seed_;
  std::vector<sort_key> keys_;
  std::vector<sort_key> other_;
  std::vector<sort_key> right_;
};

[[nodiscard]] workload mergesort_workload();

}  // namespace nearfork::workloads
