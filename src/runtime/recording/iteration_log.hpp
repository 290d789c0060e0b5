// What the workers note while an iteration is profiled or recorded: who forked whom, how long each piece of a task's
// own work took, what it missed, and which bytes its hints named. Each worker writes a log of its own, without locks;
// noted_tasks.hpp puts them together.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <nearfork/detail/fiber.hpp>
#include <nearfork/detail/seam.hpp>

#include "recording/recording.hpp"
#include "runtime/recording/append_log.hpp"
#include "runtime/recording/recording_clock.hpp"

namespace nearfork::detail {

/// A piece of a stretch: how long `task` was on the clock, and the tasks that it forked at the end of it, numbered from
/// first_child on. A stretch has several pieces where it was interrupted, or spawned.
struct work_piece {
  std::uint32_t task = 0;
  std::uint32_t stretch = 0;
  std::uint32_t first_child = 0;
  std::uint32_t branching = 0;  // 0: it forked none
  std::int64_t ticks = 0;       // without what measuring took, so perhaps below 0
  bool spawned = false;         // its children are tasks of a group: profiles have no place for them
};

/// A work_piece in half the bytes: nearly all pieces fit.
struct narrow_piece {
  std::uint32_t task;
  std::uint32_t first_child;
  std::int32_t ticks;
  std::uint16_t stretch;
  std::uint16_t branching : 15;
  std::uint16_t spawned : 1;
};
static_assert(sizeof(narrow_piece) == 16);

struct noted_access {
  std::uint32_t task;
  std::uint32_t stretch;
  recordings::data_access access;  // begin_byte is an address, block is 0
};

/// What a piece of a task brought into its worker's private caches.
struct noted_misses {
  std::uint32_t task;
  std::uint64_t bytes;
};

/// Written by one worker; read by the thread that ends the iteration, after all its tasks are done.
struct alignas(cache_line_bytes) worker_log {
  std::uint32_t next_number = 0;  // the next of the numbers drawn for this worker
  std::uint32_t numbers_end = 0;
  std::uint32_t births = 0;
  append_log<narrow_piece, 4096> pieces;
  append_log<work_piece, 64> wide_pieces;
  append_log<noted_access, 512> accesses;
  append_log<noted_misses, 1024> misses;
  std::string misses_not_counted;  // why; empty: all were counted
};

/// Whether the root is a region, or a run() outside any region.
enum class recorded_root_kind : std::uint8_t { region, run };

/// The root that is recorded.
struct recorded_root {
  recorded_root_kind kind;
  std::uint64_t number;           // of the iteration
  std::uint64_t names_since = 0;  // names of data count that lived after this (data_names.hpp)
};

/// The dataflow tasks of one graph between two waits, by their numbers in the log, in an order in which they can run.
struct noted_flow {
  struct flow_task {
    std::uint32_t task;
    std::uint32_t creator;  // one of the tasks before; 0: the task that waits for the graph
  };
  struct pair {
    std::uint32_t task;
    std::uint32_t other;  // a task before, or an exclusion
  };
  std::vector<flow_task> tasks;
  std::vector<pair> edges;
  std::vector<pair> exclusions;
};

class iteration_log;

/// Where a measured task stands in the log. Copied into the task's frame.
struct noted_place {
  iteration_log* log = nullptr;  // nullptr: the task is not measured
  std::uint32_t task = 0;
  std::uint32_t stretch = 0;
  bool has_spawned = false;  // into groups, since the stretch began

  void begin_next_stretch() noexcept {
    ++stretch;
    has_spawned = false;
  }
};

class iteration_log : public std::enable_shared_from_this<iteration_log> {
 public:
  /// `recorded`: nullopt if the iteration is only profiled.
  iteration_log(std::uint32_t workers, std::uint32_t most_tasks, std::optional<recorded_root> recorded,
                const recording_clock& clock);

  /// From now on the misses of tasks are noted, too. Called before the first note.
  void profile() noexcept { profiles_ = true; }
  [[nodiscard]] bool profiles() const noexcept { return profiles_; }
  /// From now on hints are noted, also if the iteration is not recorded. Called before the first note.
  void gauge() noexcept { gauges_ = true; }
  [[nodiscard]] bool notes_hints() const noexcept { return gauges_ || records(); }
  [[nodiscard]] bool records() const noexcept { return recorded_.has_value(); }
  /// Only if it records(). Regions inside a recorded run() have logs of their own.
  [[nodiscard]] const recorded_root& recorded() const noexcept { return *recorded_; }

