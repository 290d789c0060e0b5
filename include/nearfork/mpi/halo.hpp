#pragma once

#include <nearfork/detail/language.hpp>

#include <array>
#include <cstddef>
#include <utility>

#include <nearfork/fork_join.hpp>
#include <nearfork/mpi/error.hpp>

namespace nearfork::mpi {

/// The exchange of borders of a grid that is split in blocks, one for each rank.
///
/// The ranks form a grid themselves. A rank's array has its block of rows x columns items and a border of one item on
/// each side: (rows + 2) x (columns + 2) items, row by row. An exchange sends the block's outermost rows and columns to
/// the four neighbours, and receives theirs into the border. Corners are not exchanged. Sides without a neighbour keep
/// their border.
///
///     nearfork::mpi::halo borders(MPI_COMM_WORLD, {.rows = 100, .columns = 200});
///     borders.exchange(grid.data(), [&] { step(2, 99); });  // rows that need no border, meanwhile
///     step(1, 1);
///     step(100, 100);
///
/// Thread-safety: exchanges of one halo follow each other; different halos are independent.
class halo {
 public:
  /// How the grid is split.
  struct shape {
    int rows;                        // of a rank's block
    int columns;                     // of a rank's block
    std::array<int, 2> ranks{0, 0};  // how many blocks above and beside each other; 0: as MPI_Dims_create chooses
    std::array<bool, 2> periodic{false, false};  // whether the last block above or beside meets the first
    MPI_Datatype item = MPI_DOUBLE;              // the type of an item
  };
  /// Makes a communicator of its own. Collective over `comm`, and blocking: call it outside tasks.
  /// Throws: mpi::error if the shape is not that of the ranks, or if MPI refuses it.
  halo(MPI_Comm comm, const shape& of, call_site where = {__builtin_FILE(), __builtin_LINE()});
  /// Collective. No exchange may be in progress.
  ~halo();
  halo(const halo&) = delete;
  halo& operator=(const halo&) = delete;

  /// Exchanges the borders of `block`. The task is suspended meanwhile. Throws: as mpi::wait_all().
  void exchange(void* block, call_site where = {__builtin_FILE(), __builtin_LINE()});
  /// The same beside inside(), which may read all of the block and write what is neither on its border nor in its
  /// outermost rows and columns. Throws: as fork_join().
  template <class F>
  void exchange(void* block, F&& inside, call_site where = {__builtin_FILE(), __builtin_LINE()}) {
    fork_join([&] { exchange(block, where); }, std::forward<F>(inside));
  }

  /// How many blocks are above and beside each other.
  [[nodiscard]] std::array<int, 2> ranks() const noexcept { return ranks_; }
  /// This rank's block among them: from the top, from the left.
  [[nodiscard]] std::array<int, 2> place() const noexcept { return place_; }
  /// The communicator of the blocks, in which ranks count row by row.
  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Datatype column_ = MPI_DATATYPE_NULL;
  MPI_Datatype item_;
  int rows_;
  int columns_;
  std::ptrdiff_t item_bytes_ = 0;
  std::array<int, 2> ranks_{};
  std::array<int, 2> place_{};
  std::array<int, 4> neighbours_{};  // above, below, left, right; MPI_PROC_NULL: none
};

}  // namespace nearfork::mpi
