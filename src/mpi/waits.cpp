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
              .how = ends_when::any};
  run_wait(any);
  return any.which;
}

namespace {

/// A loop that tests would keep its worker from the task that sends what it waits for.
constexpr unsigned failed_tests_until_turn = 16;
thread_local unsigned failed_tests = 0;  // in a row

void give_turn(const called& what) {
  if (++failed_tests < failed_tests_until_turn) return;
  failed_tests = 0;
  awaited next_poll{.what = what, .requests = nullptr, .count = 0};
  run_wait(next_poll);
}

}  // namespace

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
  if (complete == 0) give_turn(what);
  else failed_tests = 0;
  return complete != 0;
}

MPI_Status probe(int from, int tag, MPI_Comm comm, call_site where) {
  const called what{"MPI_Probe", comm, where, from, tag};
  MPI_Status status{};
  awaited one{.what = what, .requests = nullptr, .count = 0, .statuses = &status, .how = ends_when::probed};
  engine::ready(what).return_errors(what);
  run_wait(one);
  return status;
}

MPI_Message mprobe(int from, int tag, MPI_Comm comm, MPI_Status* status, call_site where) {
  const called what{"MPI_Mprobe", comm, where, from, tag};
  MPI_Message message = MPI_MESSAGE_NULL;
  awaited one{
      .what = what, .requests = nullptr, .count = 0, .statuses = status, .how = ends_when::taken, .message = &message};
  engine::ready(what).return_errors(what);
  run_wait(one);
  return message;
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
