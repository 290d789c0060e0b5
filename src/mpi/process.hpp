// What the MPI part asks of the system.
#pragma once

#include <vector>

namespace nearfork::mpi {

/// The PUs that the calling thread may use, ascending; empty if the system does not say.
[[nodiscard]] std::vector<unsigned> bound_to();
/// Binds all threads of this process, and those that they start. Returns 0 or the errno value.
[[nodiscard]] int bind_to(const std::vector<unsigned>& pus);
/// SIGTERM, with which launchers end the ranks that are left: if tasks wait, the next poll says who waits for whom, and
/// then the process ends of the signal, at the latest after two seconds. Does nothing where the program has a handler.
void tell_waits_at_end();
/// Ends the process as `signal` does by default.
void end_by(int signal) noexcept;

}  // namespace nearfork::mpi
