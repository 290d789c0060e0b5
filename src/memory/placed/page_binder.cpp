#include "memory/placed/page_binder.hpp"

#include <algorithm>
#include <cerrno>
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

page_binder::full_nodes page_binder::find_full(const placed_block& block, const page_split& changed, double kept_free) {
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
  full_nodes made;
  for (const auto& [node, bytes] : needs) {
    std::uint64_t takes = free(node).value_or(bytes);
    if (takes < bytes) takes += bytes_there(system_, block, changed, {node, nodes_.os_of(node)});
    if (takes >= bytes) continue;
    const std::uint64_t rest = bytes - takes;
    const auto beside_needs = [&](node_id other) -> std::optional<std::uint64_t> {
      const auto unused = free(other);
      if (!unused) return unused;
      if (other == node) return std::min(*unused, rest - 1);
      const auto need = needs.find(other);
      return need == needs.end() ? *unused : *unused - std::min(*unused, need->second);
    };
    const node_choice chosen = choose_node(nodes_.where(), node, rest, beside_needs);
    book_.note({"a part of a placed block is not on its node",
                "a block of " + std::to_string(block.extent.bytes) + " bytes", chosen.why_not,
                "use less memory on that node, or another placing"});
    made[node] = {takes / block.extent.page_bytes, chosen.node.value_or(node)};
  }
  return made;
}

page_split page_binder::within_room(const placed_block& block, const page_split& meant, const page_split& changed,
                                    double kept_free) {
  full_nodes full = find_full(block, changed, kept_free);
  if (full.empty()) return meant;
  std::vector<chunk_move> rests;
  for (const page_run& run : changed) {
    const auto found = full.find(run.node);
    if (found == full.end()) continue;
    const std::uint64_t pages = run.end - run.begin;
    std::uint64_t& left = found->second.pages_left;
    if (left >= pages) {
      left -= pages;
      continue;
    }
    const std::uint64_t unit = block.extent.pages_of_unit;  // huge pages stay whole
    const std::uint64_t border = std::max(run.begin, (run.begin + left) / unit * unit);
    left = 0;
    rests.push_back({.block = block.made_as, .begin = border, .end = run.end, .to = found->second.next});
  }
  return with_moves(meant, block.made_as, rests);
}

}  // namespace nearfork
