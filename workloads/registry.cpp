#include <algorithm>
#include <string>

#include <nearfork/error.hpp>

#include "workloads/fft/fft.hpp"
#include "workloads/fib/fib.hpp"
#include "workloads/flow_programs/flow_programs.hpp"
#include "workloads/ga/ga.hpp"
#include "workloads/graphs/graph_program.hpp"
#include "workloads/grid/grid_program.hpp"
#include "workloads/knapsack/knapsack.hpp"
#include "workloads/mandelbrot/mandelbrot.hpp"
#include "workloads/matmul/matmul.hpp"
#include "workloads/memory.hpp"
#include "workloads/mergesort/mergesort.hpp"
#include "workloads/nqueens/nqueens.hpp"
#include "workloads/video/video.hpp"
#include "workloads/workload.hpp"

namespace nearfork::workloads {

const std::vector<workload>& all_workloads() {
  static const std::vector<workload> all = [] {
    std::vector<workload> made = grid_workloads();
    made.insert(made.end(), graph_workloads().begin(), graph_workloads().end());
    made.insert(made.end(), flow_workloads().begin(), flow_workloads().end());
    for (const auto other : {mergesort_workload, matmul_workload, fft_workload, mandelbrot_workload, nqueens_workload,
                             knapsack_workload, ga_workload, fib_workload, video_workload})
      made.push_back(other());
    return made;
  }();
  return all;
}

const workload& find_workload(std::string_view name) {
  const auto found = std::ranges::find(all_workloads(), name, &workload::name);
  if (found != all_workloads().end()) return *found;
  std::string known;
  for (const workload& one : all_workloads()) known += (known.empty() ? "" : ", ") + std::string(one.name);
  throw error("no workload is called \"" + std::string(name) + "\"; allowed: " + known);
}

std::string size_text(const workload& which, const size_values& size, const instance_input& input) {
  if (!which.takes_graph || !input.graph) return size_text(which.sizes, size);
  size_rules that_count;
  size_values values;
  for (std::size_t i = 0; i < which.sizes.fields.size(); ++i) {
    if (which.sizes.fields[i].of_made_graph) continue;
    that_count.fields.push_back(which.sizes.fields[i]);
    values.push_back(size.at(i));
  }
  return size_text(that_count, values);
}

void check_memory(const workload& which, const size_values& size, const instance_input& input,
                  std::uint64_t memory_bytes) {
  const std::uint64_t needed = which.bytes(size, input);
  if (needed > memory_bytes)
    throw error(std::string(which.name) + " with " + size_text(which, size, input) + " needs " + bytes_text(needed) +
                " of memory, but " + bytes_text(memory_bytes) + " are free: choose a smaller size");
}

std::unique_ptr<instance> prepare(const workload& which, const size_values& size, const instance_input& input,
                                  std::uint64_t memory_bytes) {
  check_memory(which, size, input, memory_bytes);
  return which.make(size, input);
}

std::unique_ptr<instance> prepare(const workload& which, const size_values& size, const instance_input& input) {
  return prepare(which, size, input, available_memory());
}

}  // namespace nearfork::workloads
