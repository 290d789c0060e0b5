#include <nearfork/mpi/collectives.hpp>

#include "mpi/engine.hpp"

namespace nearfork::mpi {

void barrier(MPI_Comm comm, call_site where) {
  (void)run_call({"MPI_Ibarrier", comm, where}, [&](MPI_Request* made) { return MPI_Ibarrier(comm, made); });
}

void bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, call_site where) {
  (void)run_call({"MPI_Ibcast", comm, where},
                 [&](MPI_Request* made) { return MPI_Ibcast(data, count, type, root, comm, made); });
}

void reduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
            call_site where) {
  (void)run_call({"MPI_Ireduce", comm, where},
                 [&](MPI_Request* made) { return MPI_Ireduce(from, to, count, type, op, root, comm, made); });
}

void allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, call_site where) {
  (void)run_call({"MPI_Iallreduce", comm, where},
                 [&](MPI_Request* made) { return MPI_Iallreduce(from, to, count, type, op, comm, made); });
}

void scan(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, call_site where) {
  (void)run_call({"MPI_Iscan", comm, where},
                 [&](MPI_Request* made) { return MPI_Iscan(from, to, count, type, op, comm, made); });
}

void exscan(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, call_site where) {
  (void)run_call({"MPI_Iexscan", comm, where},
                 [&](MPI_Request* made) { return MPI_Iexscan(from, to, count, type, op, comm, made); });
}

void reduce_scatter(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                    call_site where) {
  (void)run_call({"MPI_Ireduce_scatter_block", comm, where},
                 [&](MPI_Request* made) { return MPI_Ireduce_scatter_block(from, to, count, type, op, comm, made); });
}

void gather(const block_out& out, const block_in& in, int root, MPI_Comm comm, call_site where) {
  (void)run_call({"MPI_Igather", comm, where}, [&](MPI_Request* made) {
    return MPI_Igather(out.data, out.count, out.type, in.data, in.count, in.type, root, comm, made);
  });
}

void gatherv(const block_out& out, const blocks_in& in, int root, MPI_Comm comm, call_site where) {
  (void)run_call({"MPI_Igatherv", comm, where}, [&](MPI_Request* made) {
    return MPI_Igatherv(out.data, out.count, out.type, in.data, in.counts, in.offsets, in.type, root, comm, made);
  });
}

void allgather(const block_out& out, const block_in& in, MPI_Comm comm, call_site where) {
  (void)run_call({"MPI_Iallgather", comm, where}, [&](MPI_Request* made) {
    return MPI_Iallgather(out.data, out.count, out.type, in.data, in.count, in.type, comm, made);
  });
}

void allgatherv(const block_out& out, const blocks_in& in, MPI_Comm comm, call_site where) {
  (void)run_call({"MPI_Iallgatherv", comm, where}, [&](MPI_Request* made) {
    return MPI_Iallgatherv(out.data, out.count, out.type, in.data, in.counts, in.offsets, in.type, comm, made);
  });
}

void scatter(const block_out& out, const block_in& in, int root, MPI_Comm comm, call_site where) {
  (void)run_call({"MPI_Iscatter", comm, where}, [&](MPI_Request* made) {
    return MPI_Iscatter(out.data, out.count, out.type, in.data, in.count, in.type, root, comm, made);
  });
}

void scatterv(const blocks_out& out, const block_in& in, int root, MPI_Comm comm, call_site where) {
  (void)run_call({"MPI_Iscatterv", comm, where}, [&](MPI_Request* made) {
    return MPI_Iscatterv(out.data, out.counts, out.offsets, out.type, in.data, in.count, in.type, root, comm, made);
  });
}

void alltoall(const block_out& out, const block_in& in, MPI_Comm comm, call_site where) {
  (void)run_call({"MPI_Ialltoall", comm, where}, [&](MPI_Request* made) {
    return MPI_Ialltoall(out.data, out.count, out.type, in.data, in.count, in.type, comm, made);
  });
}

void alltoallv(const blocks_out& out, const blocks_in& in, MPI_Comm comm, call_site where) {
  (void)run_call({"MPI_Ialltoallv", comm, where}, [&](MPI_Request* made) {
    return MPI_Ialltoallv(out.data, out.counts, out.offsets, out.type, in.data, in.counts, in.offsets, in.type, comm,
                          made);
  });
}

}  // namespace nearfork::mpi
