// What a suspended wait for a message costs, beside MPI's own waits. Two ranks:
//
//   ping-pong     half a round trip, by MPI_Recv between spinning ranks and by nearfork::mpi::recv in a task
//   poll round    ns per pending request: a task waits for 10,000 receives while a ping-pong goes on beside it
//   idle          percent of a core, from 1 s of silence on, while a task waits for a message
//
// usage: mpirun -n 2 mpi_waits
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include <nearfork/mpi.hpp>
#include <nearfork/nearfork.hpp>

namespace {

namespace mpi = nearfork::mpi;
using clock_type = std::chrono::steady_clock;

constexpr int repetitions = 15;
constexpr int rounds = 2000;

double us_since(clock_type::time_point from) {
  return std::chrono::duration<double, std::micro>(clock_type::now() - from).count();
}

double median(std::vector<double> of) {
  std::ranges::sort(of);
  return of[of.size() / 2];
}

/// `send` and `recv` of one int. Returns us per message.
template <class Send, class Recv>
double ping_pong(int rank, int many, Send send, Recv recv) {
  int word = 0;
  const auto from = clock_type::now();
  for (int i = 0; i < many; ++i) {
    if (rank == 0) send(word);
    recv(word);
    if (rank == 1) send(word);
  }
  return us_since(from) / (2.0 * many);
}

double by_mpi(int rank) {
  const int peer = 1 - rank;
  return ping_pong(
      rank, rounds, [peer](int& word) { MPI_Send(&word, 1, MPI_INT, peer, 1, MPI_COMM_WORLD); },
      [peer](int& word) { MPI_Recv(&word, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); });
}

double by_tasks(int rank, int many) {
  const int peer = 1 - rank;
  return ping_pong(
      rank, many, [peer](int& word) { mpi::send(&word, 1, MPI_INT, peer, 2, MPI_COMM_WORLD); },
      [peer](int& word) { mpi::recv(&word, 1, MPI_INT, peer, 2, MPI_COMM_WORLD); });
}

void show(const char* what, const std::vector<double>& of, const char* unit) {
  const auto [least, most] = std::ranges::minmax(of);
  std::printf("%-34s median %8.2f, least %8.2f, most %8.2f %s (%zu times)\n", what, median(of), least, most, unit,
              of.size());
}

/// The pure cost of a round over many pending requests.
double ns_of_round(std::vector<MPI_Request>& requests) {
  constexpr std::size_t block = 1024;  // as src/mpi/request_blocks.hpp
  std::vector<int> indices(block);
  std::vector<MPI_Status> statuses(block);
  const auto from = clock_type::now();
  constexpr int times = 20;
  for (int round = 0; round < times; ++round)
    for (std::size_t first = 0; first < requests.size(); first += block) {
      int complete = 0;
      MPI_Testsome(static_cast<int>(std::min(block, requests.size() - first)), &requests[first], &complete,
                   indices.data(), statuses.data());
    }
  return us_since(from) * 1000 / times / static_cast<double>(requests.size());
}

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& of) {
    return static_cast<double>(of.tv_sec) + 1e-6 * static_cast<double>(of.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

void measure_ping_pong(const mpi::session& here, nearfork::runtime& home) {
  std::vector<double> blocking;
  std::vector<double> suspended;
  for (int i = 0; i < repetitions; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    blocking.push_back(by_mpi(here.rank()));
    home.run([&] {
      mpi::barrier(MPI_COMM_WORLD);
      suspended.push_back(by_tasks(here.rank(), rounds));
    });
  }
  if (here.rank() != 0) return;
  show("message, MPI_Recv", blocking, "us");
  show("message, nearfork::mpi::recv", suspended, "us");
}

/// A message beside many requests that wait costs a round over all their requests, and more.
void measure_pending(const mpi::session& here, nearfork::runtime& home) {
  constexpr int many = 10'000;
  std::vector<int> words(many);
  std::vector<MPI_Request> requests(many);
  const int peer = 1 - here.rank();
  for (int i = 0; i < many; ++i)
    MPI_Irecv(&words[static_cast<std::size_t>(i)], 1, MPI_INT, peer, 100 + i, MPI_COMM_WORLD,
              &requests[static_cast<std::size_t>(i)]);
  std::vector<double> pure;
  for (int i = 0; i < repetitions; ++i) pure.push_back(ns_of_round(requests));
  std::vector<double> beside;
  home.run([&] {
    nearfork::task_group all;
    all.spawn([&] { mpi::wait_all(requests); });
    all.spawn([&] {
      for (int i = 0; i < repetitions; ++i) {
        mpi::barrier(MPI_COMM_WORLD);
        beside.push_back(by_tasks(here.rank(), 50) * 1000 / many);
      }
      for (int i = 0; i < many; ++i) mpi::send(&i, 1, MPI_INT, peer, 100 + i, MPI_COMM_WORLD);
    });
    all.sync();
  });
  if (here.rank() != 0) return;
  show("MPI_Testsome, a pending request", pure, "ns");
  show("message beside 10,000, each", beside, "ns");
}

void measure_idle(const mpi::session& here, nearfork::runtime& home) {
  std::vector<double> percent;
  home.run([&] {
    int word = 0;
    mpi::barrier(MPI_COMM_WORLD);
    nearfork::task_group all;
    all.spawn([&] { mpi::recv(&word, 1, MPI_INT, 1 - here.rank(), 3, MPI_COMM_WORLD); });
    std::thread watcher;  // outside: all tasks wait
    nearfork::suspend([&](nearfork::resumer done) {
      watcher = std::thread([&percent, done] {
        std::this_thread::sleep_for(std::chrono::seconds(1));
        for (int i = 0; i < 5; ++i) {
          const double before = cpu_seconds();
          const auto from = clock_type::now();
          std::this_thread::sleep_for(std::chrono::milliseconds(500));
          percent.push_back(100 * (cpu_seconds() - before) / (us_since(from) * 1e-6));
        }
        done.resume();
      });
    });
    watcher.join();
    mpi::send(&word, 1, MPI_INT, 1 - here.rank(), 3, MPI_COMM_WORLD);
    all.sync();
  });
  if (here.rank() == 0) show("idle after 1 s of silence", percent, "% of a core");
}

}  // namespace

int main(int argc, char** argv) {
  mpi::session here(argc, argv);
  if (here.ranks() != 2) {
    if (here.rank() == 0) std::fputs("usage: mpirun -n 2 mpi_waits\n", stderr);
    return 2;
  }
  measure_ping_pong(here, here.home());
  measure_pending(here, here.home());
  measure_idle(here, here.home());
}
