// Builds a task graph. The caller walks the program's own recursion: tasks work and fork in the order in which one
// worker would run them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/profile/task_tree.hpp"
#include "sim/programs/task_graph.hpp"

namespace nearfork::sim {

class graph_sketch {
 public:
  /// A root that does nothing yet. At most `most_tasks` tasks in all.
  explicit graph_sketch(std::size_t most_tasks = task_tree::unbounded) : tree_(most_tasks) { forks_done_.push_back(0); }

  /// Adds to the stretch of `task` after its forks so far.
  void work(tree_node task, std::uint64_t compute_ns, std::span<const data_access> accesses = {});
  /// `task` forks. Returns the first child; the others follow it. Throws: nearfork::error if there are too many tasks.
  [[nodiscard]] tree_node fork(tree_node task, std::uint32_t branching);
  [[nodiscard]] std::size_t tasks() const noexcept { return tree_.size(); }

  /// The graph. The sketch is empty afterwards.
  [[nodiscard]] task_graph finish() &&;

 private:
  struct part {
    tree_node task;
    std::uint32_t stretch;
    std::uint64_t compute_ns;
    std::size_t first_access;
    std::size_t accesses;
  };

  task_tree tree_;
  std::vector<std::uint32_t> forks_done_;  // by task
  std::vector<part> parts_;
  std::vector<data_access> accesses_;
};

}  // namespace nearfork::sim
