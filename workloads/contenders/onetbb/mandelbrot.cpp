#include <oneapi/tbb/parallel_for.h>

#include "workloads/contenders/by_workload.hpp"
#include "workloads/contenders/onetbb/crew.hpp"

namespace nearfork::workloads {

void mandelbrot_tbb(mandelbrot_instance& mandelbrot, unsigned workers) {
  with_tbb_crew(workers, [&] {
    tbb::parallel_for(std::uint64_t{0}, mandelbrot.height(), [&](std::uint64_t y) { mandelbrot.draw_row(y); });
  });
}

}  // namespace nearfork::workloads
