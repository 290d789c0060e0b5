// A task graph as bytes: docs/RECORDING.md, "A graph". One graph has one code, and the other way round.
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

/// A task takes two bytes at least, an access three.
inline constexpr std::uint64_t least_task_bytes = 2;
inline constexpr std::uint64_t least_access_bytes = 3;

/// Where the last access to each block ended: the next one is most often near.
class last_ends {
 public:
  std::uint64_t& operator[](std::uint32_t block) {
    if (block >= ends_.size()) ends_.resize(std::size_t{block} + 1, 0);
    return ends_[block];
  }

 private:
  std::vector<std::uint64_t> ends_;
};

/// Writes a graph that is nowhere as a whole: its tasks as to a task_graph, breadth first.
class graph_encoder {
 public:
  void add_task(std::span<const std::uint32_t> branching);
  void add_stretch(std::uint64_t time_ns, std::span<const data_access> accesses);
  /// All of them were added, with all their stretches.
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
  // Of the task that is being added: that it touches something is said before its stretches.
  std::vector<std::uint32_t> branching_;
  std::vector<stretch> stretches_;
  std::vector<data_access> accesses_;
  last_ends ends_;
};

/// The same for graphs that touch nothing, depth first: breadth first is level by level, and in each from left to right. Who
/// walks where the tasks lie in memory in the order of depth waits less for it.
class level_encoder {
 public:
  /// `depth`: 0 is the root's. Parents before their children, these from the first to the last.
  void add_task(std::size_t depth, std::span<const std::uint32_t> branching, std::span<const std::uint64_t> times_ns);
  /// All of them were added.
  [[nodiscard]] std::string take();
  [[nodiscard]] std::uint32_t tasks() const noexcept { return tasks_; }

 private:
  std::vector<byte_writer> levels_;
  std::uint32_t tasks_ = 0;
  std::uint64_t forks_ = 0;
};

void write_graph(byte_writer& to, const task_graph& graph);

/// Throws nearfork::error. `blocks`: accesses must lie inside. `so_far`: what the file's graphs before this one have; work and touched
/// bytes of this one are added. Memory taken grows with the bytes that are there, whatever the numbers in them claim.
[[nodiscard]] task_graph read_graph(byte_reader& from, std::span<const data_block> blocks, recording_sums& so_far);

/// The same graph with each access where `place` puts it. `code` is graph_encoder's, of a graph within recording_sums' bounds.
/// Linear, and no graph is made of it.
[[nodiscard]] std::string with_accesses_at(std::string_view code, std::span<const data_block> blocks,
                                           const std::function<data_access(const data_access&)>& place);

}  // namespace nearfork::recordings
