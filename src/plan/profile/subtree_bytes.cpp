#include "plan/profile/subtree_bytes.hpp"

namespace nearfork {

bytes_of_task measured_bytes(const profile& measured) {
  if (measured.source() == cost_source::time || measured.total(tree_root).size_bytes == 0) return {};
  return [&measured](tree_node node) { return static_cast<double>(measured.total(node).size_bytes); };
}

bytes_of_task bytes_by_branching(const profile& measured) {
  if (measured.input_bytes() == 0) return {};
  return [&measured](tree_node node) {
    return size_by_branching(measured.tree(), node, static_cast<double>(measured.input_bytes()));
  };
}

bytes_of_task best_known_bytes(const profile& measured) {
  bytes_of_task bytes = measured_bytes(measured);
  return bytes ? bytes : bytes_by_branching(measured);
}

bool is_cpu_bound(const profile& measured) noexcept {
  const task_cost all = measured.total(tree_root);
  if (measured.source() == cost_source::time || all.time_ns == 0) return false;
  return static_cast<double>(all.size_bytes) < least_bytes_per_ns * static_cast<double>(all.time_ns);
}

}  // namespace nearfork
