#include "plan/profile/subtree_bytes.hpp"

#include <cstdint>

namespace nearfork {

std::vector<double> measured_bytes(const profile& measured) {
  if (measured.source() == cost_source::time || measured.total(tree_root).size_bytes == 0) return {};
  std::vector<double> bytes;
  bytes.reserve(measured.tree().size());
  for (std::uint32_t i = 0; i < measured.tree().size(); ++i)
    bytes.push_back(static_cast<double>(measured.total(tree_node{i}).size_bytes));
  return bytes;
}

std::vector<double> bytes_by_branching(const profile& measured) {
  if (measured.input_bytes() == 0) return {};
  std::vector<double> bytes{static_cast<double>(measured.input_bytes())};
  const task_tree& tree = measured.tree();
  bytes.reserve(tree.size());
  for (std::uint32_t i = 1; i < tree.size(); ++i) {
    const tree_node node{i};
    bytes.push_back(bytes[index_of(tree.parent(node))] / tree.position(node).branching);
  }
  return bytes;
}

std::vector<double> best_known_bytes(const profile& measured) {
  std::vector<double> bytes = measured_bytes(measured);
  return bytes.empty() ? bytes_by_branching(measured) : bytes;
}

bool is_cpu_bound(const profile& measured) noexcept {
  const task_cost all = measured.total(tree_root);
  if (measured.source() == cost_source::time || all.time_ns == 0) return false;
  return static_cast<double>(all.size_bytes) < least_bytes_per_ns * static_cast<double>(all.time_ns);
}

}  // namespace nearfork
