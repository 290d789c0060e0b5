#include "memory/placed/page_binder.hpp"

#include <cerrno>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "machine/nodes/chunk_move.hpp"
#include "memory/placed/page_locations.hpp"
#include "memory/placed/refusal_text.hpp"

namespace nearfork {

bool page_binder::bind(const placed_block& block, const page_split& runs, page_policy how) {
  if (not_to_bind_ != 0 && !used_memory.is_strict()) {
    book_.note(binding_refused(not_to_bind_));  // this block misses it, too
    return false;
  }
  for (const page_run& run : runs) {
    const os_index node = nodes_.os_of(run.node);
    const std::size_t bytes = (run.end - run.begin) * block.extent.page_bytes;
    const std::span<const os_index> nodes =
        how == page_policy::first_touch ? std::span<const os_index>() : std::span<const os_index>(&node, 1);
    const int refused = system_.set_policy(block.page(run.begin), bytes, how, nodes);
    if (refused == 0) continue;
    book_.note(binding_refused(refused));
    if (refused == EPERM || refused == ENOSYS) not_to_bind_ = refused;
    return false;
  }
  return true;
}

int page_binder::bind_among(const placed_block& block, std::span<const node_id> nodes, page_policy how) {
  std::vector<os_index> numbers;
  for (const node_id node : nodes) numbers.push_back(nodes_.os_of(node));
  return system_.set_policy(block.begin, block.extent.pages() * block.extent.page_bytes, how, numbers);
}

page_split page_binder::within_room(const placed_block& block, const page_split& meant, const page_split& changed,
                                    double kept_free) {
  std::map<node_id, std::uint64_t> needs;
  for (const page_run& run : changed) needs[run.node] += (run.end - run.begin) * block.extent.page_bytes;
  const free_memory all_free = nodes_.free_now();
  const free_memory free = [&](node_id node) -> std::optional<std::uint64_t> {
    const auto bytes = all_free(node);
    if (!bytes) return bytes;
    const auto kept =
        static_cast<std::uint64_t>(kept_free * static_cast<double>(nodes_.where().at(node).capacity_bytes));
    return *bytes > kept ? *bytes - kept : 0;
  };
  std::map<node_id, node_id> replaced;
  for (auto& [node, bytes] : needs) {
    if (free(node).value_or(bytes) < bytes) bytes -= bytes_there(system_, block, changed, {node, nodes_.os_of(node)});
    const node_choice chosen = choose_node(nodes_.where(), node, bytes, free);
    if (chosen.why_not.empty()) continue;
    book_.note({"a part of a placed block is not on its node",
                "a block of " + std::to_string(block.extent.bytes) + " bytes", chosen.why_not,
                "use less memory on that node, or another placing"});
    replaced[node] = chosen.node.value_or(node);
  }
  if (replaced.empty()) return meant;
  std::vector<chunk_move> elsewhere;
  for (const page_run& run : changed)
    if (const auto other = replaced.find(run.node); other != replaced.end())
      elsewhere.push_back({.block = block.made_as, .begin = run.begin, .end = run.end, .to = other->second});
  return with_moves(meant, block.made_as, elsewhere);
}

}  // namespace nearfork
