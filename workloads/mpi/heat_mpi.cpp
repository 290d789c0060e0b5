// heat on ranks: each has a block of whole rows, and gets one row from each neighbour before it computes its outermost
// rows. The kernel is that of heat, row by row, so the result is that of one thread, bit for bit.
#include <optional>
#include <utility>
#include <vector>

#include <nearfork/error.hpp>
#include <nearfork/mpi.hpp>

#include "workloads/heat/heat.hpp"
#include "workloads/mpi/mpi_part.hpp"
#include "workloads/numbers_by_index.hpp"

namespace nearfork::workloads {
namespace {

constexpr std::size_t grid_borders = 2;                    // rows, or columns, that keep their heat
constexpr std::size_t block_bytes = std::size_t{1} << 17;  // of the rows of a task

class heat_rows final : public mpi_part {
 public:
  heat_rows(const grid_size& size, std::uint64_t seed, mpi_style style)
      : size_(size), seed_(seed), style_(style), here_(rank_in_world()) {
    const std::size_t inner = size.slabs - grid_borders;
    const auto ranks = static_cast<std::size_t>(here_.all);
    const auto rank = static_cast<std::size_t>(here_.mine);
    if (inner < ranks)
      throw error("nearfork: heat-mpi has " + std::to_string(inner) + " rows to compute, too few for " +
                  std::to_string(ranks) + " ranks; start fewer, or take a larger size");
    before_ = inner * rank / ranks;
    rows_ = inner * (rank + 1) / ranks - before_;
    block_ = std::max<std::size_t>(1, block_bytes / (columns() * sizeof(double)));
    from_.resize((rows_ + grid_borders) * columns());
    to_.resize(from_.size());
    if (style == mpi_style::suspended)
      borders_.emplace(MPI_COMM_WORLD, mpi::halo::shape{.rows = static_cast<int>(rows_),
                                                        .columns = static_cast<int>(columns() - grid_borders),
                                                        .ranks = {here_.all, 1}});
  }

  void reset() override {
    fill(from_, before_);
    to_ = from_;
  }

  void run() override {
    for (std::uint64_t i = 0; i < size_.iterations; ++i) {
      if (borders_) step_beside_messages();
      else step_after_messages();
      from_.swap(to_);
    }
  }

  std::vector<double> gathered() override {
    MPI_Datatype row = MPI_DATATYPE_NULL;
    (void)MPI_Type_contiguous(static_cast<int>(columns()), MPI_DOUBLE, &row);
    (void)MPI_Type_commit(&row);
    const int mine = static_cast<int>(rows_);
    const int before = static_cast<int>(before_);
    std::vector<int> counts(static_cast<std::size_t>(here_.all));
    std::vector<int> offsets(counts.size());
    (void)MPI_Gather(&mine, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
    (void)MPI_Gather(&before, 1, MPI_INT, offsets.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
    std::vector<double> all;
    if (here_.mine == 0) all.resize((size_.slabs - grid_borders) * columns());
    (void)MPI_Gatherv(from_.data() + columns(), mine, row, all.data(), counts.data(), offsets.data(), row, 0,
                      MPI_COMM_WORLD);
    (void)MPI_Type_free(&row);
    return all;
  }

  std::vector<double> computed_serially() const override {
    std::vector<double> now(size_.slabs * columns());
    fill(now, 0);
    std::vector<double> next = now;
    for (std::uint64_t i = 0; i < size_.iterations; ++i) {
      compute(now, next, 1, size_.slabs - 1);
      now.swap(next);
    }
    return {now.begin() + static_cast<std::ptrdiff_t>(columns()), now.end() - static_cast<std::ptrdiff_t>(columns())};
  }

 private:
  [[nodiscard]] std::size_t columns() const noexcept { return size_.extent().columns; }

  /// From row `first` of the grid on.
  void fill(std::vector<double>& rows, std::size_t first) const {
    const numbers_by_index numbers(seed_);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = numbers.between(first * columns() + i, 0, 100);
  }

  void compute(const std::vector<double>& from, std::vector<double>& to, std::size_t first, std::size_t last) const {
    for (std::size_t row = first; row < last; ++row)
      heat_row(from.data() + row * columns(), to.data() + row * columns(), size_.extent(), 1, columns() - 1);
  }
  void compute_blocks(std::size_t first, std::size_t last) {
    for_blocks(style_, first, last, block_, [this](std::size_t a, std::size_t b) { compute(from_, to_, a, b); });
  }

  void step_beside_messages() {
    borders_->exchange(from_.data(), [this] { compute_blocks(2, rows_); });
    compute(from_, to_, 1, 2);
    if (rows_ > 1) compute(from_, to_, rows_, rows_ + 1);
  }

  void step_after_messages() {
    const int above = here_.mine == 0 ? MPI_PROC_NULL : here_.mine - 1;
    const int below = here_.mine + 1 == here_.all ? MPI_PROC_NULL : here_.mine + 1;
    const int count = static_cast<int>(columns());
    const auto row = [this](std::size_t i) { return from_.data() + i * columns(); };
    (void)MPI_Sendrecv(row(1), count, MPI_DOUBLE, above, 0, row(rows_ + 1), count, MPI_DOUBLE, below, 0, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
    (void)MPI_Sendrecv(row(rows_), count, MPI_DOUBLE, below, 1, row(0), count, MPI_DOUBLE, above, 1, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
    compute_blocks(1, rows_ + 1);
  }

  grid_size size_;
  std::uint64_t seed_;
  mpi_style style_;
  rank_number here_;
  std::size_t before_ = 0;    // rows that ranks before this one compute
  std::size_t rows_ = 0;      // that this one computes
  std::size_t block_ = 1;     // rows of a task
  std::vector<double> from_;  // with a row more above and below
  std::vector<double> to_;
  std::optional<mpi::halo> borders_;
};

}  // namespace

std::unique_ptr<mpi_part> heat_part(const size_values& size, std::uint64_t seed, mpi_style style) {
  return std::make_unique<heat_rows>(heat_program().sizes.from(size), seed, style);
}

}  // namespace nearfork::workloads
