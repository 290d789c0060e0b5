#include <algorithm>

#include <nearfork/error.hpp>
#include <nearfork/parallel_for.hpp>

#include "workloads/mpi/mpi_part.hpp"

namespace nearfork::workloads {

rank_number rank_in_world() {
  rank_number here;
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &here.mine);
  (void)MPI_Comm_size(MPI_COMM_WORLD, &here.all);
  return here;
}

unsigned openmp_threads(mpi_style style) {
#ifdef NEARFORK_HAVE_OPENMP
  if (style == mpi_style::openmp) return openmp_most_threads();
#endif
  return 1;
}

void for_blocks(mpi_style style, std::size_t first, std::size_t last, std::size_t block, const block_body& body) {
  if (first >= last) return;
  switch (style) {
    case mpi_style::ranks: return body(first, last);
    case mpi_style::openmp:
#ifdef NEARFORK_HAVE_OPENMP
      return openmp_blocks(first, last, block, body);
#else
      throw error("nearfork: this build has no OpenMP");
#endif
    case mpi_style::suspended: break;
  }
  const std::size_t blocks = (last - first + block - 1) / block;
  parallel_for(std::size_t{0}, blocks, [&](std::size_t i) {
    const std::size_t from = first + i * block;
    body(from, std::min(last, from + block));
  });
}

}  // namespace nearfork::workloads
