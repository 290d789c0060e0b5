// Faults: each is an error in the task that it belongs to, and the message says what to do.
#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include "mpi/cases.hpp"

namespace cases {
namespace {

namespace mpi = nearfork::mpi;

void truncation(const initialised& here) {
  const int peer = here.ranks - 1 - here.rank;
  std::vector<int> data(4, here.rank);
  std::vector<int> room(2);
  std::string message;
  int other = -1;
  nearfork::run([&] {
    nearfork::task_group all;
    all.spawn([&] { message = message_of([&] { mpi::recv(std::span(room), peer, 1, MPI_COMM_WORLD); }); });
    all.spawn([&] { mpi::recv(std::span(&other, 1), peer, 2, MPI_COMM_WORLD); });
    mpi::barrier(MPI_COMM_WORLD);
    mpi::send(std::span<const int>(data), peer, 1, MPI_COMM_WORLD);
    mpi::send(std::span<const int>(data).first(1), peer, 2, MPI_COMM_WORLD);
    all.sync();
  });
  expect(other == peer, "the other task goes on");
  if (peer == here.rank) return;  // Open MPI 4.1 cuts a rank's message to itself, and reports nothing
  expect_says(message, "MPI_Irecv on MPI_COMM_WORLD, rank " + std::to_string(peer) + ", tag 1 failed: ");
  expect_says(message, "runcate");
  expect_says(message, "fault_cases.cpp:");
}

void errors(const arguments&) {
  const initialised here;
  truncation(here);
  nearfork::run([&] {
    int word = 0;
    expect_says(message_of([&] { mpi::send(std::span<const int>(&word, 1), here.ranks, 0, MPI_COMM_WORLD); }), "rank");
    expect_says(message_of([&] { mpi::barrier(MPI_COMM_NULL); }), "MPI_COMM_NULL is no communicator");
    MPI_Comm own = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_SELF, &own);
    MPI_Comm_set_errhandler(own, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_name(own, "of one rank");
    const std::string wrong = message_of([&] { mpi::recv(std::span(&word, 1), 5, 0, own); });
    expect_says(wrong, "MPI_Irecv on of one rank, rank 5, tag 0 failed");
    MPI_Comm_free(&own);
    try {
      mpi::bcast(&word, 1, MPI_INT, 77, MPI_COMM_WORLD);
      expect(false, "no error for a wrong root");
    } catch (const mpi::error& wrong_root) {
      expect(wrong_root.call() == "MPI_Ibcast" && wrong_root.communicator() == "MPI_COMM_WORLD",
             "what the error names");
      expect(wrong_root.code() != MPI_SUCCESS, "the code");
    }
    MPI_Request freed = MPI_REQUEST_NULL;
    MPI_Irecv(&word, 1, MPI_INT, here.rank, 3, MPI_COMM_SELF == MPI_COMM_WORLD ? MPI_COMM_SELF : MPI_COMM_WORLD,
              &freed);
    MPI_Cancel(&freed);
    MPI_Request_free(&freed);
    mpi::wait(freed);  // MPI_REQUEST_NULL: nothing to wait for
    mpi::barrier(MPI_COMM_WORLD);
  });
  // A task that was cancelled begins no wait.
  nearfork::run([&] {
    nearfork::task_group all;
    std::atomic<bool> began{false};
    all.spawn([&] {
      all.cancel();
      mpi::barrier(MPI_COMM_WORLD);
      began = true;
    });
    all.sync();
    expect(!began, "a cancelled task does not call MPI");
  });
}

void not_initialised(const arguments&) {
  MPI_Request none = MPI_REQUEST_NULL;
  const auto waits = [&] { mpi::wait(none); };
  expect_says(message_of([&] { nearfork::run(waits); }), "MPI is not initialised; make a nearfork::mpi::session");
  {
    const initialised here;
    nearfork::run([] { mpi::barrier(MPI_COMM_WORLD); });
  }
  expect_says(message_of([&] { nearfork::run(waits); }), "MPI has been finalised");
}

void funneled(const arguments&) {
  const initialised here(MPI_THREAD_FUNNELED);
  int level = 0;
  MPI_Query_thread(&level);
  if (level > MPI_THREAD_FUNNELED) return;  // this MPI grants more than it is asked for
  expect_says(message_of([] { nearfork::run([] { mpi::barrier(MPI_COMM_WORLD); }); }),
              "MPI_THREAD_FUNNELED, but tasks");
}

void finalised_too_early(const arguments&) {
  std::string message;
  nearfork::runtime own;
  {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
    static int word = 0;
    nearfork::submit(
        own, [&] { message = message_of([] { mpi::recv(std::span(&word, 1), MPI_ANY_SOURCE, 9, MPI_COMM_SELF); }); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    MPI_Finalize();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  own.run([] {});
  for (int i = 0; i < 1000 && message.empty(); ++i) {
    own.run([] {});
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  expect_says(message, "MPI_Finalize() was called while this task waited");
}

/// Rank 0 waits for a message that comes late.
void stall(const arguments&) {
  const initialised here;
  nearfork::run([&] {
    int word = 0;
    if (here.rank == 0) return (void)mpi::recv(std::span(&word, 1), 1, 99, MPI_COMM_WORLD);
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    mpi::send(std::span<const int>(&word, 1), 0, 99, MPI_COMM_WORLD);
  });
}

}  // namespace

table fault_cases() {
  return {{"errors", errors},
          {"not_initialised", not_initialised},
          {"funneled", funneled},
          {"finalised_too_early", finalised_too_early},
          {"stall", stall}};
}

}  // namespace cases