  /// The first of `count` numbers for children of a task; 0 if there is no room: then the iteration is lost.
  [[nodiscard]] std::uint32_t take_numbers(std::uint32_t on_worker, std::uint32_t count) noexcept {
    worker_log& log = logs_[on_worker];
    if (count > log.numbers_end - log.next_number) [[unlikely]]
      return draw_numbers(log, count);
    const std::uint32_t first = log.next_number;
    log.next_number += count;
    log.births += count;
    return first;
  }
  noting note(std::uint32_t on_worker, const work_piece& piece) noexcept;
  /// take_numbers(), and a note that the task at `parent` has forked them.
  [[nodiscard]] std::uint32_t note_fork(std::uint32_t on_worker, const noted_place& parent,
                                        std::uint32_t branching) noexcept;
  /// note_fork() for one task of a group.
  [[nodiscard]] std::uint32_t note_spawn(std::uint32_t on_worker, const noted_place& parent) noexcept;
  void note_misses(std::uint32_t on_worker, const noted_misses& one) noexcept;
  void note_uncounted(std::uint32_t on_worker, const std::string& why) noexcept;
  /// Joins what follows the access before.
  void note_access(std::uint32_t on_worker, const noted_access& one) noexcept;
  /// The same for an access that is one whatever lies beside it.
  void note_declared(std::uint32_t on_worker, const noted_access& one) noexcept;

  /// Its tasks were noted by note_spawn_of(), in their order. Any thread. Throws std::bad_alloc.
  void note_flow(noted_flow one);
  /// Notes that the task at `parent` has spawned the task with this number, which take_numbers() gave.
  void note_spawn_of(std::uint32_t on_worker, const noted_place& parent, std::uint32_t number) noexcept;
  /// Some task of the iteration is not noted: the iteration is left out.
  void leave_out() noexcept { lose(); }

  [[nodiscard]] const recording_clock& clock() const noexcept { return clock_; }

  /// Tasks of groups may outlive the frame that they were spawned from; then the iteration is no tree.
  void add_loose_task() noexcept { loose_.fetch_add(1, seam::memory_order_relaxed); }
  /// Release: the thread that sees the task ended sees its notes.
  void end_loose_task() noexcept { loose_.fetch_sub(1, seam::memory_order_release); }

  /// Whether all tasks have ended, those of groups, too. If so, the caller sees all their notes.
  [[nodiscard]] bool all_ended() const noexcept { return loose_.load(seam::memory_order_acquire) == 0; }
  /// There were more tasks than there is room for.
  [[nodiscard]] bool outgrown() const noexcept { return outgrown_.load(seam::memory_order_relaxed); }
  /// There was no memory for some of the notes.
  [[nodiscard]] bool lost() const noexcept { return lost_.load(seam::memory_order_relaxed); }
  [[nodiscard]] bool whole() const noexcept { return all_ended() && !outgrown() && !lost(); }
  /// Called when all tasks have ended.
  [[nodiscard]] std::uint32_t tasks() const noexcept;
  /// All tasks' numbers are below this. Not all numbers are taken.
  [[nodiscard]] std::uint32_t numbers_end() const noexcept { return drawn_.load(seam::memory_order_relaxed); }
  [[nodiscard]] std::vector<worker_log>& logs() noexcept { return logs_; }
  [[nodiscard]] const std::vector<noted_flow>& flows() const noexcept { return flows_; }
  [[nodiscard]] std::uint64_t started_ns() const noexcept { return started_ns_; }

 private:
  std::uint32_t note_birth(std::uint32_t on_worker, work_piece piece) noexcept;
  std::uint32_t draw_numbers(worker_log& log, std::uint32_t count) noexcept;
  std::uint32_t draw(std::uint32_t count) noexcept;
  void lose() noexcept { lost_.store(true, seam::memory_order_relaxed); }

  std::vector<worker_log> logs_;
  const std::uint32_t most_tasks_;
  const std::uint32_t drawn_at_once_;
  const std::optional<recorded_root> recorded_;
  bool profiles_ = false;
  bool gauges_ = false;
  const recording_clock clock_;
  const std::uint64_t started_ns_;
  std::mutex noting_flows_;
  std::vector<noted_flow> flows_;
  alignas(cache_line_bytes) seam::atomic<std::uint32_t> drawn_{1};  // the root is task 0
  seam::atomic<std::uint64_t> loose_{0};
  seam::atomic<bool> outgrown_{false};
  seam::atomic<bool> lost_{false};
};

}  // namespace nearfork::detail
