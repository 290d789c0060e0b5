#include "workloads/mergesort/mergesort.hpp"

#include <nearfork/region.hpp>

#include "workloads/input_numbers.hpp"

namespace nearfork::workloads {
namespace {

const size_table<mergesort_size>& mergesort_sizes() {
  static const size_table<mergesort_size> table{
      {{&mergesort_size::keys, {"keys", "64-bit keys to sort", 1, std::uint64_t{1} << 40}}},
      {{"default", {std::uint64_t{5} << 19}}, {"small", {std::uint64_t{1} << 18}}, {"test", {20'000}}}};
  return table;
}

}  // namespace

mergesort_instance::mergesort_instance(const mergesort_size& size, std::uint64_t seed)
    : seed_(seed), keys_(size.keys), other_(size.keys) {
  reset();
  right_ = keys_;
  std::ranges::sort(right_);
}

std::uint64_t mergesort_instance::bytes(const mergesort_size& size) {
  return 3 * size.keys * sizeof(sort_key);
}

void mergesort_instance::reset() {
  input_numbers numbers(seed_);
  // One key in 16 occurs more than once.
  for (sort_key& key : keys_) key = numbers.next() % (keys_.size() * 8);
}

void mergesort_instance::run_serial() {
  run_with(serial_fork{});
}

void mergesort_instance::run_nearfork() {
  region({.name = "mergesort", .input_bytes = 2 * keys_.size() * sizeof(sort_key)}, [&] { run_with(nearfork_fork{}); });
}

std::string mergesort_instance::fault() const {
  const auto [key, right] = std::ranges::mismatch(keys_, right_);
  if (key == keys_.end()) return {};
  return "key " + std::to_string(key - keys_.begin()) + " is " + std::to_string(*key) + ", should be " +
         std::to_string(*right);
}

void mergesort_instance::corrupt(std::uint64_t where) {
  keys_[where % keys_.size()] ^= 1;
}

workload mergesort_workload() {
  return workload_of<mergesort_instance>("mergesort", "merge sort of 64-bit keys with parallel merges",
                                         mergesort_sizes());
}

}  // namespace nearfork::workloads
