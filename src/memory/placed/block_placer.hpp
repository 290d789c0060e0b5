// Places new blocks: says where their pages shall lie, before a thread touches them.
//
// The lock of placed_memory guards it.
#pragma once

#include <span>
#include <vector>

#include "memory/blocks/placed_block.hpp"
#include "memory/placed/node_shares.hpp"
#include "memory/placed/page_binder.hpp"
#include "memory/placed/shortfall_book.hpp"
#include "memory/system/machine_nodes.hpp"
#include "memory/system/os_memory.hpp"

namespace nearfork {

class block_placer {
 public:
  block_placer(os_memory& system, machine_nodes& nodes, shortfall_book& book, page_binder& binder, node_shares& shares)
      : system_(system), nodes_(nodes), book_(book), binder_(binder), shares_(shares) {}

  /// As the block's options say. Throws nearfork::error: weights that are none, and in strict mode what cannot be had.
  void place(placed_block& made);

 private:
  void advise_huge(const placed_block& made);
  void place_by_rule(placed_block& made);
  void place_on_one(placed_block& made);
  void place_in_hbm(placed_block& made);
  void place_interleaved(placed_block& made);
  void place_interleaved_by_bandwidth(placed_block& made);
  void place_by_given_weights(placed_block& made);
  void place_by_weight(placed_block& made, std::span<const node_id> nodes, std::span<const double> weights);
  void place_in_turn(placed_block& made, std::span<const node_id> nodes, std::span<const double> weights);
  [[nodiscard]] std::vector<node_id> nodes_of(std::span<const node_weight> weights);
  [[nodiscard]] bool kernel_weights_differ(std::span<const node_id> nodes);

  os_memory& system_;
  machine_nodes& nodes_;
  shortfall_book& book_;
  page_binder& binder_;
  node_shares& shares_;
};

}  // namespace nearfork
