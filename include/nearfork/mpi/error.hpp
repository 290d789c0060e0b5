#pragma once

#include <nearfork/detail/language.hpp>

#include <string>

#include <nearfork/call_site.hpp>
#include <nearfork/error.hpp>

#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1  ///< Leaves out the C++ bindings that MPI has given up, of Open MPI.
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1  ///< The same, of MPICH.
#endif
#include <mpi.h>

namespace nearfork::mpi {

/// An MPI call failed, or cannot be made. Thrown in the task that made the call or waited; other tasks go on.
///
/// The message has the call, the communicator, MPI's text and the place of the call. nearfork sets MPI_ERRORS_RETURN on
/// MPI_COMM_WORLD, on MPI_COMM_SELF, and on each communicator of a call whose errors would end the program.
class error : public nearfork::error {
 public:
  /// `code`: MPI's, or MPI_ERR_OTHER where the call was not made.
  error(const std::string& message, std::string call, std::string communicator, int code)
      : nearfork::error(message), call_(std::move(call)), communicator_(std::move(communicator)), code_(code) {}

  /// "MPI_Irecv".
  [[nodiscard]] const std::string& call() const noexcept { return call_; }
  /// The name of the communicator, "MPI_COMM_WORLD"; empty if it is not known, as for a request of the program.
  [[nodiscard]] const std::string& communicator() const noexcept { return communicator_; }
  /// MPI's error code, for MPI_Error_class().
  [[nodiscard]] int code() const noexcept { return code_; }

 private:
  std::string call_;
  std::string communicator_;
  int code_;
};

}  // namespace nearfork::mpi
