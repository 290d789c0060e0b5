#include "workloads/contenders/by_workload.hpp"
#include "workloads/contenders/contenders.hpp"

namespace nearfork::workloads {
namespace {

template <class Instance, void (*Run)(Instance&, unsigned)>
contender loop(std::string_view workload) {
  return {workload, "omp-static", "OpenMP static", run_as<Instance, Run>, set_up_omp};
}

template <class Instance, void (*Run)(Instance&, unsigned)>
contender tasks(std::string_view workload) {
  return {workload, "omp-tasks", "OpenMP tasks", run_as<Instance, Run>, set_up_omp};
}

}  // namespace

const std::vector<contender>& omp_contenders() {
  static const std::vector<contender> list = [] {
    std::vector<contender> all{
        loop<matmul_instance, matmul_omp_static>("matmul"),
        loop<mandelbrot_instance, mandelbrot_omp_static>("mandelbrot"),
        loop<nqueens_instance, nqueens_omp_static>("nqueens"),
        loop<ga_instance, ga_omp_static>("ga"),
        tasks<mergesort_instance, mergesort_omp_tasks>("mergesort"),
        tasks<matmul_instance, matmul_omp_tasks>("matmul"),
        tasks<fft_instance, fft_omp_tasks>("fft"),
        tasks<mandelbrot_instance, mandelbrot_omp_tasks>("mandelbrot"),
        tasks<nqueens_instance, nqueens_omp_tasks>("nqueens"),
        tasks<knapsack_instance, knapsack_omp_tasks>("knapsack"),
        tasks<ga_instance, ga_omp_tasks>("ga"),
        tasks<fib_instance, fib_omp_tasks>("fib"),
        tasks<video_instance, video_omp_tasks>("video"),
    };
    for (const workload& one : graph_workloads()) {
      all.push_back(loop<graph_instance, graph_omp_static>(one.name));
      all.push_back(tasks<graph_instance, graph_omp_tasks>(one.name));
    }
    for (const workload& one : flow_workloads())
      all.push_back({one.name, "omp-tasks", "OpenMP depend", run_as<flow_instance, flow_omp_tasks>, set_up_omp});
    for (const workload& one : grid_workloads()) {
      all.push_back(loop<grid_instance, grid_omp_static>(one.name));
      all.push_back(tasks<grid_instance, grid_omp_tasks>(one.name));
    }
    return all;
  }();
  return list;
}

}  // namespace nearfork::workloads
