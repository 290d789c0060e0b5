// A recording: the task graphs of a program's regions, as they ran once. A value; recording_file.hpp has it as bytes.
//
// Bytes that tasks touch are named by the block of data that they lie in, not by address: the same program recorded
// twice gives the same accesses, and who replays it puts the blocks where he likes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace nearfork::recordings {

enum class access_kind : std::uint8_t { read, write };

/// `count` pieces of `size_bytes` each, `stride_bytes` from the beginning of one to the beginning of the next.
struct data_access {
  std::uint32_t block = 0;  // of recordings::blocks
  access_kind kind = access_kind::read;
  std::uint64_t begin_byte = 0;  // in the block
  std::uint64_t size_bytes = 0;
  std::uint64_t count = 1;
  std::uint64_t stride_bytes = 0;  // 0 where count is 1
  friend constexpr bool operator==(const data_access&, const data_access&) = default;
};

/// Where the last byte of an access ends, beginning at its own first byte; the largest number there is if that is more.
[[nodiscard]] std::uint64_t extent_bytes(const data_access& access) noexcept;

struct data_block {
  std::string name;
  std::uint64_t bytes = 0;
  friend bool operator==(const data_block&, const data_block&) = default;
};

/// The tasks of one iteration, breadth first from the root (task 0): parents before children, siblings side by side in
/// the order in which they were forked. A task's forks come one after the other, and around them its own work: a
/// *stretch* before the first, between two, and after the last.
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

  /// The next task; its forks' children are the next that nobody has forked yet. One stretch more than forks must follow.
  void add_task(std::span<const std::uint32_t> branching);
  void add_stretch(std::uint64_t time_ns, std::span<const data_access> accesses);
  void reserve(std::size_t tasks, std::size_t forks, std::size_t accesses);

  [[nodiscard]] std::uint32_t tasks() const noexcept { return static_cast<std::uint32_t>(first_fork_.size()); }
  [[nodiscard]] std::span<const fork> forks(std::uint32_t task) const noexcept;
  /// The i-th of `task`, of which there is one more than forks.
  [[nodiscard]] stretch work(std::uint32_t task, std::uint32_t i) const noexcept;
  /// Tasks that are there or somebody's children: a graph is whole when they are as many as tasks().
  [[nodiscard]] std::uint64_t known_tasks() const noexcept { return known_tasks_; }
  [[nodiscard]] std::size_t fork_count() const noexcept { return forks_.size(); }
  [[nodiscard]] std::size_t access_count() const noexcept { return accesses_.size(); }
  [[nodiscard]] std::uint64_t work_ns() const noexcept;

  friend bool operator==(const task_graph&, const task_graph&) = default;

 private:
  struct stretch_record {
    std::uint64_t time_ns;
    std::uint64_t accesses_end;
    friend constexpr bool operator==(const stretch_record&, const stretch_record&) = default;
  };

  std::vector<std::uint32_t> first_fork_;  // by task
  std::vector<fork> forks_;
  std::vector<stretch_record> stretches_;  // task by task
  std::vector<data_access> accesses_;
  std::uint64_t known_tasks_ = 1;  // the root
};

/// One pass through a region's root.
struct iteration {
  std::uint64_t number = 0;  // from 1
  std::uint64_t duration_ns = 0;
  task_graph graph;
  friend bool operator==(const iteration&, const iteration&) = default;
};

struct region {
  std::string name;
  std::uint64_t input_bytes = 0;  // as the program said; 0: it did not
  std::uint64_t iterations = 0;   // that the program ran
  std::vector<iteration> recorded;
  friend bool operator==(const region&, const region&) = default;
};

struct recording {
  std::string program;  // runtime's name
  std::string policy;
  std::string machine;  // one line
  std::uint64_t workers = 0;
  std::uint64_t left_out = 0;  // iterations that were to be recorded and are not: too large, or cut short
  std::vector<data_block> blocks;
  std::vector<region> regions;
  friend bool operator==(const recording&, const recording&) = default;
};

}  // namespace nearfork::recordings
