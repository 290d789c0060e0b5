// A workload that ranks of MPI share: heat-mpi and pagerank-mpi. Each rank makes one part. There are three ways to run
// the same kernels, so that what they differ in is how they wait and how they use cores.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nearfork/mpi/error.hpp>

#include "workloads/size.hpp"

namespace nearfork::workloads {

enum class mpi_style : std::uint8_t {
  suspended,  // tasks of nearfork wait for messages, and other tasks compute meanwhile
  ranks,      // one thread in each rank, which blocks in MPI
  openmp,     // loops of OpenMP; the main thread blocks in MPI between them
};

/// A rank's part of a problem. All functions are collective over MPI_COMM_WORLD; errors of MPI end the program, or are
/// mpi::error under `suspended`.
class mpi_part {
 public:
  mpi_part() = default;
  mpi_part(const mpi_part&) = delete;
  mpi_part& operator=(const mpi_part&) = delete;
  virtual ~mpi_part() = default;

  /// The first values. Calls no MPI.
  virtual void reset() = 0;
  /// All iterations. Under `suspended` call it in a task.
  virtual void run() = 0;
  /// By all ranks: rank 0 gets the values of all parts. Empty on the others.
  [[nodiscard]] virtual std::vector<double> gathered() = 0;
  /// By rank 0 alone: the values that one thread computes by the same kernel. Calls no MPI.
  [[nodiscard]] virtual std::vector<double> computed_serially() const = 0;
};

/// The sizes are those of the workloads of one process. Throws: nearfork::error if there are too many ranks for the
/// size; mpi::error.
[[nodiscard]] std::unique_ptr<mpi_part> heat_part(const size_values& size, std::uint64_t seed, mpi_style style);
[[nodiscard]] std::unique_ptr<mpi_part> pagerank_part(const size_values& size, std::uint64_t seed, mpi_style style);

/// Calls body(first, last) for blocks of [first, last): in parallel tasks, in parallel threads, or once.
using block_body = std::function<void(std::size_t first, std::size_t last)>;
void for_blocks(mpi_style style, std::size_t first, std::size_t last, std::size_t block, const block_body& body);

/// The loop of OpenMP; absent from builds without it.
void openmp_blocks(std::size_t first, std::size_t last, std::size_t block, const block_body& body);
[[nodiscard]] unsigned openmp_most_threads();
/// Of a rank that blocks in MPI.
[[nodiscard]] unsigned openmp_threads(mpi_style style);

struct rank_number {
  int mine = 0;
  int all = 1;
};
[[nodiscard]] rank_number rank_in_world();

}  // namespace nearfork::workloads
