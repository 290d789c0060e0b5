#include "memory/system/node_choice.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

namespace nearfork {
namespace {

constexpr std::uint32_t unknown_distance = std::numeric_limits<std::uint32_t>::max();

bool has_memory(const machine& where, node_id node) {
  return where.at(node).capacity_bytes > 0;
}

std::string named(const machine& where, node_id node) {
  return "node " + std::to_string(number_of(where.at(node).os));
}

/// All nodes by distance from `from`, itself first. Equally near nodes are in the order of their numbers.
std::vector<node_id> by_distance(const machine& where, node_id from) {
  std::vector<node_id> order = nodes_with_memory(where);
  const auto distance = [&](node_id to) {
    const std::uint32_t far = to == from ? 0 : where.node_distance(from, to).value_or(unknown_distance);
    return std::pair(far, to);
  };
  std::ranges::sort(order, {}, distance);
  return order;
}

long long number_gap(os_index one, os_index other) {
  return std::llabs(static_cast<long long>(number_of(one)) - static_cast<long long>(number_of(other)));
}

}  // namespace

std::vector<node_id> nodes_with_memory(const machine& where) {
  std::vector<node_id> nodes;
  for (std::uint32_t i = 0; i < where.nodes().size(); ++i)
    if (has_memory(where, node_id{i})) nodes.push_back(node_id{i});
  return nodes;
}

node_choice choose_node(const machine& where, node_id wanted, std::uint64_t bytes, const free_memory& free) {
  const auto has_room = [&](node_id node) { return free(node).value_or(bytes) >= bytes; };
  const bool is_memory = has_memory(where, wanted);
  if (is_memory && has_room(wanted)) return {wanted, {}};
  const bool is_empty = is_memory && free(wanted).value_or(bytes) == 0;
  const std::string why = named(where, wanted) + (!is_memory ? " has no memory"
                                                  : is_empty ? " has no free memory (full, or gone offline)"
                                                             : " has too little free memory");
  const std::vector<node_id> order = by_distance(where, wanted);
  const auto found = std::ranges::find_if(order, has_room);
  if (found != order.end()) return {*found, why + "; " + named(where, *found) + " is the nearest that has"};
  if (is_memory) return {wanted, why + ", and no other node has enough"};
  if (order.empty()) return {std::nullopt, "no node has memory"};
  return {order.front(), why + "; " + named(where, order.front()) + " is the nearest, and has too little free memory"};
}

node_choice choose_node(const machine& where, os_index wanted, std::uint64_t bytes, const free_memory& free) {
  std::optional<node_id> nearest;
  for (std::uint32_t i = 0; i < where.nodes().size(); ++i)
    if (!nearest || number_gap(where.at(node_id{i}).os, wanted) < number_gap(where.at(*nearest).os, wanted))
      nearest = node_id{i};
  if (!nearest) return {std::nullopt, "this machine has no memory nodes"};
  node_choice made = choose_node(where, *nearest, bytes, free);
  if (where.at(*nearest).os == wanted) return made;
  const std::string absent = "there is no node " + std::to_string(number_of(wanted));
  made.why_not =
      absent + (made.why_not.empty() && made.node ? "; " + named(where, *made.node) + " has the nearest number"
                                                  : "; " + made.why_not);
  return made;
}

std::vector<node_id> nodes_beside(const machine& where, node_id node) {
  if (!has_memory(where, node)) return {};
  std::vector<node_id> beside{node};
  const std::vector<domain_id>& local_to = where.at(node).domains;
  const auto reaches = [&](node_id other) {
    const std::vector<domain_id>& near = where.at(other).domains;
    return std::ranges::all_of(local_to, [&](domain_id one) { return std::ranges::find(near, one) != near.end(); });
  };
  if (local_to.empty()) return beside;
  for (const node_id other : nodes_with_memory(where))
    if (other != node && reaches(other)) beside.push_back(other);
  return beside;
}

std::vector<node_id> nodes_of_domains(const machine& where) {
  const std::vector<node_id> all = nodes_with_memory(where);
  std::vector<node_id> nodes;
  if (all.empty()) return nodes;
  for (const domain& one : where.domains()) {
    const auto local = std::ranges::find_if(one.nodes, [&](node_id node) { return has_memory(where, node); });
    if (local != one.nodes.end()) nodes.push_back(*local);
    else if (one.nearest) nodes.push_back(*one.nearest);
    else nodes.push_back(one.home ? by_distance(where, *one.home).front() : all.front());
  }
  return nodes;
}

}  // namespace nearfork
