#include "workloads/dataflow/single_values.hpp"

namespace nearfork::workloads {

single_values::single_values(const flow_pattern& pattern) : pattern_(&pattern), readers_(pattern.values().size()) {
  for (std::uint32_t task = 0; task < pattern.size(); ++task)
    for (const std::uint32_t input : pattern.inputs(task)) ++readers_[input];
}

void single_values::begin() {
  if (slots_.empty()) slots_ = std::vector<slot>(readers_.size());
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    slots_[i].free();
    slots_[i].readers.store(readers_[i], std::memory_order_relaxed);  // no task runs yet
  }
}

std::byte* single_values::take(std::uint32_t value) {
  slots_[value].take(units_of(pattern_->values()[value].bytes));
  return slots_[value].data();
}

void single_values::let_go(std::uint32_t value) noexcept {
  // acq_rel: what other readers have read is not freed before they have done so.
  if (readers_[value] == 0 || slots_[value].readers.fetch_sub(1, std::memory_order_acq_rel) == 1) slots_[value].free();
}

}  // namespace nearfork::workloads
