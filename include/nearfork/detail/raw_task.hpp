// A task is a function and its data. What templates, C, OpenMP and dataflow build are all such tasks.
//
// Nothing here is a template: the functions below are in the library. fork_join() with lambdas makes the same jobs,
// with the calls of the fast path inlined.
#pragma once

#include <span>

#include <nearfork/call_site.hpp>
#include <nearfork/detail/callable.hpp>

namespace nearfork {
class task_group;
}

namespace nearfork::detail {

/// A call of `function` with `data`. The data must live until the call has returned.
struct raw_task {
  using call_of = void (*)(void* data);
  call_of function;
  void* data;
  void operator()() const { function(data); }
};

/// Calls all tasks, possibly in parallel, and returns when all are done. As fork_join(): the calling thread runs the
/// first one, thieves take the last one first. Cold: about 40 ns for two tasks.
/// Throws: as fork_join().
NEARFORK_COLD void fork_raw(std::span<const raw_task> calls);

/// Adds a task to a group, as task_group::spawn().
NEARFORK_COLD void spawn_raw(task_group& group, raw_task added);

/// Calls the task inside the process-wide runtime and waits for it, as nearfork::run().
NEARFORK_COLD void run_raw(raw_task called, const call_site& where);

}  // namespace nearfork::detail
