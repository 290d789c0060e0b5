// A recording: the task graphs of a program's regions, as they ran once. A value; recording_file.hpp stores it as
// bytes.
//
// Bytes that tasks touch are named by their data block and not by address. So the same program recorded twice gives the
// same accesses, and a replay can put the blocks anywhere.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "recording/flow_order.hpp"

namespace nearfork::recordings {

enum class access_kind : std::uint8_t { read, write };

/// `count` pieces of `size_bytes` each, whose begins lie `stride_bytes` apart.
struct data_access {
  std::uint32_t block = 0;  // index into recordings::blocks
  access_kind kind = access_kind::read;
  std::uint64_t begin_byte = 0;  // in the block
  std::uint64_t size_bytes = 0;
  std::uint64_t count = 1;
  std::uint64_t stride_bytes = 0;  // 0 if count is 1
  friend constexpr bool operator==(const data_access&, const data_access&) = default;
};

/// The end of the last byte of an access, from its own first byte on; the largest number if that is more.
[[nodiscard]] std::uint64_t extent_bytes(const data_access& access) noexcept;

struct data_block {
  std::string name;
  std::uint64_t bytes = 0;
  friend bool operator==(const data_block&, const data_block&) = default;
};

/// The tasks of one iteration, breadth first from the root (task 0). Parents come before children. Siblings are
/// contiguous, in the order in which they were forked. A task's forks come one after the other, with its own work
/// around them: a *stretch* before the first fork, between two forks, and after the last.
class task_graph {
 public:
  struct fork {
    std::uint32_t first_child;
    std::uint32_t branching;
    friend constexpr bool operator==(const fork&, const fork&) = default;
  };
  struct stretch {
    std::uint64_t time_ns = 0;
    std::span<const data_access> accesses{};
  };

  /// Adds the next task. The children of its forks are the next tasks without a parent. Then add one more stretch than
  /// forks.
  void add_task(std::span<const std::uint32_t> branching);
  void add_stretch(std::uint64_t time_ns, std::span<const data_access> accesses);
  void reserve(std::size_t tasks, std::size_t forks, std::size_t accesses);
  /// Which of the tasks are dataflow tasks. Siblings that are none wait for nothing.
  void order_by(flow_order flow) { flow_ = std::move(flow); }

  [[nodiscard]] std::uint32_t tasks() const noexcept { return static_cast<std::uint32_t>(first_fork_.size()); }
  [[nodiscard]] std::span<const fork> forks(std::uint32_t task) const noexcept;
  /// By task: the first child of the fork that made it; of the root 0. Linear.
  [[nodiscard]] std::vector<std::uint32_t> first_siblings() const;
  /// The i-th stretch of `task`. There is one more stretch than forks.
  [[nodiscard]] stretch work(std::uint32_t task, std::uint32_t i) const noexcept;
  void set_time(std::uint32_t task, std::uint32_t i, std::uint64_t time_ns) noexcept;
  /// The tasks that were added, and their children. A graph is whole when this number equals tasks().
  [[nodiscard]] std::uint64_t known_tasks() const noexcept { return known_tasks_; }
  [[nodiscard]] std::size_t fork_count() const noexcept { return forks_.size(); }
  [[nodiscard]] std::size_t access_count() const noexcept { return accesses_.size(); }
  [[nodiscard]] std::uint64_t work_ns() const noexcept;
  [[nodiscard]] const flow_order& flow() const noexcept { return flow_; }
  /// The longest path through a whole graph: more cores cannot make it shorter. That some tasks exclude each other does
  /// not count. Linear in the tasks and edges.
  [[nodiscard]] std::uint64_t span_ns() const;

  friend bool operator==(const task_graph&, const task_graph&) = default;

 private:
  struct stretch_record {
    std::uint64_t time_ns;
    std::uint64_t accesses_end;
    friend constexpr bool operator==(const stretch_record&, const stretch_record&) = default;
  };

  /// Of the i-th stretch of `task` in stretches_.
  [[nodiscard]] std::size_t place_of(std::uint32_t task, std::uint32_t i) const noexcept {
    return std::size_t{first_fork_[task]} + task + i;
  }
  void wait_for_siblings(const fork& of, std::vector<std::uint64_t>& longest) const;

  std::vector<std::uint32_t> first_fork_;  // by task
  std::vector<fork> forks_;
  std::vector<stretch_record> stretches_;  // task by task
  std::vector<data_access> accesses_;
  std::uint64_t known_tasks_ = 1;  // the root
  flow_order flow_;
};

/// By which rule a placed array got its nodes: nearfork::placing::rule, without nodes and weights.
enum class array_placing : std::uint8_t {
  follows_plan,
  interleaved,
  interleaved_by_bandwidth,
  by_bandwidth,
  by_capacity,
  otherwise,
};

/// A placed array of the program.
struct allocation {
  std::uint32_t block = 0;  // index into recordings::blocks: its data, or a part of them
  array_placing how = array_placing::follows_plan;
  friend constexpr bool operator==(const allocation&, const allocation&) = default;
};

/// One execution of a region's root.
struct iteration {
  std::uint64_t number = 0;  // from 1
  std::uint64_t duration_ns = 0;
  task_graph graph;
  friend bool operator==(const iteration&, const iteration&) = default;
};

struct region {
  std::string name;
  std::uint64_t input_bytes = 0;  // as the program told; 0: not told
  std::uint64_t iterations = 0;   // that the program ran
  std::vector<iteration> recorded;
  /// When its first iteration began and ended: places among the beginnings and ends of the first iterations of all
  /// regions, from 1. 0: not known, of no region.
  std::uint64_t began = 0;
  std::uint64_t ended = 0;
  friend bool operator==(const region&, const region&) = default;
};

/// Where a recording was read. It is no part of what the recording says: two that say the same are equal.
struct provenance {
  std::string file;  // empty: it was made in this process
  friend bool operator==(const provenance&, const provenance&) { return true; }
};

struct recording {
  std::string program;  // the name of the runtime
  std::string policy;
  std::string machine;  // one line
  std::uint64_t workers = 0;
  std::uint64_t left_out = 0;  // iterations that should have been recorded and are not: too large, or cancelled
  std::vector<data_block> blocks;
  std::vector<region> regions;
  std::vector<allocation> allocations{};  // in the program's order; not known of blocks that are not in it
  std::vector<std::uint32_t> buffers{};   // blocks that are buffers of dataflow graphs, ascending
  provenance from{};

  /// "the recording g.nfg", for messages.
  [[nodiscard]] std::string name() const { return from.file.empty() ? "the recording" : "the recording " + from.file; }
  friend bool operator==(const recording&, const recording&) = default;
};

}  // namespace nearfork::recordings
