// What the workers note while an iteration is recorded: who forked whom, how long each piece of a task's own work took, and
// which bytes its hints named. Each worker writes a log of its own, without locks; graph_assembly.hpp puts them together.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <nearfork/detail/fiber.hpp>
#include <nearfork/detail/seam.hpp>

#include "trace/recording.hpp"

namespace nearfork::detail {

/// `branching` tasks, numbered from first_child on, forked at the end of a stretch of `parent`.
struct task_birth {
  std::uint32_t parent;
  std::uint32_t stretch;
  std::uint32_t first_child;
  std::uint32_t branching;
};

/// Time that a task was on the clock; a stretch has several pieces where it was interrupted.
struct work_piece {
  std::uint32_t task;
  std::uint32_t stretch;
  std::uint64_t ticks;
  std::uint64_t first_access;  // of the log's
  std::uint32_t accesses;
};

/// Written by one worker; read by whoever ends the iteration, after all its tasks are done.
struct alignas(cache_line_bytes) worker_log {
  std::vector<task_birth> births;
  std::vector<work_piece> pieces;
  std::vector<trace::data_access> accesses;  // begin_byte is an address, block is 0
};

/// Whether the root is a region, or a run() around which there is none.
enum class recorded_root_kind : std::uint8_t { region, run };

class iteration_log : public std::enable_shared_from_this<iteration_log> {
 public:
  iteration_log(std::uint32_t workers, std::uint32_t most_tasks, recorded_root_kind kind, std::uint64_t number);

  /// Numbers for children of a task; 0 if there is no room: the iteration is lost then. Parents have lower numbers.
  [[nodiscard]] std::uint32_t note_birth(std::uint32_t on_worker, std::uint32_t parent, std::uint32_t stretch,
                                         std::uint32_t branching) noexcept;
  void note_work(std::uint32_t on_worker, const work_piece& piece) noexcept;
  void note_access(std::uint32_t on_worker, std::uint64_t first_of_piece, const trace::data_access& access) noexcept;
  [[nodiscard]] std::uint64_t accesses_on(std::uint32_t worker) const noexcept { return logs_[worker].accesses.size(); }

  /// Tasks of groups may outlive the frame that they were spawned from; then the iteration is no tree.
  void add_loose_task() noexcept { loose_.fetch_add(1, seam::memory_order_relaxed); }
  /// Release: what the task noted is seen by whoever sees it ended.
  void end_loose_task() noexcept { loose_.fetch_sub(1, seam::memory_order_release); }

  /// All tasks have ended, and there was room for all that was noted.
  [[nodiscard]] bool whole() const noexcept {
    return loose_.load(seam::memory_order_acquire) == 0 && !lost_.load(seam::memory_order_relaxed);
  }
  [[nodiscard]] std::uint32_t tasks() const noexcept { return tasks_.load(seam::memory_order_relaxed); }
  [[nodiscard]] const std::vector<worker_log>& logs() const noexcept { return logs_; }
  [[nodiscard]] recorded_root_kind kind() const noexcept { return kind_; }
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  [[nodiscard]] std::uint64_t started_ns() const noexcept { return started_ns_; }

 private:
  std::vector<worker_log> logs_;
  const std::uint32_t most_tasks_;
  const recorded_root_kind kind_;
  const std::uint64_t number_;
  const std::uint64_t started_ns_;
  seam::atomic<std::uint32_t> tasks_{1};  // the root is task 0
  seam::atomic<std::uint64_t> loose_{0};
  seam::atomic<bool> lost_{false};
};

/// Where a recorded task stands. Copied into the task's frame.
struct recorded_place {
  iteration_log* log = nullptr;  // nullptr: nobody records it
  std::uint32_t task = 0;
  std::uint32_t stretch = 0;
  bool has_spawned = false;  // into groups, since the stretch began

  void begin_next_stretch() noexcept {
    ++stretch;
    has_spawned = false;
  }
};

}  // namespace nearfork::detail
