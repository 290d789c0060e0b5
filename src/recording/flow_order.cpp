#include "recording/flow_order.hpp"

#include <algorithm>
#include <cassert>

namespace nearfork::recordings {

void flow_order::add_task(std::uint32_t task, std::uint32_t creator) {
  assert(tasks_.empty() || tasks_.back().task < task);
  assert(creator < task);
  tasks_.push_back({task, creator, predecessors_.size(), exclusions_.size()});
}

void flow_order::add_predecessor(std::uint32_t earlier) {
  assert(earlier < tasks_.back().task);
  predecessors_.push_back(earlier);
  tasks_.back().predecessors_end = predecessors_.size();
}

void flow_order::add_exclusion(std::uint32_t number) {
  assert(number <= exclusion_numbers_);
  exclusion_numbers_ = std::max(exclusion_numbers_, number + 1);
  exclusions_.push_back(number);
  tasks_.back().exclusions_end = exclusions_.size();
}

std::size_t flow_order::place_from(std::uint32_t task) const noexcept {
  return static_cast<std::size_t>(std::ranges::lower_bound(tasks_, task, {}, &flow_task::task) - tasks_.begin());
}

}  // namespace nearfork::recordings
