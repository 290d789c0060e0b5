#include "workloads/contenders/by_workload.hpp"
#include "workloads/contenders/contenders.hpp"

namespace nearfork::workloads {
namespace {

template <class Instance, void (*Run)(Instance&, unsigned)>
contender tasks(std::string_view workload) {
  return {workload, "tbb", "oneTBB", run_as<Instance, Run>, set_up_tbb};
}

}  // namespace

const std::vector<contender>& tbb_contenders() {
  static const std::vector<contender> list = [] {
    std::vector<contender> all{
        tasks<mergesort_instance, mergesort_tbb>("mergesort"),
        tasks<matmul_instance, matmul_tbb>("matmul"),
        tasks<fft_instance, fft_tbb>("fft"),
        tasks<mandelbrot_instance, mandelbrot_tbb>("mandelbrot"),
        tasks<nqueens_instance, nqueens_tbb>("nqueens"),
        tasks<knapsack_instance, knapsack_tbb>("knapsack"),
        tasks<ga_instance, ga_tbb>("ga"),
        tasks<fib_instance, fib_tbb>("fib"),
    };
    for (const workload& one : graph_workloads()) all.push_back(tasks<graph_instance, graph_tbb>(one.name));
    for (const workload& one : grid_workloads()) all.push_back(tasks<grid_instance, grid_tbb>(one.name));
    return all;
  }();
  return list;
}

}  // namespace nearfork::workloads
