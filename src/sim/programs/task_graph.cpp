#include "sim/programs/task_graph.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace nearfork::sim {

task_graph::task_graph(task_tree tree) : tree_(std::move(tree)) {
  first_fork_.reserve(tree_.size() + 1);
  for (std::uint32_t i = 0; i < size(); ++i) {
    first_fork_.push_back(static_cast<std::uint32_t>(forks_.size()));
    tree_.for_each_fork(tree_node{i},
                        [&](tree_node first, std::uint32_t branching) { forks_.push_back({first, branching}); });
  }
  first_fork_.push_back(static_cast<std::uint32_t>(forks_.size()));
  stretches_.resize(tree_.size() + forks_.size());
}

stretch task_graph::work(tree_node task, std::uint32_t i) const noexcept {
  const stretch_record& found = stretches_[place_of(task, i)];
  return {found.compute_ns, {accesses_.data() + found.first_access, found.accesses}};
}

void task_graph::set_work(tree_node task, std::uint32_t i, std::uint64_t compute_ns,
                          std::span<const data_access> accesses) {
  assert(i <= forks(task).size());
  stretches_[place_of(task, i)] = {compute_ns, static_cast<std::uint32_t>(accesses_.size()),
                                   static_cast<std::uint32_t>(accesses.size())};
  accesses_.insert(accesses_.end(), accesses.begin(), accesses.end());
  if (__builtin_add_overflow(compute_ns_, compute_ns, &compute_ns_))
    compute_ns_ = std::numeric_limits<std::uint64_t>::max();
  for (const data_access& one : accesses) data_bytes_ = std::max(data_bytes_, one.begin_byte + one.size_bytes);
}

void task_graph::shorten(tree_node task, std::uint32_t i, std::uint64_t compute_ns) {
  std::uint64_t& present_ns = stretches_[place_of(task, i)].compute_ns;
  assert(compute_ns <= present_ns);
  if (compute_ns_ != std::numeric_limits<std::uint64_t>::max()) compute_ns_ -= present_ns - compute_ns;
  present_ns = compute_ns;
}

std::uint64_t work_ns(const task_graph& graph) {
  std::uint64_t sum = 0;
  for (std::uint32_t task = 0; task < graph.size(); ++task)
    for (std::uint32_t i = 0; i <= graph.forks(tree_node{task}).size(); ++i)
      sum += graph.work(tree_node{task}, i).compute_ns;
  return sum;
}

// Parents come before children, so one pass from the back reads all children of a task before the task.
std::uint64_t span_ns(const task_graph& graph) {
  std::vector<std::uint64_t> longest(graph.size(), 0);
  for (std::uint32_t task = graph.size(); task-- > 0;) {
    const auto forks = graph.forks(tree_node{task});
    for (std::uint32_t i = 0; i <= forks.size(); ++i) {
      longest[task] += graph.work(tree_node{task}, i).compute_ns;
      if (i == forks.size()) break;
      const auto first = longest.begin() + index_of(forks[i].first_child);
      longest[task] += *std::max_element(first, first + forks[i].branching);
    }
  }
  return longest.front();
}

}  // namespace nearfork::sim
