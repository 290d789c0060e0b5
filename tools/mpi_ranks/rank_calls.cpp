#include "tools/mpi_ranks/rank_calls.hpp"

#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

namespace {

constexpr int results_tag = 23;
/// MPI counts in int.
constexpr std::size_t most_bytes_at_once = std::size_t{1} << 30;

/// Ranks end at different times: who waits leaves its core to the others.
int wait_asleep(MPI_Request& request) {
  int done = 0;
  int code = MPI_SUCCESS;
  while ((code = MPI_Test(&request, &done, MPI_STATUS_IGNORE)) == MPI_SUCCESS && done == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return code;
}

int send_part(const void* data, std::size_t bytes) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, 0, results_tag, MPI_COMM_WORLD, &request);
  return code == MPI_SUCCESS ? wait_asleep(request) : code;
}

int receive_part(void* data, std::size_t bytes, int from) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, from, results_tag, MPI_COMM_WORLD, &request);
  return code == MPI_SUCCESS ? wait_asleep(request) : code;
}

int send_all(const char* bytes, std::size_t size) {
  const unsigned long long length = size;
  int code = send_part(&length, sizeof length);
  for (std::size_t at = 0; at < size && code == MPI_SUCCESS; at += most_bytes_at_once)
    code = send_part(bytes + at, std::min(most_bytes_at_once, size - at));
  return code;
}

int receive_all(std::vector<char>& into, int from) {
  unsigned long long length = 0;
  int code = receive_part(&length, sizeof length, from);
  if (code != MPI_SUCCESS) return code;
  into.resize(length);
  for (std::size_t at = 0; at < into.size() && code == MPI_SUCCESS; at += most_bytes_at_once)
    code = receive_part(into.data() + at, std::min(most_bytes_at_once, into.size() - at), from);
  return code;
}

}  // namespace

int nearfork_ranks_begin(int* rank, int* ranks) {
  int level = 0;
  if (const int code = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level); code != MPI_SUCCESS) return code;
  if (const int code = MPI_Comm_rank(MPI_COMM_WORLD, rank); code != MPI_SUCCESS) return code;
  return MPI_Comm_size(MPI_COMM_WORLD, ranks);
}

int nearfork_ranks_gather(const char* bytes, std::size_t size, void (*take)(void*, int, const char*, std::size_t),
                          void* data) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank != 0) return send_all(bytes, size);
  take(data, 0, bytes, size);
  std::vector<char> theirs;
  for (int from = 1; from < ranks; ++from) {
    if (const int code = receive_all(theirs, from); code != MPI_SUCCESS) return code;
    take(data, from, theirs.data(), theirs.size());
  }
  return MPI_SUCCESS;
}

int nearfork_ranks_end() {
  return MPI_Finalize();
}
