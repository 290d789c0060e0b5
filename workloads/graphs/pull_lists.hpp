// A graph in compressed sparse rows (CSR): for each node the nodes whose values it reads, one list after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "workloads/graphs/edge_list.hpp"

namespace nearfork::workloads {

/// The lists, wherever they lie. Node v reads targets[offsets[v]] to targets[offsets[v + 1] - 1].
struct list_view {
  std::span<const std::uint64_t> offsets;  // one more than nodes
  std::span<const node_number> targets;

  [[nodiscard]] std::size_t nodes() const noexcept { return offsets.size() - 1; }
  [[nodiscard]] std::span<const node_number> read_by(std::size_t node) const noexcept {
    return targets.subspan(offsets[node], offsets[node + 1] - offsets[node]);
  }
};

/// Which end of an edge reads the other.
enum class read_ends : std::uint8_t { to_reads_from, both };

class pull_lists {
 public:
  /// `for_each_edge(visit)` calls visit(edge) for each edge, and is called twice, for the same edges in the same order.
  /// So the edges need not be stored. Complexity: O(nodes + edges).
  template <class ForEachEdge>
  pull_lists(std::uint64_t nodes, read_ends who, const ForEachEdge& for_each_edge);

  [[nodiscard]] list_view view() const noexcept { return {offsets_, targets_}; }
  /// For each node, how many list entries name it.
  [[nodiscard]] std::vector<node_number> readers() const;

 private:
  std::vector<std::uint64_t> offsets_;
  std::vector<node_number> targets_;
};

/// First counts each node's list, then fills it. While lists are filled, offsets_[v] is where the next entry of v's
/// list goes, so in the end it is where the list of v + 1 begins.
template <class ForEachEdge>
pull_lists::pull_lists(std::uint64_t nodes, read_ends who, const ForEachEdge& for_each_edge) : offsets_(nodes + 1) {
  for_each_edge([&](edge one) {
    ++offsets_[one.to];
    if (who == read_ends::both) ++offsets_[one.from];
  });
  std::uint64_t before = 0;
  for (std::uint64_t& offset : offsets_) before += std::exchange(offset, before);
  targets_.resize(before);
  for_each_edge([&](edge one) {
    targets_[offsets_[one.to]++] = one.from;
    if (who == read_ends::both) targets_[offsets_[one.from]++] = one.to;
  });
  for (std::size_t v = nodes; v > 0; --v) offsets_[v] = offsets_[v - 1];
  offsets_[0] = 0;
}

}  // namespace nearfork::workloads
