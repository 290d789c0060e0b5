#include "workloads/graphs/pull_lists.hpp"

namespace nearfork::workloads {

std::vector<node_number> pull_lists::readers() const {
  std::vector<node_number> made(offsets_.size() - 1);
  for (const node_number target : targets_) ++made[target];
  return made;
}

}  // namespace nearfork::workloads
