#include "sim/memory/pages/page_map.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace nearfork::sim {

page_map::page_map(std::uint64_t pages, node_room room) : node_of_(pages, nowhere), room_(std::move(room)) {}

void page_map::mean(std::uint64_t page, std::uint16_t node) {
  if (meant_.empty()) meant_.assign(node_of_.size(), nowhere);
  meant_[page] = node;
}

void page_map::bind_all(std::span<const std::uint16_t> nodes) {
  bound_to_.assign(nodes.begin(), nodes.end());
}

bool page_map::is_allowed(std::uint16_t node) const noexcept {
  return bound_to_.empty() || std::ranges::find(bound_to_, node) != bound_to_.end();
}

/// `nowhere` if no node has room.
std::uint16_t page_map::with_room(std::uint16_t wanted, room_use may_use) const {
  const auto takes = [&](std::uint16_t node) { return is_allowed(node) && has_room(node, may_use); };
  if (takes(wanted)) return wanted;
  if (wanted >= room_.nearest.size()) {  // nobody said what is near
    const auto found = std::ranges::find_if(bound_to_, takes);
    return found == bound_to_.end() ? nowhere : *found;
  }
  const std::vector<std::uint16_t>& order = room_.nearest[wanted];
  const auto found = std::ranges::find_if(order, takes);
  return found == order.end() ? nowhere : *found;
}

std::uint16_t page_map::give_meant_node(std::uint64_t page, std::uint32_t first_touch) {
  const std::uint16_t wanted = meant(page);
  return give_node(page, wanted == nowhere ? static_cast<std::uint16_t>(first_touch) : wanted);
}

/// Pages that are bound are where they shall be on any of their nodes.
std::uint16_t page_map::give_node(std::uint64_t page, std::uint16_t wanted) {
  std::uint16_t node = with_room(wanted, room_use::unkept);
  if (node == nowhere) node = with_room(wanted, room_use::all);
  if (node == nowhere) refuse(page);
  if (node != wanted && bound_to_.empty()) {
    ++counts_.fell_back;
    mean_instead(page, node);
  }
  ++count_on(node);
  return node_of_[page] = node;
}

void page_map::place(std::uint64_t page, std::uint32_t node) {
  if (node_of_[page] != nowhere) --count_on(node_of_[page]);
  (void)give_node(page, static_cast<std::uint16_t>(node));
}

bool page_map::move(std::uint64_t page, std::uint32_t node, room_use may_use) {
  const auto to = static_cast<std::uint16_t>(node);
  const std::uint16_t from = node_of_[page];
  if (from == to) return true;
  if (!has_room(to, may_use)) {
    ++counts_.stuck;
    mean_instead(page, from);
    return false;
  }
  --count_on(from);
  ++count_on(to);
  ++counts_.moved;
  node_of_[page] = to;
  return true;
}

std::uint64_t& page_map::count_on(std::uint16_t node) {
  if (node >= counts_.of_node.size()) counts_.of_node.resize(std::size_t{node} + 1, 0);
  return counts_.of_node[node];
}

void page_map::refuse(std::uint64_t page) const {
  const std::uint64_t lie = std::accumulate(counts_.of_node.begin(), counts_.of_node.end(), std::uint64_t{0});
  throw memory_full("nearfork: page " + std::to_string(page) + " of " + std::to_string(node_of_.size()) +
                    " of the simulated program finds no room: " + std::to_string(lie) + " pages fill " +
                    (bound_to_.empty() ? "all memory nodes" : "the memory nodes that pages are bound to") +
                    "; simulate a smaller problem, " +
                    (bound_to_.empty() ? "or a machine with more memory (--machine, --node-capacity)"
                                       : "or let pages go elsewhere (--pages preferred:NODE)"));
}

std::vector<std::uint64_t> page_map::free_pages() const {
  std::vector<std::uint64_t> made;
  for (std::size_t node = 0; node < room_.pages.size(); ++node) {
    const std::uint64_t taken = lying_on(static_cast<std::uint16_t>(node));
    made.push_back(room_.pages[node] > taken ? room_.pages[node] - taken : 0);
  }
  return made;
}

}  // namespace nearfork::sim
