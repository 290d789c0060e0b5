// How runs on ranks of MPI are started, and what they say. The command is linked with no MPI: a program for each MPI
// that the build found (workloads/mpi/) lies beside it, and the MPI's launcher starts that.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nearfork::tools {

/// An MPI for which there are a program and a launcher.
struct mpi_here {
  std::string kind;      // "openmpi" or "mpich"
  std::string launcher;  // a path
  std::string program;   // a path
};

/// The first of Open MPI and MPICH; that of `wanted`, if it is not empty. `folders`: where the programs may be.
/// `path`: as the variable PATH. Throws: nearfork::error that says what is missing, and what to do.
[[nodiscard]] mpi_here mpi_to_use(const std::string& wanted, const std::vector<std::string>& folders,
                                  std::string_view path);
/// Where this command's programs may be: beside it, as built, and in libexec, as installed.
[[nodiscard]] std::vector<std::string> folders_of_programs();

/// A way to run a workload: its name, and the threads that it has.
struct mpi_contender {
  std::string name;  // as the program knows it
  std::string label;
  unsigned ranks = 1;
  unsigned threads = 1;  // of each rank
};
/// nearfork and MPI + OpenMP on `ranks` ranks with `threads` each; MPI with a rank for each of these threads.
[[nodiscard]] std::vector<mpi_contender> mpi_contenders(unsigned ranks, unsigned threads);

struct mpi_start {
  std::vector<std::string> words;
  std::vector<std::pair<std::string, std::string>> environment;
};
/// What starts `how`. Ranks are bound where all their threads fit on the `cores`; nearfork's agree by themselves.
/// `arguments`: of the program.
[[nodiscard]] mpi_start start_of(const mpi_here& mpi, const mpi_contender& how, unsigned cores,
                                 const std::vector<std::string>& arguments);

/// What a run has written.
struct mpi_outcome {
  std::uint64_t serial_ns = 0;
  std::vector<std::uint64_t> times_ns{};
  std::string fault{};  // empty: right
  bool complete = false;
};
[[nodiscard]] mpi_outcome mpi_outcome_from(const std::string& text);

}  // namespace nearfork::tools
