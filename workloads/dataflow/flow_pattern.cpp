#include "workloads/dataflow/flow_pattern.hpp"

namespace nearfork::workloads {
namespace {

constexpr std::uint32_t blocks_of_control_task = 16;

}  // namespace

flow_pattern::flow_pattern(std::uint32_t blocks, std::uint64_t block_bytes, std::uint32_t arrays)
    : blocks_(blocks), block_bytes_(block_bytes), arrays_(arrays) {
  for (std::uint32_t first = 0; first < blocks; first += blocks_of_control_task) {
    flow_step control;
    control.block = first;
    control.creator = size();
    steps_.push_back(control);
    first_input_.push_back(0);
  }
}

std::uint32_t flow_pattern::creator_of(std::uint32_t block, std::span<const std::uint32_t> inputs) const noexcept {
  if (!inputs.empty()) {
    const auto before = this->inputs(values_[inputs.front()].producer);
    if (!before.empty()) return values_[before.front()].producer;
  }
  return block / blocks_of_control_task;
}

std::uint32_t flow_pattern::add(flow_step what, std::span<const std::uint32_t> inputs) {
  what.creator = creator_of(what.block, inputs);
  steps_.push_back(what);
  inputs_.insert(inputs_.end(), inputs.begin(), inputs.end());
  first_input_.push_back(inputs_.size());
  return size() - 1;
}

std::uint32_t flow_pattern::add_value(std::uint32_t producer, std::uint32_t block, std::uint64_t bytes,
                                      flow_place place, std::uint32_t part) {
  values_.push_back({producer, block, bytes, place, part});
  return static_cast<std::uint32_t>(values_.size() - 1);
}

}  // namespace nearfork::workloads
