#include "workloads/contenders/by_workload.hpp"
#include "workloads/contenders/omp_crew.hpp"

namespace nearfork::workloads {

void mandelbrot_omp_static(mandelbrot_instance& mandelbrot, unsigned workers) {
  const std::uint64_t height = mandelbrot.height();
#pragma omp parallel for num_threads(static_cast<int>(workers)) schedule(static)
  for (std::uint64_t y = 0; y < height; ++y) mandelbrot.draw_row(y);
}

void mandelbrot_omp_tasks(mandelbrot_instance& mandelbrot, unsigned workers) {
  const auto height = static_cast<std::int64_t>(mandelbrot.height());
  with_omp_crew(workers, [&] {
#pragma omp taskloop grainsize(1) default(shared)
    for (std::int64_t y = 0; y < height; ++y) mandelbrot.draw_row(static_cast<std::uint64_t>(y));
  });
}

}  // namespace nearfork::workloads
