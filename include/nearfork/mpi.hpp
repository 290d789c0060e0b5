#pragma once

/// nearfork under MPI: waits for messages that suspend a task and not its worker, and ranks that share a machine
/// (docs/MPI.md). A component of its own: link nearfork::mpi. nearfork.hpp does not include it.

#include <nearfork/mpi/collectives.hpp>
#include <nearfork/mpi/error.hpp>
#include <nearfork/mpi/halo.hpp>
#include <nearfork/mpi/messages.hpp>
#include <nearfork/mpi/session.hpp>
#include <nearfork/mpi/waits.hpp>
