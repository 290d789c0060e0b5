// One function per contender and workload, or per contender for all grid programs and for all graph programs. Each is
// in <library>/<workload>.cpp.
#pragma once

#include "workloads/dataflow/flow_instance.hpp"
#include "workloads/fft/fft.hpp"
#include "workloads/fib/fib.hpp"
#include "workloads/flow_programs/flow_programs.hpp"
#include "workloads/ga/ga.hpp"
#include "workloads/graphs/graph_instance.hpp"
#include "workloads/grid/grid_instance.hpp"
#include "workloads/knapsack/knapsack.hpp"
#include "workloads/mandelbrot/mandelbrot.hpp"
#include "workloads/matmul/matmul.hpp"
#include "workloads/mergesort/mergesort.hpp"
#include "workloads/nqueens/nqueens.hpp"
#include "workloads/video/video.hpp"

namespace nearfork::workloads {

void grid_tbb(grid_instance& grid, unsigned workers);
void graph_tbb(graph_instance& graph, unsigned workers);
void mergesort_tbb(mergesort_instance& sort, unsigned workers);
void matmul_tbb(matmul_instance& matmul, unsigned workers);
void fft_tbb(fft_instance& fft, unsigned workers);
void mandelbrot_tbb(mandelbrot_instance& mandelbrot, unsigned workers);
void nqueens_tbb(nqueens_instance& nqueens, unsigned workers);
void knapsack_tbb(knapsack_instance& knapsack, unsigned workers);
void ga_tbb(ga_instance& ga, unsigned workers);
void fib_tbb(fib_instance& fib, unsigned workers);

/// Loops with schedule(static), if the workload has a loop to share out.
void grid_omp_static(grid_instance& grid, unsigned workers);
void graph_omp_static(graph_instance& graph, unsigned workers);
void matmul_omp_static(matmul_instance& matmul, unsigned workers);
void mandelbrot_omp_static(mandelbrot_instance& mandelbrot, unsigned workers);
void nqueens_omp_static(nqueens_instance& nqueens, unsigned workers);
void ga_omp_static(ga_instance& ga, unsigned workers);

void grid_omp_tasks(grid_instance& grid, unsigned workers);
void graph_omp_tasks(graph_instance& graph, unsigned workers);
/// Tasks that `depend` on their data.
void flow_omp_tasks(flow_instance& flow, unsigned workers);
void mergesort_omp_tasks(mergesort_instance& sort, unsigned workers);
void matmul_omp_tasks(matmul_instance& matmul, unsigned workers);
void fft_omp_tasks(fft_instance& fft, unsigned workers);
void mandelbrot_omp_tasks(mandelbrot_instance& mandelbrot, unsigned workers);
void nqueens_omp_tasks(nqueens_instance& nqueens, unsigned workers);
void knapsack_omp_tasks(knapsack_instance& knapsack, unsigned workers);
void ga_omp_tasks(ga_instance& ga, unsigned workers);
void fib_omp_tasks(fib_instance& fib, unsigned workers);
void video_omp_tasks(video_instance& film, unsigned workers);  // with depend

/// Call instance::reset_by() with a loop that gives each thread one contiguous part.
void set_up_tbb(instance& problem, unsigned workers);
void set_up_omp(instance& problem, unsigned workers);

}  // namespace nearfork::workloads
