#include <nearfork/mpi/waits.hpp>

#include "mpi/engine.hpp"

namespace nearfork::mpi {
namespace {

void run_wait(awaited& wait) {
  engine& here = engine::ready(wait.what);
  suspend(here, [&](resumer done) { here.await(wait, std::move(done)); });
  here.throw_if_failed(wait);
}

called of_request(const char* call, const call_site& where) {
  return {.call = call, .comm = MPI_COMM_NULL, .where = where};
}

}  // namespace

void wait(MPI_Request& request, MPI_Status* status, call_site where) {
  awaited one{.what = of_request("MPI_Wait", where), .requests = &request, .count = 1, .statuses = status};
  run_wait(one);
}

void wait_all(std::span<MPI_Request> requests, MPI_Status* statuses, call_site where) {
  if (requests.empty()) return;
  awaited all{.what = of_request("MPI_Waitall", where),
              .requests = requests.data(),
              .count = requests.size(),
              .statuses = statuses};
  run_wait(all);
}

std::size_t wait_any(std::span<MPI_Request> requests, MPI_Status* status, call_site where) {
  if (requests.empty()) return 0;
  awaited any{.what = of_request("MPI_Waitany", where),
              .requests = requests.data(),
              .count = requests.size(),
              .statuses = status,
              .any = true};
  run_wait(any);
  return any.which;
}

bool test(MPI_Request& request, MPI_Status* status, call_site where) {
  const called what = of_request("MPI_Test", where);
  engine& here = engine::ready(what);
  int complete = 0;
  int code = MPI_SUCCESS;
  {
    const auto held = here.lock();
    code = MPI_Test(&request, &complete, status);
  }
  if (code != MPI_SUCCESS) here.fail(what, code);
  return complete != 0;
}

namespace detail {

call_lock::call_lock() : locked_(engine::ready({"nearfork::mpi::call", MPI_COMM_NULL, {"", 0}}).is_serialized()) {
  if (locked_) engine::instance().calls().lock();
}

call_lock::~call_lock() {
  if (locked_) engine::instance().calls().unlock();
}

}  // namespace detail

}  // namespace nearfork::mpi
