// The divide-and-conquer workloads are written once, with the fork as a parameter: fork(f, g) calls both, perhaps in
// parallel, and returns when both are done. So every contender runs the same tree.
#pragma once

#include <utility>

#include <nearfork/fork_join.hpp>

namespace nearfork::workloads {

struct serial_fork {
  template <class F, class G>
  void operator()(F&& f, G&& g) const {
    f();
    g();
  }
};

struct nearfork_fork {
  template <class F, class G>
  void operator()(F&& f, G&& g) const {
    fork_join(std::forward<F>(f), std::forward<G>(g));
  }
};

}  // namespace nearfork::workloads
