// `nearfork bench --mpi`: workloads on ranks of MPI.
#pragma once

#include <string>
#include <vector>

#include "tools/bench/mpi/mpi_launch.hpp"
#include "tools/bench/request.hpp"
#include "tools/bench/result.hpp"

namespace nearfork::tools {

struct mpi_request {
  unsigned ranks = 0;  // 0: without MPI
  std::string kind{};  // empty: the first that is there
};

/// A workload of MPI, with the size that was asked for.
struct mpi_workload {
  std::string name;  // "heat-mpi"
  std::string description;
  workloads::size_values size;
  std::string size_text;
  std::uint64_t bytes = 0;
};

/// For a bench without ranks. Throws: nearfork::error if `request` names a workload of MPI.
void refuse_mpi_programs(const bench_request& request);

/// As sized_workloads(), for the workloads of MPI. Throws: nearfork::error if a workload or size is unknown, or for an
/// option that runs on ranks do not have.
[[nodiscard]] std::vector<mpi_workload> mpi_workloads(const bench_request& request);

/// The ways that `request` asks for. Throws: nearfork::error if a contender is unknown, or none is left.
[[nodiscard]] std::vector<mpi_contender> mpi_contenders_for(const bench_request& request, unsigned ranks,
                                                            unsigned cores);

/// Open MPI's or MPICH's name and version, as the program says it. Throws: nearfork::error if it cannot be started.
[[nodiscard]] std::string mpi_version(const mpi_here& mpi);

/// Runs all contenders, interleaved. Each run is a start of the launcher, with a run that warms up, and is checked
/// against what one thread computes, bit for bit. Throws: nearfork::error if a run ends with a status other than 0.
[[nodiscard]] workload_result run_on_ranks(const mpi_workload& what, const bench_request& request, const mpi_here& mpi,
                                           const std::vector<mpi_contender>& contenders, unsigned cores);

}  // namespace nearfork::tools
