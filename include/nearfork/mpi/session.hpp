#pragma once

#include <nearfork/detail/language.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nearfork/config.hpp>
#include <nearfork/mpi/error.hpp>
#include <nearfork/runtime.hpp>

namespace nearfork::mpi {

/// What one rank has of its node.
struct NEARFORK_STANDARD_LAYOUT rank_place {
  int rank;                   // in MPI_COMM_WORLD
  std::string node;           // as MPI_Get_processor_name tells it
  std::vector<unsigned> pus;  // that it may use, by the numbers of the system
  std::string how;            // "bound by the launcher", "agreed among the ranks of the node", ...
};

/// A program's use of MPI, from MPI_Init_thread() to MPI_Finalize(), with a runtime that has this rank's share of the
/// machine.
///
///     int main(int argc, char** argv) {
///       nearfork::mpi::session here(argc, argv);
///       here.run([&] {
///         const int sum = nearfork::mpi::allreduce(here.rank(), MPI_SUM, MPI_COMM_WORLD);
///         std::printf("rank %d: %d\n", here.rank(), sum);
///       });
///     }
///
/// A rank that the launcher has bound keeps its PUs. Where the ranks of a node are not bound, they agree on disjoint
/// shares (machine_shares()), and each binds the calling thread to its own before the runtime starts. So make the
/// session before any other runtime: threads that run already stay where they are. With config::pin off, or
/// config::machine set, nothing is bound. If ranks share PUs all the same, rank 0 says so on stderr; in strict mode
/// that is an error. Where config::report, record or trace name a file and there are several ranks, each writes its
/// own: report.json becomes report.rank3.json. With a report, rank 0 also writes who has what: to stderr, or to
/// report.json.ranks.
class session {
 public:
  /// Initialises MPI with MPI_THREAD_MULTIPLE, unless the program has done so. Collective over MPI_COMM_WORLD.
  /// Throws: mpi::error if MPI grants too few threads, or in strict mode if ranks share PUs; as the constructor of
  /// runtime.
  session(int& argc, char**& argv, const config& settings = config::from_environment());
  /// The same for a program that has no arguments for MPI.
  explicit session(const config& settings = config::from_environment());
  /// Waits for the runtime's tasks. Finalises MPI if the constructor initialised it.
  ~session();
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  /// The runtime of this rank.
  [[nodiscard]] runtime& home() noexcept;
  /// home().run(f).
  template <class F>
  decltype(auto) run(F&& f, call_site where = {__builtin_FILE(), __builtin_LINE()}) {
    return home().run(std::forward<F>(f), where);
  }
  /// This process in MPI_COMM_WORLD.
  [[nodiscard]] int rank() const noexcept;
  /// The size of MPI_COMM_WORLD.
  [[nodiscard]] int ranks() const noexcept;
  /// What each rank has, by rank.
  [[nodiscard]] const std::vector<rank_place>& places() const noexcept;
  /// places() as text, a line for each rank, and a line for each pair of ranks that share PUs.
  [[nodiscard]] std::string places_text() const;

 private:
  void begin(const config& settings);

  struct parts;
  std::unique_ptr<parts> parts_;
};

}  // namespace nearfork::mpi
