#include "memory/allocation/small_block_shortfalls.hpp"

#include <string>

#include "base/text/message_text.hpp"

namespace nearfork {

std::vector<memory_shortfall> shortfalls_of(std::span<const node_pool_facts> pools, const machine& where) {
  std::vector<memory_shortfall> made;
  for (const node_pool_facts& one : pools) {
    const std::string node = "node " + std::to_string(number_of(where.at(one.node).os));
    if (one.blocks_elsewhere > 0)
      made.push_back({.what = std::to_string(one.blocks_elsewhere) + " small blocks lie on another node",
                      .where = node,
                      .why = "it has no room: " + with_number(one.refusal_errno),
                      .remedy = "free memory there, or spread the data",
                      .at = one.elsewhere_at});
    if (one.first_touch > 0)
      made.push_back({.what = "pages of small blocks are not bound, but left to first touch",
                      .where = node,
                      .why = with_number(one.binding_errno),
                      .remedy = "containers forbid mbind: allow CAP_SYS_NICE, or a seccomp profile with mbind",
                      .at = one.first_touch_at});
  }
  return made;
}

}  // namespace nearfork
