// What is recorded of a graph's tasks between two waits (NEARFORK_RECORD): which data they declare, who created them,
// who waits for whom, and in which iteration they run. Of a graph that is kept, all but the last is kept, too.
//
// The tasks become children of the task that waits, all forked where it waits. A graph that is made outside any worker
// has a root of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <nearfork/dataflow/accesses.hpp>

#include "recording/recording.hpp"
#include "runtime/dataflow/flow_edges.hpp"
#include "runtime/recording/graph_recorder.hpp"
#include "runtime/regions/tree_cursor.hpp"
#include "runtime/webs/task_web.hpp"

namespace nearfork {

/// The iteration that a graph's tasks belong to.
struct recorded_place {
  std::shared_ptr<detail::iteration_log> log{};  // nullptr: the tasks are not recorded
  std::string own_region{};                      // the graph's own, if it is made outside any worker; else empty
};

/// Between construction and destruction a recorded task runs.
class measured_flow_task {
 public:
  /// Nothing if the place has no log.
  explicit measured_flow_task(const detail::noted_place& at) noexcept {
    if (at.log != nullptr) [[unlikely]]
      begin(at);
  }
  ~measured_flow_task() {
    if (cursor_) [[unlikely]]
      end();
  }
  measured_flow_task(const measured_flow_task&) = delete;
  measured_flow_task& operator=(const measured_flow_task&) = delete;

 private:
  void begin(const detail::noted_place& at) noexcept;
  void end() noexcept;
  std::optional<detail::tree_cursor> cursor_;
};

class recorded_flow {
 public:
  /// `kept`: the script of a graph that is kept; nullptr: the notes are the recording's own.
  recorded_flow(graph_recorder& recorder, replay_script* kept) noexcept : recorder_(recorder), kept_(kept) {}

  [[nodiscard]] task_notes& notes() noexcept { return kept_ == nullptr ? own_notes_ : *kept_; }
  [[nodiscard]] const task_notes& notes() const noexcept { return kept_ == nullptr ? own_notes_ : *kept_; }
  [[nodiscard]] bool is_kept() const noexcept { return kept_ != nullptr; }

  /// Tasks that are added, or replayed, from now on belong to `where`.
  void begin(recorded_place where) noexcept;
  /// By which worker of the log a task is noted, and the number of the recorded task that creates it; 0: of another.
  struct creation {
    std::optional<std::uint32_t> worker;  // nullopt: by a thread that may note nothing
    std::uint32_t creator = 0;
  };
  /// A task that the web has just added. Under the graph's lock. Without memory the iteration is left out.
  void add(dataflow_task& made, std::span<const access> accesses, const creation& by) noexcept;
  /// All tasks of a kept graph again. Under the graph's lock.
  void add_all_again(const creation& by) noexcept;
  /// Where the task notes its time. Under the graph's lock.
  [[nodiscard]] detail::noted_place place_of(const dataflow_task& one) const noexcept;
  [[nodiscard]] const detail::iteration_log* log() const noexcept { return where_.log.get(); }
  [[nodiscard]] bool has_own_root() const noexcept { return !where_.own_region.empty(); }

  /// All tasks have ended. `waiter`: the clock of the task that waited, which stands; nullptr: of no recorded task.
  /// `complete`: all of them were called, and none failed. Afterwards tasks may begin() again.
  void end(detail::task_clock* waiter, bool complete) noexcept;
  /// Before destruction, under the graph's lock.
  void let_go(task_web& web) noexcept;

 private:
  struct declared_task {
    bool is_there = false;  // else an end, see nested_scope.hpp: what it waits for counts for those that wait for it
    std::uint32_t number = 0;
    std::uint32_t creator = flow_edges::no_creator;  // its place
    std::size_t accesses_end = 0;
    std::size_t exclusions_end = 0;
  };

  void declare(dataflow_task& made, std::span<const access> accesses, const creation& by);
  void declare_access(const detail::access_parts& what);
  void note(declared_task& one, std::span<const recordings::data_access> accesses, std::uint32_t worker) noexcept;
  [[nodiscard]] std::optional<detail::noted_flow> noted() const;

  graph_recorder& recorder_;
  replay_script* const kept_;
  task_notes own_notes_;
  std::vector<declared_task> tasks_;               // by place
  std::vector<recordings::data_access> accesses_;  // task by task
  std::vector<std::uint32_t> exclusions_;          // task by task
  std::unordered_map<detail::exclusion*, std::uint32_t> number_of_exclusion_;
  // Of one run.
  recorded_place where_;
  std::unordered_map<std::uint32_t, std::uint32_t> place_of_number_;
};

}  // namespace nearfork
