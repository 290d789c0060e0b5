#pragma once

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_arena.h>

namespace nearfork::workloads {

/// Calls f in an arena of this many threads, of which the caller is one. The control lifts oneTBB's own bound, one
/// thread per core, if more threads are requested.
template <class F>
void with_tbb_crew(unsigned workers, const F& f) {
  const tbb::global_control bound(tbb::global_control::max_allowed_parallelism, workers);
  tbb::task_arena arena(static_cast<int>(workers));
  arena.execute(f);
}

struct tbb_fork {
  template <class F, class G>
  void operator()(const F& f, const G& g) const {
    tbb::parallel_invoke(f, g);
  }
};

}  // namespace nearfork::workloads
