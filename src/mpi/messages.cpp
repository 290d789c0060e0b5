#include <nearfork/mpi/messages.hpp>

#include <array>

#include "mpi/engine.hpp"

namespace nearfork::mpi {

int detail::count_of(std::size_t items, const char* call, const call_site& where) {
  if (items > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    refuse({call, MPI_COMM_NULL, where},
           "a message of " + std::to_string(items) +
               " items is longer than MPI counts (2147483647); send several, or use a derived type");
  return static_cast<int>(items);
}

void send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, call_site where) {
  (void)run_call({"MPI_Isend", comm, where, to, tag},
                 [&](MPI_Request* made) { return MPI_Isend(data, count, type, to, tag, comm, made); });
}

void ssend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, call_site where) {
  (void)run_call({"MPI_Issend", comm, where, to, tag},
                 [&](MPI_Request* made) { return MPI_Issend(data, count, type, to, tag, comm, made); });
}

MPI_Status recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, call_site where) {
  return run_call({"MPI_Irecv", comm, where, from, tag},
                  [&](MPI_Request* made) { return MPI_Irecv(data, count, type, from, tag, comm, made); });
}

namespace {

/// Begins both halves. If the second cannot begin, the first is taken back before the buffers go.
int begin_both(const message_out& out, const message_in& in, MPI_Comm comm, std::array<MPI_Request, 2>& made) {
  if (const int code = MPI_Irecv(in.data, in.count, in.type, in.from, in.tag, comm, &made[0]); code != MPI_SUCCESS)
    return code;
  const int code = MPI_Isend(out.data, out.count, out.type, out.to, out.tag, comm, &made[1]);
  if (code != MPI_SUCCESS) {
    (void)MPI_Cancel(&made[0]);
    (void)MPI_Wait(&made[0], MPI_STATUS_IGNORE);
  }
  return code;
}

}  // namespace

MPI_Status sendrecv(const message_out& out, const message_in& in, MPI_Comm comm, call_site where) {
  const called what{"MPI_Sendrecv", comm, where, in.from, in.tag};
  engine& here = engine::ready(what);
  here.return_errors(what);
  std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  std::array<MPI_Status, 2> statuses{};
  awaited both{.what = what, .requests = requests.data(), .count = 2, .statuses = statuses.data()};
  suspend(here, [&](resumer done) {
    int code = MPI_SUCCESS;
    {
      const auto held = here.lock();
      code = begin_both(out, in, comm, requests);
    }
    if (code != MPI_SUCCESS) here.fail(what, code);
    here.await(both, std::move(done));
  });
  here.throw_if_failed(both);
  return statuses[0];
}

}  // namespace nearfork::mpi
