// Apart from those who call it, so that all contenders run the same instructions.
#include "workloads/mergesort/mergesort.hpp"

namespace nearfork::workloads {

void sort_leaf(sort_keys keys) {
  std::ranges::sort(keys);
}

void merge_leaf(std::span<const sort_key> one, std::span<const sort_key> other, sort_key* out) {
  std::ranges::merge(one, other, out);
}

}  // namespace nearfork::workloads
