// The record of one dataflow task. Its closure lies behind the record, in the same block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <nearfork/call_site.hpp>
#include <nearfork/detail/dataflow/task_list.hpp>

namespace nearfork {
class nested_scope;
}

namespace nearfork::detail {

class dataflow_task;
struct dataflow_argument;
struct exclusion_link;

/// A task that may be gone, by its place in what its graph notes of the tasks between two waits.
struct noted_task {
  std::uint32_t part;  // between which waits; 0: it is not noted
  std::uint32_t place;
};

/// What can be done with the tasks of one type.
struct dataflow_kind {
  void (*call)(dataflow_task&);
  void (*drop)(dataflow_task&) noexcept;                               // nullptr: the closure needs no destructor
  std::span<dataflow_argument> (*arguments)(dataflow_task&) noexcept;  // nullptr: the callable takes none
  nested_scope*& (*nested)(dataflow_task&) noexcept;                   // nullptr: it has no nested tasks
  std::size_t bytes;                                                   // of the block
};

/// Read and written under the graph's lock, but for `kind` and what lies behind the record. A task that is replayed
/// belongs to the worker that made it ready, and then to the one that runs it.
class dataflow_task {
 public:
  enum class step : std::uint8_t { body, fold, done };

  dataflow_task(const dataflow_kind& of, const call_site& at) noexcept : kind(&of), file(at.file), line(at.line) {}
  dataflow_task(const dataflow_task&) = delete;
  dataflow_task& operator=(const dataflow_task&) = delete;

  /// In a kept graph, when all that the task depends on have ended.
  void begin_again(bool depends_on_lost) noexcept {
    next_step = step::body;
    skipped = depends_on_lost;
    failed = false;
  }
  /// A task that depends on this one is skipped.
  [[nodiscard]] bool is_lost() const noexcept { return failed || skipped; }
  [[nodiscard]] bool is_done() const noexcept { return next_step == step::done; }
  [[nodiscard]] call_site where() const noexcept { return {file, line}; }

  const dataflow_kind* kind;
  union {
    std::uint32_t pending = 0;  // dependences that have not ended
    dataflow_task* next;        // when they have: in a list of ready or waiting tasks
  };
  task_list successors;                  // tasks that depend on this one
  exclusion_link* exclusions = nullptr;  // what the task must have alone
  const char* file;                      // where the program creates the task
  std::uint32_t line;
  std::uint32_t holders = 0;  // lists of data cells that name the task
  std::uint32_t place = 0;    // in a graph that is kept or recorded: how many of its tasks were created before
  step next_step : 2 = step::body;
  bool skipped : 1 = false;          // will not be called, or was not
  bool failed : 1 = false;           // has thrown
  bool folds : 1 = false;            // has reductions
  bool excludes : 1 = false;         // has commutative accesses: it keeps all its exclusions while it runs
  bool of_opened_scope : 1 = false;  // the end of an access of the parent that is being added
  bool left_out : 1 = false;         // there was no memory to add it: does nothing, and others go on as if without it
  std::uint8_t priority = 0;         // task_options
  std::uint16_t flow_accesses = 0;   // of the record behind the closure, by which the task is pushed; 0: no record

 protected:
  ~dataflow_task() = default;
};
static_assert(sizeof(dataflow_task) == 56);

}  // namespace nearfork::detail
