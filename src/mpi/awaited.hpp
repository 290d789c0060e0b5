// A wait for requests of MPI: lies on the stack of the task that waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include <nearfork/mpi/error.hpp>
#include <nearfork/tasks/suspend.hpp>

namespace nearfork::mpi {

inline constexpr int no_peer = std::numeric_limits<int>::min();

/// What is called, for messages.
struct called {
  const char* call;
  MPI_Comm comm;  // MPI_COMM_NULL: not known
  call_site where;
  int peer = no_peer;
  int tag = 0;
};

enum class ends_when : std::uint8_t {
  all,     // requests are complete
  any,     // one of them is
  probed,  // there is a message
  taken,   // the same, and nobody else can receive it
};

struct awaited {
  called what;
  MPI_Request* requests;
  std::size_t count;
  MPI_Status* statuses = MPI_STATUSES_IGNORE;
  ends_when how = ends_when::all;
  MPI_Message* message = nullptr;  // of `taken`

  // Written by who polls.
  std::size_t left = 0;   // requests that are not complete
  std::size_t which = 0;  // of `any`
  int code = MPI_SUCCESS;
  std::size_t place = 0;  // in the list of waits
  std::uint64_t since_ns = 0;
  bool told = false;     // that it takes long
  bool cut_off = false;  // MPI was finalised meanwhile
  std::optional<resumer> done{};
  awaited* next = nullptr;  // of those that no poll has seen
};

/// "MPI_Irecv on MPI_COMM_WORLD, rank 1, tag 7". MPI must be usable.
[[nodiscard]] std::string text_of(const called& what);
[[nodiscard]] std::string text_of(const call_site& where);
/// The name of a communicator; empty for none, and for one that MPI does not know.
[[nodiscard]] std::string name_of(MPI_Comm comm);
/// Throws mpi::error for MPI's error code.
[[noreturn]] void throw_error(const called& what, int code);
/// Throws mpi::error for what MPI was not asked.
[[noreturn]] void refuse(const called& what, const std::string& why);

}  // namespace nearfork::mpi
