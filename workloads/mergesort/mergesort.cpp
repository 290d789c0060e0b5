#include "workloads/mergesort/mergesort.hpp"

#include "workloads/define.hpp"
#include "workloads/fork.hpp"
#include "workloads/random_numbers.hpp"
#include "workloads/same_bits.hpp"

namespace nearfork::workloads {

std::vector<parameter> parameters_of(mergesort_size& size) {
  return {number("keys", size.keys, {1, std::uint64_t{1} << 40}, "to sort, of 8 bytes"),
          number("leaf", size.leaf, {1, std::uint64_t{1} << 40}, "up to so many keys are sorted or merged by one task"),
          number("seed", size.seed, {0, ~std::uint64_t{0}}, "of the keys")};
}

/// Keys, room and expected answer.
std::uint64_t bytes_of(const mergesort_size& size) {
  return 3 * sizeof(sort_key) * size.keys;
}

/// std::sort knows nothing of our merges.
mergesort::mergesort(const mergesort_size& chosen) : chosen_(chosen) {
  reset();
  expected_ = keys_;
  std::ranges::sort(expected_);
}

/// A key in eight is small, so that equal ones occur.
void mergesort::reset() {
  keys_.resize(chosen_.keys);
  room_.resize(chosen_.keys);
  random_numbers random(chosen_.seed);
  for (sort_key& key : keys_) {
    key = random.next();
    if (key % 8 == 0) key >>= 56;
  }
}

std::optional<std::string> mergesort::fault() const {
  const auto wrong = first_difference<sort_key>(keys_, expected_);
  if (!wrong) return std::nullopt;
  return "key " + std::to_string(*wrong) + " is " + std::to_string(keys_[*wrong]) + ", but must be " +
         std::to_string(expected_[*wrong]);
}

void run_mergesort_serial(mergesort& list) {
  list.solve(serial_fork{});
}
void run_mergesort_nearfork(mergesort& list) {
  list.solve(nearfork_fork{});
}

workload define_mergesort() {
  return define<mergesort>({.name = "mergesort",
                            .description = "sorting 64-bit keys with parallel merges; moves all data log(n) times",
                            .sizes = {{"test", "keys=5003,leaf=64"}, {"small", "keys=256k"}, {"default", ""}},
                            .contenders = {contender_of("serial", library::none, run_mergesort_serial),
                                           contender_of("nearfork", library::nearfork, run_mergesort_nearfork)}});
}

}  // namespace nearfork::workloads
