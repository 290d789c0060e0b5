// Tells the system on which nodes pages shall lie that are touched from now on.
//
// The lock of placed_memory guards it.
#pragma once

#include <span>

#include "memory/blocks/placed_block.hpp"
#include "memory/placed/shortfall_book.hpp"
#include "memory/system/machine_nodes.hpp"
#include "memory/system/os_memory.hpp"

namespace nearfork {

class page_binder {
 public:
  page_binder(os_memory& system, machine_nodes& nodes, shortfall_book& book)
      : system_(system), nodes_(nodes), book_(book) {}

  /// False: the system refused, and first touch decides.
  bool bind(const placed_block& block, const page_split& runs, page_policy how);
  /// Lets the kernel choose among several nodes for each page. Returns 0 or the errno value.
  [[nodiscard]] int bind_among(const placed_block& block, std::span<const node_id> nodes, page_policy how);

  /// `meant`, where a node that has too little free for what is to come to it gives that to the nearest that has room.
  /// `changed`: what of `meant` is new. `kept_free`: the part of each node's memory that is not to be taken while other
  /// nodes have room.
  [[nodiscard]] page_split within_room(const placed_block& block, const page_split& meant, const page_split& changed,
                                       double kept_free = 0);

 private:
  os_memory& system_;
  machine_nodes& nodes_;
  shortfall_book& book_;
  int not_to_bind_ = 0;  // errno: it was refused for good, and is not asked again unless in strict mode
};

}  // namespace nearfork
