// The one thing in which contenders differ: how a task lets its children run in parallel. A workload's recursion is
// written once, over `const auto& fork`: fork(f, g) calls f and g and returns when both are done.
// The contenders' own forks stand in contenders/fork_tbb.hpp and contenders/fork_omp.hpp.
#pragma once

#include <utility>

#include <nearfork/fork_join.hpp>

namespace nearfork::workloads {

/// One child after the other.
struct serial_fork {
  template <class... F>
  void operator()(F&&... children) const {
    (children(), ...);
  }
};

struct nearfork_fork {
  template <class... F>
  void operator()(F&&... children) const {
    fork_join(std::forward<F>(children)...);
  }
};

}  // namespace nearfork::workloads
