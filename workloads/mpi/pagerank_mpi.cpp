// PageRank on ranks: each has a range of nodes with about as many edges as the others have, and copies of the values
// that its nodes read of other ranks' nodes (ghosts). After an iteration the ghosts' new values come by alltoallv: of
// all nodes at once, or with suspended waits in pieces, each over a communicator of its own: a piece's values travel
// while the next pieces are computed. The kernel is that of pagerank, and sums in the same order: the result is that of
// one thread, bit for bit.
#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include <nearfork/error.hpp>
#include <nearfork/mpi.hpp>
#include <nearfork/parallel_for.hpp>

#include "workloads/mpi/mpi_part.hpp"
#include "workloads/pagerank/pagerank.hpp"

namespace nearfork::workloads {
namespace {

constexpr std::size_t most_pieces = 8;  // of a rank's nodes
constexpr std::size_t nodes_of_task = 1024;
constexpr std::size_t record_values = 2;  // of even and odd iterations

/// Cuts nodes [first, last) where the sums of edges and nodes are about the same. parts + 1 numbers.
std::vector<std::size_t> cuts(const list_view& lists, std::size_t first, std::size_t last, std::size_t parts) {
  const auto weight = [&](std::size_t node) { return lists.offsets[node] - lists.offsets[first] + node - first; };
  std::vector<std::size_t> made{first};
  for (std::size_t i = 1; i < parts; ++i) {
    const std::uint64_t wanted = weight(last) * i / parts;
    std::size_t low = made.back();
    for (std::size_t high = last; low < high;) {
      const std::size_t middle = low + (high - low) / 2;
      if (weight(middle) < wanted) low = middle + 1;
      else high = middle;
    }
    made.push_back(low);
  }
  made.push_back(last);
  return made;
}

/// Some of a rank's nodes, and who needs their values.
struct piece {
  std::size_t first = 0;  // among the rank's nodes
  std::size_t last = 0;
  std::size_t ghosts = 0;               // of other ranks' pieces of this number: where they begin
  std::vector<node_number> needed{};    // nodes of other ranks, by rank, while the exchange is arranged
  std::vector<node_number> outgoing{};  // which of the rank's nodes go to others, by rank
  std::vector<double> packed{};         // their values
  std::vector<int> out_counts{}, out_offsets{}, in_counts{}, in_offsets{};
  MPI_Comm comm = MPI_COMM_NULL;
};

std::vector<int> offsets_of(const std::vector<int>& counts) {
  std::vector<int> offsets(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
  return offsets;
}

class pagerank_nodes_of_rank final : public mpi_part {
 public:
  pagerank_nodes_of_rank(const graph_size& size, std::uint64_t seed, mpi_style style)
      : size_(size),
        style_(style),
        here_(rank_in_world()),
        all_(lists_of(pagerank_program(), size, input_of(seed))),
        all_readers_(all_.readers()) {
    if (size.nodes < static_cast<std::uint64_t>(here_.all))
      throw error("nearfork: pagerank-mpi has " + std::to_string(size.nodes) + " nodes, too few for " +
                  std::to_string(here_.all) + " ranks; start fewer, or take a larger size");
    const std::size_t pieces = style == mpi_style::suspended ? most_pieces : 1;
    starts_ = cuts(all_.view(), 0, size.nodes, static_cast<std::size_t>(here_.all));
    pieces_.resize(pieces);
    list_ghosts(pieces);
    make_lists();
    arrange_exchange();
  }
  ~pagerank_nodes_of_rank() override {
    for (piece& one : pieces_)
      if (one.comm != MPI_COMM_NULL) (void)MPI_Comm_free(&one.comm);
    if (in_record_ != MPI_DATATYPE_NULL) (void)MPI_Type_free(&in_record_);
  }

  void reset() override {
    for (std::size_t i = 0; i < first_values_.size(); ++i)
      records_[record_values * i] = records_[record_values * i + 1] = first_values_[i];
  }

  void run() override {
    for (std::uint64_t i = 0; i < size_.iterations; ++i) {
      const auto now = static_cast<unsigned>(i % record_values);
      const bool is_last = i + 1 == size_.iterations;
      if (style_ == mpi_style::suspended)
        parallel_for(std::size_t{0}, pieces_.size(), [&](std::size_t p) { step(pieces_[p], now, is_last); });
      else step(pieces_[0], now, is_last);
    }
  }

  std::vector<double> gathered() override {
    std::vector<double> mine(own_);
    for (std::size_t i = 0; i < own_; ++i) mine[i] = records_[record_values * i + size_.iterations % record_values];
    std::vector<int> counts;
    std::vector<int> offsets;
    for (std::size_t r = 0; r + 1 < starts_.size(); ++r) {
      counts.push_back(static_cast<int>(starts_[r + 1] - starts_[r]));
      offsets.push_back(static_cast<int>(starts_[r]));
    }
    std::vector<double> all;
    if (here_.mine == 0) all.resize(size_.nodes);
    (void)MPI_Gatherv(mine.data(), static_cast<int>(own_), MPI_DOUBLE, all.data(), counts.data(), offsets.data(),
                      MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return all;
  }

  std::vector<double> computed_serially() const override {
    std::vector<double> records(record_values * size_.nodes);
    for (std::size_t i = 0; i < records.size(); ++i) records[i] = share_of_rank(1, all_readers_[i / record_values]);
    for (std::uint64_t i = 0; i < size_.iterations; ++i)
      pagerank_nodes(
          {all_.view(), all_readers_.data(), {records.data(), record_values}, static_cast<unsigned>(i % record_values)},
          0, size_.nodes);
    std::vector<double> values(size_.nodes);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = records[record_values * i + size_.iterations % record_values];
    return values;
  }

 private:
  static instance_input input_of(std::uint64_t seed) {
    instance_input made;
    made.seed = seed;
    return made;
  }
  [[nodiscard]] std::size_t first_node() const { return starts_[static_cast<std::size_t>(here_.mine)]; }

  /// Which nodes of others are read, by the piece of their rank, then by rank, then by number.
  void list_ghosts(std::size_t pieces) {
    const list_view all = all_.view();
    const std::size_t first = first_node();
    const std::size_t last = starts_[static_cast<std::size_t>(here_.mine) + 1];
    own_ = last - first;
    std::vector<bool> is_read(size_.nodes);
    for (std::size_t node = first; node < last; ++node)
      for (const node_number from : all.read_by(node)) is_read[from] = true;
    const std::vector<std::size_t> mine = cuts(all, first, last, pieces);
    for (std::size_t p = 0; p < pieces; ++p) {
      pieces_[p].first = mine[p] - first;
      pieces_[p].last = mine[p + 1] - first;
      pieces_[p].in_counts.resize(starts_.size() - 1);
    }
    for (std::size_t rank = 0; rank + 1 < starts_.size(); ++rank) {
      if (rank == static_cast<std::size_t>(here_.mine)) continue;
      const std::vector<std::size_t> theirs = cuts(all, starts_[rank], starts_[rank + 1], pieces);
      for (std::size_t p = 0; p < pieces; ++p)
        for (std::size_t node = theirs[p]; node < theirs[p + 1]; ++node)
          if (is_read[node]) {
            pieces_[p].needed.push_back(static_cast<node_number>(node));
            ++pieces_[p].in_counts[rank];
          }
    }
  }

  /// The rank's own lists, in which nodes are numbered: its own, then the ghosts.
  void make_lists() {
    const list_view all = all_.view();
    std::vector<node_number> number(size_.nodes);
    const std::size_t first = first_node();
    for (std::size_t i = 0; i < own_; ++i) number[first + i] = static_cast<node_number>(i);
    std::size_t next = own_;
    const auto add = [&](std::size_t node) { first_values_.push_back(share_of_rank(1, all_readers_[node])); };
    for (std::size_t i = 0; i < own_; ++i) add(first + i);
    for (piece& one : pieces_) {
      one.ghosts = next;
      for (const node_number node : one.needed) {
        number[node] = static_cast<node_number>(next++);
        add(node);
      }
    }
    offsets_.push_back(0);
    for (std::size_t node = first; node < first + own_; ++node) {
      for (const node_number from : all.read_by(node)) targets_.push_back(number[from]);
      offsets_.push_back(targets_.size());
      readers_.push_back(all_readers_[node]);
    }
    records_.resize(record_values * next);
  }

  /// Tells the others which of their nodes are needed here.
  void arrange_exchange() {
    (void)MPI_Type_create_resized(MPI_DOUBLE, 0, record_values * sizeof(double), &in_record_);
    (void)MPI_Type_commit(&in_record_);
    static_assert(sizeof(node_number) == 4);
    for (piece& one : pieces_) {
      (void)MPI_Comm_dup(MPI_COMM_WORLD, &one.comm);
      one.in_offsets = offsets_of(one.in_counts);
      one.out_counts.resize(one.in_counts.size());
      (void)MPI_Alltoall(one.in_counts.data(), 1, MPI_INT, one.out_counts.data(), 1, MPI_INT, one.comm);
      one.out_offsets = offsets_of(one.out_counts);
      one.outgoing.resize(static_cast<std::size_t>(one.out_offsets.back() + one.out_counts.back()));
      (void)MPI_Alltoallv(one.needed.data(), one.in_counts.data(), one.in_offsets.data(), MPI_UINT32_T,
                          one.outgoing.data(), one.out_counts.data(), one.out_offsets.data(), MPI_UINT32_T, one.comm);
      for (node_number& node : one.outgoing) node -= static_cast<node_number>(first_node());
      one.packed.resize(one.outgoing.size());
      one.needed = {};
    }
  }

  void step(piece& one, unsigned now, bool is_last) {
    const graph_sweep sweep{{offsets_, targets_}, readers_.data(), {records_.data(), record_values}, now};
    for_blocks(style_, one.first, one.last, nodes_of_task,
               [&](std::size_t first, std::size_t last) { pagerank_nodes(sweep, first, last); });
    if (is_last) return;
    const unsigned next = 1 - now;
    for (std::size_t i = 0; i < one.outgoing.size(); ++i) one.packed[i] = sweep.records.value(one.outgoing[i], next);
    double* const in = records_.data() + record_values * one.ghosts + next;
    if (style_ == mpi_style::suspended)
      mpi::alltoallv({one.packed.data(), one.out_counts.data(), one.out_offsets.data(), MPI_DOUBLE},
                     {in, one.in_counts.data(), one.in_offsets.data(), in_record_}, one.comm);
    else
      (void)MPI_Alltoallv(one.packed.data(), one.out_counts.data(), one.out_offsets.data(), MPI_DOUBLE, in,
                          one.in_counts.data(), one.in_offsets.data(), in_record_, one.comm);
  }

  graph_size size_;
  mpi_style style_;
  rank_number here_;
  pull_lists all_;  // of the whole graph, which each rank makes
  std::vector<node_number> all_readers_;
  std::vector<std::size_t> starts_;  // where ranks' nodes begin
  std::size_t own_ = 0;              // nodes
  std::vector<piece> pieces_;
  std::vector<std::uint64_t> offsets_;
  std::vector<node_number> targets_;
  std::vector<node_number> readers_;
  std::vector<double> first_values_;
  std::vector<double> records_;                 // two values of each own node, then of each ghost
  MPI_Datatype in_record_ = MPI_DATATYPE_NULL;  // a double beside one that is not received
};

}  // namespace

std::unique_ptr<mpi_part> pagerank_part(const size_values& size, std::uint64_t seed, mpi_style style) {
  return std::make_unique<pagerank_nodes_of_rank>(pagerank_program().sizes.from(size), seed, style);
}

}  // namespace nearfork::workloads
