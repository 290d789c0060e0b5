#pragma once

#include <nearfork/detail/language.hpp>

namespace nearfork {

/// The largest task_options::priority.
inline constexpr unsigned highest_priority = 63;

/// What a dataflow task is beside its accesses. Thread-safety: a value.
struct task_options {
  /// From 0 to highest_priority. A worker that takes a task of a graph takes one with the highest priority of those
  /// that are ready. That does not hold for tasks that are pushed to the node of their data, on machines with several
  /// memory nodes: these wait in a worker's mailbox, in the order in which they came. A running task is not
  /// interrupted.
  unsigned priority = 0;
};

}  // namespace nearfork
