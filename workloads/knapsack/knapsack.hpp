// 0-1 knapsack by search: each item that fits is taken or left. Subtrees differ in size by what fits. No bound cuts the
// tree: with a bound, the size of the search would depend on the order in which tasks find solutions, and contenders
// could not be compared.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "workloads/forks.hpp"
#include "workloads/instance.hpp"
#include "workloads/workload.hpp"

namespace nearfork::workloads {

struct knapsack_size {
  std::uint64_t items;
  std::uint64_t spawn_items;
};

struct knapsack_item {
  std::uint64_t weight;
  std::uint64_t value;
};

/// The value that the items [first, last) can add to a knapsack with `room` left, without forks. In a separate file, so
/// that all contenders run the same code.
[[nodiscard]] std::uint64_t most_value(const knapsack_item* first, const knapsack_item* last,
                                       std::uint64_t room) noexcept;

class knapsack_instance final : public instance {
 public:
  knapsack_instance(const knapsack_size& size, std::uint64_t seed);
  [[nodiscard]] static std::uint64_t bytes(const knapsack_size& size);

  void reset() override;
  void run_serial() override;
  void run_nearfork() override;
  [[nodiscard]] std::string fault() const override;
  void corrupt(std::uint64_t where) override;

  template <class Fork>
  void run_with(const Fork& fork) {
    answer_ = search(0, capacity_, fork);
  }

 private:
  template <class Fork>
  [[nodiscard]] std::uint64_t search(std::size_t i, std::uint64_t room, const Fork& fork) const {
    if (i >= std::min<std::size_t>(spawn_items_, items_.size()))
      return most_value(items_.data() + i, items_.data() + items_.size(), room);
    const knapsack_item& item = items_[i];
    if (item.weight > room) return search(i + 1, room, fork);
    std::uint64_t taken = 0;
    std::uint64_t left = 0;
    fork([&] { taken = item.value + search(i + 1, room - item.weight, fork); },
         [&] { left = search(i + 1, room, fork); });
    return std::max(taken, left);
  }
  [[nodiscard]] std::uint64_t by_table() const;

  std::size_t spawn_items_;
  std::vector<knapsack_item> items_;
  std::uint64_t capacity_ = 0;
  std::uint64_t answer_ = 0;
  std::uint64_t right_ = 0;
};

[[nodiscard]] workload knapsack_workload();

}  // namespace nearfork::workloads
