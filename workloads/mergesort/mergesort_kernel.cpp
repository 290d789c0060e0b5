#include "workloads/mergesort/mergesort.hpp"

namespace nearfork::workloads {

void sort_keys(key_range keys) noexcept {
  std::sort(keys.begin(), keys.end());
}

void merge_keys(key_range a, key_range b, key_range out) noexcept {
  std::merge(a.begin(), a.end(), b.begin(), b.end(), out.begin());
}

}  // namespace nearfork::workloads
