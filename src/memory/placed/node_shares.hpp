// How the pages of a block, or of a part of it, are shared out among nodes by weight.
//
// The lock of placed_memory guards it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "memory/blocks/placed_block.hpp"
#include "memory/placed/shortfall_book.hpp"
#include "memory/system/machine_nodes.hpp"

namespace nearfork {

class node_shares {
 public:
  node_shares(machine_nodes& nodes, shortfall_book& book) : nodes_(nodes), book_(book) {}

  /// One for each of `nodes`.
  [[nodiscard]] std::vector<double> weights_of(const placed_block& block, std::span<const node_id> nodes,
                                               node_spread how);
  /// `parts` name the nearest node of each domain; the block's options may spread each part over all nodes of its
  /// domain.
  [[nodiscard]] page_split spread_inside_domains(const placed_block& block, const page_split& parts);

 private:
  [[nodiscard]] std::optional<std::vector<double>> bandwidths_of(std::span<const node_id> nodes);
  [[nodiscard]] std::vector<node_id> turns_beside(const placed_block& block, node_id nearest);

  machine_nodes& nodes_;
  shortfall_book& book_;
};

}  // namespace nearfork
