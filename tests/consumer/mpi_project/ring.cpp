// As in docs/MPI.md.
#include <cstdio>

#include <nearfork/mpi.hpp>
#include <nearfork/nearfork.hpp>

int main(int argc, char** argv) {
  nearfork::mpi::session here(argc, argv);
  const int sum = here.run([&] { return nearfork::mpi::allreduce(here.rank() + 1, MPI_SUM, MPI_COMM_WORLD); });
  if (here.rank() == 0) std::printf("%d\n", sum);
  return sum == here.ranks() * (here.ranks() + 1) / 2 ? 0 : 1;
}
