// What the command calls of the library nearfork-ranks-MPI.so, which alone is linked with MPI. Each function returns 0,
// or another number if it failed.
#pragma once

#include <cstddef>

extern "C" {

/// MPI_Init.
using nearfork_ranks_begin_call = int(int* rank, int* ranks);
/// By all ranks. take(data, rank, bytes, size) is called on rank 0 for each rank, in order.
using nearfork_ranks_gather_call = int(const char* bytes, std::size_t size,
                                       void (*take)(void* data, int rank, const char* bytes, std::size_t size),
                                       void* data);
/// MPI_Finalize.
using nearfork_ranks_end_call = int();

nearfork_ranks_begin_call nearfork_ranks_begin;
nearfork_ranks_gather_call nearfork_ranks_gather;
nearfork_ranks_end_call nearfork_ranks_end;
}
