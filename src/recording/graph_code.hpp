// A task graph as bytes: docs/RECORDING.md, "A graph". Each graph has exactly one code.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "recording/byte_reader.hpp"
#include "recording/byte_writer.hpp"
#include "recording/recording.hpp"
#include "recording/recording_bounds.hpp"

namespace nearfork::recordings {

/// A task takes at least two bytes, an access three.
inline constexpr std::uint64_t least_task_bytes = 2;
inline constexpr std::uint64_t least_access_bytes = 3;

/// Where the last access to each block ended. The next access is mostly near.
class last_ends {
 public:
  std::uint64_t& operator[](std::uint32_t block) {
    if (block >= ends_.size()) ends_.resize(std::size_t{block} + 1, 0);
    return ends_[block];
  }

 private:
  std::vector<std::uint64_t> ends_;
};

/// Writes a graph that is never whole in memory. Add its tasks as to a task_graph, breadth first.
class graph_encoder {
 public:
  void add_task(std::span<const std::uint32_t> branching);
  void add_stretch(std::uint64_t time_ns, std::span<const data_access> accesses);
  /// Call it after all tasks and all their stretches were added.
  [[nodiscard]] std::string take();
  [[nodiscard]] std::uint32_t tasks() const noexcept { return tasks_; }

 private:
  struct stretch {
    std::uint64_t time_ns;
    std::size_t accesses_end;
  };
  void end_task();
  void write(const data_access& one);

  byte_writer to_;
  std::uint32_t tasks_ = 0;
  std::uint64_t forks_ = 0;
  std::uint64_t access_count_ = 0;
  // Facts of the task that is being added: whether it touches anything comes before its stretches.
  std::vector<std::uint32_t> branching_;
  std::vector<stretch> stretches_;
  std::vector<data_access> accesses_;
  last_ends ends_;
};

/// The same for graphs that touch nothing, added depth first. (The code is breadth first: level by level, each from
/// left to right.) A walk in the order of depth, in which the tasks lie in memory, waits less for memory.
class level_encoder {
 public:
  /// `depth`: 0 for the root. Add parents before their children, and children from the first to the last.
  void add_task(std::size_t depth, std::span<const std::uint32_t> branching, std::span<const std::uint64_t> times_ns);
  /// Call it after all tasks were added.
  [[nodiscard]] std::string take();
  [[nodiscard]] std::uint32_t tasks() const noexcept { return tasks_; }

 private:
  std::vector<byte_writer> levels_;
  std::uint32_t tasks_ = 0;
  std::uint64_t forks_ = 0;
};

void write_graph(byte_writer& to, const task_graph& graph);

/// Throws: nearfork::error. `blocks`: accesses must lie inside them. `so_far`: the sums of the file's graphs before
/// this one; the work and touched bytes of this one are added. Memory use grows with the bytes that are there, and not
/// with the numbers in them.
[[nodiscard]] task_graph read_graph(byte_reader& from, std::span<const data_block> blocks, recording_sums& so_far);

/// The same graph with each access where `place` puts it. `code`: from graph_encoder, for a graph within
/// recording_sums' bounds. Linear time, without making the graph.
[[nodiscard]] std::string with_accesses_at(std::string_view code, std::span<const data_block> blocks,
                                           const std::function<data_access(const data_access&)>& place);

}  // namespace nearfork::recordings
