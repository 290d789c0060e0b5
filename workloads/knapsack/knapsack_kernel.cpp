#include "workloads/knapsack/knapsack.hpp"

namespace nearfork::workloads {

std::uint64_t most_value(const knapsack_item* first, const knapsack_item* last, std::uint64_t room) noexcept {
  if (first == last) return 0;
  const std::uint64_t left = most_value(first + 1, last, room);
  if (first->weight > room) return left;
  return std::max(left, first->value + most_value(first + 1, last, room - first->weight));
}

}  // namespace nearfork::workloads
