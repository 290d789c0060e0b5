#pragma once

namespace nearfork::workloads {

/// Calls f once, in a team of this many threads. The other threads run the tasks that f makes.
template <class F>
void with_omp_crew(unsigned workers, const F& f) {
#pragma omp parallel num_threads(static_cast<int>(workers)) default(shared)
#pragma omp single
  f();
}

struct omp_fork {
  template <class F, class G>
  void operator()(const F& f, const G& g) const {
#pragma omp task default(shared)
    g();
    f();
#pragma omp taskwait
  }
};

}  // namespace nearfork::workloads
