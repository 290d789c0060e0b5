// The simulated program: what the tasks of one iteration compute, and which bytes they read and write in which order.
//
// Bytes are those of one data space that starts at 0. The addresses of the real program's arrays do not matter, only
// which tasks touch the same lines and pages.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "plan/profile/task_tree.hpp"

namespace nearfork::sim {

enum class access_kind : std::uint8_t { read, write };

/// Whether a core begins an access before the last one has ended. In a sweep it does (core_model's
/// memory_level_parallelism). Scattered lines lie further apart than prefetchers look, or in an order that they do not
/// see: only what the core itself has begun overlaps (scattered_parallelism). In a chain each access needs what the one
/// before it found: a list, an index of an index.
enum class access_order : std::uint8_t { sweep, scattered, chain };
inline constexpr std::array access_orders{access_order::sweep, access_order::scattered, access_order::chain};

/// Bytes [begin, begin + size), from the first to the last.
struct data_access {
  std::uint64_t begin_byte = 0;
  std::uint64_t size_bytes = 0;
  access_kind kind = access_kind::read;
  access_order order = access_order::sweep;
  friend constexpr bool operator==(const data_access&, const data_access&) = default;
};

/// The own work of a task between two forks, before its first fork, or after its last join. The accesses follow each
/// other, and the computation is spread over them evenly, line by line.
struct stretch {
  std::uint64_t compute_ns = 0;
  std::span<const data_access> accesses{};
};

class task_graph {
 public:
  /// The tasks of `tree`, all without work.
  explicit task_graph(task_tree tree);

  struct fork {
    tree_node first_child;
    std::uint32_t branching;
  };

  [[nodiscard]] const task_tree& tree() const noexcept { return tree_; }
  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(tree_.size()); }
  [[nodiscard]] std::span<const fork> forks(tree_node task) const noexcept {
    return {forks_.data() + first_fork_[index_of(task)], forks_.data() + first_fork_[index_of(task) + 1]};
  }
  /// The i-th stretch of `task`. There is one more stretch than forks.
  [[nodiscard]] stretch work(tree_node task, std::uint32_t i) const noexcept;
  /// At most once for each stretch.
  void set_work(tree_node task, std::uint32_t i, std::uint64_t compute_ns, std::span<const data_access> accesses = {});
  /// From now on the stretch computes for `compute_ns`, which is not more than it was.
  void shorten(tree_node task, std::uint32_t i, std::uint64_t compute_ns);

  /// The computation of all stretches; the largest number if the sum does not fit.
  [[nodiscard]] std::uint64_t compute_ns() const noexcept { return compute_ns_; }
  /// The end of the last touched byte.
  [[nodiscard]] std::uint64_t data_bytes() const noexcept { return data_bytes_; }

 private:
  struct stretch_record {
    std::uint64_t compute_ns = 0;
    std::uint32_t first_access = 0;
    std::uint32_t accesses = 0;
  };
  [[nodiscard]] std::size_t place_of(tree_node task, std::uint32_t i) const noexcept {
    return std::size_t{first_fork_[index_of(task)]} + index_of(task) + i;
  }

  task_tree tree_;
  std::vector<fork> forks_;
  std::vector<std::uint32_t> first_fork_;  // by task, and one more
  std::vector<stretch_record> stretches_;
  std::vector<data_access> accesses_;
  std::uint64_t data_bytes_ = 0;
  std::uint64_t compute_ns_ = 0;
};

/// Computation alone: of all tasks; and along the longest path, which more cores cannot shorten.
[[nodiscard]] std::uint64_t work_ns(const task_graph& graph);
[[nodiscard]] std::uint64_t span_ns(const task_graph& graph);

}  // namespace nearfork::sim
