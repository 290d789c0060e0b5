#pragma once

#include <nearfork/detail/language.hpp>

#include <type_traits>

#include <nearfork/mpi/messages.hpp>

namespace nearfork::mpi {

// Collective calls, made by one task of each rank. Each begins MPI's non-blocking call and waits for it as mpi::wait()
// does. On one communicator all ranks must begin them in the same order (MPI 3.1, 5.12): tasks that do not order
// themselves need a communicator each (MPI_Comm_dup). Arguments are MPI's (MPI 3.1, chapter 5). What wait() says of
// threads, cancellation and errors holds.

/// As MPI_Barrier.
void barrier(MPI_Comm comm, call_site where = {__builtin_FILE(), __builtin_LINE()});
/// As MPI_Bcast.
void bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm,
           call_site where = {__builtin_FILE(), __builtin_LINE()});
/// As MPI_Reduce. `from` may be MPI_IN_PLACE at the root.
void reduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
            call_site where = {__builtin_FILE(), __builtin_LINE()});
/// As MPI_Allreduce. `from` may be MPI_IN_PLACE.
void allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
               call_site where = {__builtin_FILE(), __builtin_LINE()});
/// As MPI_Scan.
void scan(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
          call_site where = {__builtin_FILE(), __builtin_LINE()});

/// As MPI_Exscan: the result of rank 0 stays as it was.
void exscan(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
            call_site where = {__builtin_FILE(), __builtin_LINE()});
/// As MPI_Reduce_scatter_block: each rank gets `count` of the results.
void reduce_scatter(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                    call_site where = {__builtin_FILE(), __builtin_LINE()});

/// A block of items, of which each rank has one.
struct block_out {
  const void* data;   // may be MPI_IN_PLACE where MPI allows it
  int count;          // items for each rank
  MPI_Datatype type;  // of an item
};
/// Where blocks go to.
struct block_in {
  void* data;         // room for the blocks of all ranks
  int count;          // items from each rank
  MPI_Datatype type;  // of an item
};
/// Blocks of different sizes.
struct blocks_out {
  const void* data;    // may be MPI_IN_PLACE where MPI allows it
  const int* counts;   // items for each rank
  const int* offsets;  // where each rank's items begin, in items
  MPI_Datatype type;   // of an item
};
/// Where blocks of different sizes go to.
struct blocks_in {
  void* data;          // room for all blocks
  const int* counts;   // items from each rank
  const int* offsets;  // where the items of each rank go, in items
  MPI_Datatype type;   // of an item
};
/// As MPI_Gather.
void gather(const block_out& out, const block_in& in, int root, MPI_Comm comm,
            call_site where = {__builtin_FILE(), __builtin_LINE()});
/// As MPI_Gatherv.
void gatherv(const block_out& out, const blocks_in& in, int root, MPI_Comm comm,
             call_site where = {__builtin_FILE(), __builtin_LINE()});
/// As MPI_Allgather.
void allgather(const block_out& out, const block_in& in, MPI_Comm comm,
               call_site where = {__builtin_FILE(), __builtin_LINE()});
/// As MPI_Allgatherv.
void allgatherv(const block_out& out, const blocks_in& in, MPI_Comm comm,
                call_site where = {__builtin_FILE(), __builtin_LINE()});
/// As MPI_Scatter.
void scatter(const block_out& out, const block_in& in, int root, MPI_Comm comm,
             call_site where = {__builtin_FILE(), __builtin_LINE()});
/// As MPI_Scatterv.
void scatterv(const blocks_out& out, const block_in& in, int root, MPI_Comm comm,
              call_site where = {__builtin_FILE(), __builtin_LINE()});
/// As MPI_Alltoall.
void alltoall(const block_out& out, const block_in& in, MPI_Comm comm,
              call_site where = {__builtin_FILE(), __builtin_LINE()});
/// As MPI_Alltoallv.
void alltoallv(const blocks_out& out, const blocks_in& in, MPI_Comm comm,
               call_site where = {__builtin_FILE(), __builtin_LINE()});

/// allreduce() of one number. Returns: the result.
template <class T>
  requires std::is_arithmetic_v<T>
[[nodiscard]] T allreduce(T mine, MPI_Op op, MPI_Comm comm, call_site where = {__builtin_FILE(), __builtin_LINE()}) {
  T all{};
  allreduce(&mine, &all, 1, type_of<T>(), op, comm, where);
  return all;
}
/// allreduce() in place, of a vector, an array, a span, ... of numbers: afterwards each has the results of all ranks.
template <detail::writable_row Data>
void allreduce(Data&& data, MPI_Op op, MPI_Comm comm, call_site where = {__builtin_FILE(), __builtin_LINE()}) {
  const auto part = detail::part_of(data, "MPI_Iallreduce", where);
  allreduce(MPI_IN_PLACE, part.data, part.count, part.type, op, comm, where);
}
/// bcast() of a number, or of a vector, an array, a span, ... of numbers that has the same size on all ranks.
template <detail::room_for_numbers Data>
void bcast(Data&& data, int root, MPI_Comm comm, call_site where = {__builtin_FILE(), __builtin_LINE()}) {
  const auto part = detail::part_of(data, "MPI_Ibcast", where);
  bcast(part.data, part.count, part.type, root, comm, where);
}

}  // namespace nearfork::mpi
