#include "sim/programs/graph_sketch.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include <nearfork/error.hpp>

namespace nearfork::sim {

void graph_sketch::work(tree_node task, std::uint64_t compute_ns, std::span<const data_access> accesses) {
  parts_.push_back({task, forks_done_[index_of(task)], compute_ns, accesses_.size(), accesses.size()});
  accesses_.insert(accesses_.end(), accesses.begin(), accesses.end());
}

tree_node graph_sketch::fork(tree_node task, std::uint32_t branching) {
  const tree_node first = tree_.try_fork(task, branching);
  if (first == no_node)
    throw error("nearfork: the program forks more than the " + std::to_string(tree_.size()) +
                " tasks so far, which is as many as are simulated; choose a smaller size or a coarser cut-off");
  ++forks_done_[index_of(task)];
  forks_done_.resize(tree_.size(), 0);
  return first;
}

task_graph graph_sketch::finish() && {
  constexpr std::uint64_t most_ns = std::numeric_limits<std::uint64_t>::max();
  task_graph made(std::move(tree_));
  const auto place = [](const part& one) { return std::tuple(index_of(one.task), one.stretch); };
  // Accesses were added in order, so their begin orders the parts of one stretch.
  std::ranges::sort(parts_, {}, [](const part& one) { return std::tuple(one.task, one.stretch, one.first_access); });
  std::vector<data_access> together;
  for (auto begin = parts_.begin(); begin != parts_.end();) {
    const auto end = std::find_if(begin, parts_.end(), [&](const part& one) { return place(one) != place(*begin); });
    std::uint64_t compute_ns = 0;  // most_ns: no engine takes it
    together.clear();
    for (auto one = begin; one != end; ++one) {
      if (__builtin_add_overflow(compute_ns, one->compute_ns, &compute_ns)) compute_ns = most_ns;
      const auto from = accesses_.begin() + static_cast<std::ptrdiff_t>(one->first_access);
      together.insert(together.end(), from, from + static_cast<std::ptrdiff_t>(one->accesses));
    }
    made.set_work(begin->task, begin->stretch, compute_ns, together);
    begin = end;
  }
  return made;
}

}  // namespace nearfork::sim
