#include "workloads/contenders/by_workload.hpp"
#include "workloads/contenders/openmp/crew.hpp"

namespace nearfork::workloads {

void mandelbrot_omp_static(mandelbrot_instance& mandelbrot, unsigned workers) {
  const std::uint64_t height = mandelbrot.height();
#pragma omp parallel for num_threads(static_cast<int>(workers)) schedule(static)
  for (std::uint64_t y = 0; y < height; ++y) mandelbrot.draw_row(y);
}

void mandelbrot_omp_tasks(mandelbrot_instance& mandelbrot, unsigned workers) {
  with_omp_crew(workers, [&] {
    for (std::uint64_t y = 0; y < mandelbrot.height(); ++y) {
#pragma omp task default(shared) firstprivate(y)
      mandelbrot.draw_row(y);
    }
#pragma omp taskwait
  });
}

}  // namespace nearfork::workloads
