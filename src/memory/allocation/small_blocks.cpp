#include "memory/allocation/small_blocks.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string>

#include "base/made_once.hpp"
#include "memory/allocation/small_block_shortfalls.hpp"
#include "memory/placed/placed_memory.hpp"
#include "memory/system/calling_pu.hpp"
#include "memory/system/node_choice.hpp"
#include "memory/system/region_memory.hpp"

namespace nearfork {
namespace {

std::vector<memory_shortfall> shortfalls_of_pools() {
  return shortfalls_of(process_node_pools().facts(), *live_machine());
}

bool names_a_node(const memory_options& options) noexcept {
  return options.where.how == placing::rule::bound || options.where.how == placing::rule::preferred;
}

node_id node_for(const memory_options& options) {
  static constinit made_once<const nodes_for_threads> made;
  const nodes_for_threads& nodes = made.get([] { return nodes_for_threads(*live_machine()); });
  if (nodes.lacks_node_of(options)) [[unlikely]]
    process_memory().note({"small blocks are not on the node that was asked for",
                           "node " + std::to_string(options.where.os_node), "there is no such node",
                           "name a node that numactl --hardware lists with memory"});
  return nodes.only_one() ? node_id{0} : nodes.for_thread_at(calling_pu(), options);
}

}  // namespace

nodes_for_threads::nodes_for_threads(const machine& where) {
  for (const memory_node& one : where.nodes()) os_nodes_.push_back(one.os);
  const std::vector<node_id> of_domain = nodes_of_domains(where);
  for (const pu& one : where.pus()) {
    const auto at = static_cast<std::size_t>(one.os);
    if (at >= of_pu_.size()) of_pu_.resize(at + 1, node_id{0});
    if (!of_domain.empty()) of_pu_[at] = of_domain[index_of_id(where.at(one.core).domain)];
  }
}

node_id nodes_for_threads::for_thread_at(os_index pu, const memory_options& options) const noexcept {
  if (names_a_node(options))
    for (std::uint32_t i = 0; i < os_nodes_.size(); ++i)
      if (os_nodes_[i] == os_index{options.where.os_node}) return node_id{i};
  const auto at = static_cast<std::size_t>(pu);
  return at < of_pu_.size() ? of_pu_[at] : node_id{0};
}

bool nodes_for_threads::lacks_node_of(const memory_options& options) const noexcept {
  return names_a_node(options) && std::ranges::find(os_nodes_, os_index{options.where.os_node}) == os_nodes_.end();
}

void* allocate_small(std::size_t bytes, std::size_t alignment, const memory_options& options) {
  if (is_pooled(bytes)) {
    if (used_memory.of_pools.load(seam::memory_order_relaxed) == nullptr)
      used_memory.of_pools.store(&shortfalls_of_pools, seam::memory_order_release);
    try {
      return process_node_pools().allocate(node_for(options), bytes, alignment);
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }
  if (alignment <= alignof(std::max_align_t)) return std::malloc(bytes);
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void free_small(void* begin, std::size_t bytes) noexcept {
  if (is_pooled(bytes)) process_node_pools().deallocate(begin, bytes);
  else std::free(begin);
}

}  // namespace nearfork
