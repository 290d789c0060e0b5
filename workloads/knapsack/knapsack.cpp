#include "workloads/knapsack/knapsack.hpp"

#include <nearfork/region.hpp>

#include "workloads/difference.hpp"
#include "workloads/input_numbers.hpp"

namespace nearfork::workloads {
namespace {

constexpr std::uint64_t no_worth = ~std::uint64_t{0};
constexpr std::uint64_t heaviest = 1000;

const size_table<knapsack_size>& knapsack_sizes() {
  static const size_table<knapsack_size> table{
      {{&knapsack_size::items, {"items", "items to choose from", 1, 48}},
       {&knapsack_size::spawn_items, {"spawn_items", "items whose choice is a fork", 0, 48}}},
      {{"default", {27, 13}}, {"small", {20, 10}}, {"test", {12, 7}}}};
  return table;
}

}  // namespace

/// Half of the items' weight fits.
knapsack_instance::knapsack_instance(const knapsack_size& size, std::uint64_t seed)
    : spawn_items_(size.spawn_items), items_(size.items) {
  input_numbers numbers(seed);
  for (knapsack_item& item : items_) {
    item = {1 + numbers.below(heaviest), 1 + numbers.below(heaviest)};
    capacity_ += item.weight;
  }
  capacity_ /= 2;
  right_ = by_table();
  reset();
}

std::uint64_t knapsack_instance::bytes(const knapsack_size& size) {
  return size.items * (sizeof(knapsack_item) + heaviest * sizeof(std::uint64_t));
}

void knapsack_instance::reset() {
  answer_ = no_worth;
}

void knapsack_instance::run_serial() {
  answer_ = most_value(items_.data(), items_.data() + items_.size(), capacity_);
}

void knapsack_instance::run_nearfork() {
  region("knapsack", [&] { run_with(nearfork_fork{}); });
}

std::string knapsack_instance::fault() const {
  return difference("the value", answer_, right_);
}

void knapsack_instance::corrupt(std::uint64_t where) {
  answer_ ^= std::uint64_t{1} << where % 64;
}

/// Dynamic programming: the largest value for every capacity, item by item.
std::uint64_t knapsack_instance::by_table() const {
  std::vector<std::uint64_t> most(capacity_ + 1, 0);
  for (const knapsack_item& item : items_)
    for (std::uint64_t room = capacity_; room >= item.weight; --room)
      most[room] = std::max(most[room], most[room - item.weight] + item.value);
  return most[capacity_];
}

workload knapsack_workload() {
  return workload_of<knapsack_instance>("knapsack", "0-1 knapsack by search of all choices that fit", knapsack_sizes());
}

}  // namespace nearfork::workloads
