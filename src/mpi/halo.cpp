#include <nearfork/mpi/halo.hpp>

#include <array>
#include <cstddef>
#include <string>

#include "mpi/engine.hpp"

namespace nearfork::mpi {
namespace {

std::string text_of_shape(const halo::shape& of, int ranks) {
  return std::to_string(of.ranks[0]) + " x " + std::to_string(of.ranks[1]) + " blocks of " + std::to_string(of.rows) +
         " x " + std::to_string(of.columns) + " items among " + std::to_string(ranks) + " ranks";
}

bool fits(const halo::shape& of, int ranks) {
  if (of.rows < 1 || of.columns < 1 || of.ranks[0] < 0 || of.ranks[1] < 0) return false;
  int named = 1;
  for (const int one : of.ranks) named *= one > 0 ? one : 1;
  return of.ranks[0] > 0 && of.ranks[1] > 0 ? named == ranks : ranks % named == 0;
}

/// After a failed start: nothing is written into the block any more. Sends only read it.
void take_back(std::array<MPI_Request, 8>& begun) {
  for (std::size_t i = 0; i < begun.size(); ++i) {
    if (begun[i] == MPI_REQUEST_NULL) continue;
    if (i >= begun.size() / 2) {
      (void)MPI_Request_free(&begun[i]);
      continue;
    }
    (void)MPI_Cancel(&begun[i]);
    (void)MPI_Wait(&begun[i], MPI_STATUS_IGNORE);
  }
}

}  // namespace

halo::halo(MPI_Comm comm, const shape& of, call_site where) : item_(of.item), rows_(of.rows), columns_(of.columns) {
  const called what{"nearfork::mpi::halo", comm, where};
  engine& here = engine::ready(what);
  here.return_errors(what);
  const auto check = [&](int code) {
    if (code != MPI_SUCCESS) throw_error(what, code);
  };
  const auto held = here.lock();
  int ranks = 1;
  check(MPI_Comm_size(comm, &ranks));
  if (!fits(of, ranks))
    refuse(what, "no grid of " + text_of_shape(of, ranks) + "; name factors of the number of ranks, or 0");
  ranks_ = of.ranks;
  check(MPI_Dims_create(ranks, 2, ranks_.data()));
  const std::array<int, 2> periodic{of.periodic[0], of.periodic[1]};
  check(MPI_Cart_create(comm, 2, ranks_.data(), periodic.data(), 0, &comm_));
  int rank = 0;
  check(MPI_Comm_rank(comm_, &rank));
  check(MPI_Cart_coords(comm_, rank, 2, place_.data()));
  check(MPI_Cart_shift(comm_, 0, 1, &neighbours_[0], &neighbours_[1]));
  check(MPI_Cart_shift(comm_, 1, 1, &neighbours_[2], &neighbours_[3]));
  MPI_Aint least = 0;
  MPI_Aint extent = 0;
  check(MPI_Type_get_extent(item_, &least, &extent));
  item_bytes_ = extent;
  check(MPI_Type_vector(rows_, 1, columns_ + 2, item_, &column_));
  check(MPI_Type_commit(&column_));
}

halo::~halo() {
  int is_finalised = 0;
  (void)MPI_Finalized(&is_finalised);
  if (is_finalised != 0) return;
  const auto held = engine::instance().lock();
  if (column_ != MPI_DATATYPE_NULL) (void)MPI_Type_free(&column_);
  if (comm_ != MPI_COMM_NULL) (void)MPI_Comm_free(&comm_);
}

void halo::exchange(void* block, call_site where) {
  struct side {
    std::ptrdiff_t out;     // the first item that goes to this neighbour
    std::ptrdiff_t border;  // the first item that comes from it
    int count;
    MPI_Datatype type;
  };
  const std::ptrdiff_t width = columns_ + 2;
  const std::array<side, 4> sides{{{width + 1, 1, columns_, item_},
                                   {rows_ * width + 1, (rows_ + 1) * width + 1, columns_, item_},
                                   {width + 1, width, 1, column_},
                                   {width + columns_, width + columns_ + 1, 1, column_}}};
  const called what{"nearfork::mpi::halo::exchange", comm_, where};
  engine& here = engine::ready(what);
  std::array<MPI_Request, 8> requests{};
  requests.fill(MPI_REQUEST_NULL);
  awaited all{.what = what, .requests = requests.data(), .count = requests.size()};
  const auto at = [&](std::ptrdiff_t item) { return static_cast<char*>(block) + item * item_bytes_; };
  suspend(here, [&](resumer done) {
    int code = MPI_SUCCESS;
    {
      const auto held = here.lock();
      // What goes up arrives from below: the tag is the side on which it arrives.
      for (std::size_t i = 0; i < 4 && code == MPI_SUCCESS; ++i)
        code = MPI_Irecv(at(sides[i].border), sides[i].count, sides[i].type, neighbours_[i], static_cast<int>(i), comm_,
                         &requests[i]);
      for (std::size_t i = 0; i < 4 && code == MPI_SUCCESS; ++i)
        code = MPI_Isend(at(sides[i].out), sides[i].count, sides[i].type, neighbours_[i], static_cast<int>(i ^ 1),
                         comm_, &requests[4 + i]);
      if (code != MPI_SUCCESS) take_back(requests);
    }
    if (code != MPI_SUCCESS) here.fail(what, code);
    here.await(all, std::move(done));
  });
  here.throw_if_failed(all);
}

}  // namespace nearfork::mpi
