// Which memory node replaces a node that does not exist, has no memory, or is full. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "machine/model/machine.hpp"

namespace nearfork {

/// The available memory of a node now. nullopt: not known, and counts as enough.
using free_memory = std::function<std::optional<std::uint64_t>(node_id)>;

struct node_choice {
  std::optional<node_id> node{};  // nullopt: no node has memory
  std::string why_not{};          // why it is not the wanted node; empty: it is
};

/// All nodes that have memory.
[[nodiscard]] std::vector<node_id> nodes_with_memory(const machine& where);

/// `wanted` if it has `bytes` free, else the nearest node that has. If no node has, `wanted` again if it has memory at
/// all.
[[nodiscard]] node_choice choose_node(const machine& where, node_id wanted, std::uint64_t bytes,
                                      const free_memory& free);
/// The same for a system number. If no node has that number, the node with the nearest number is meant.
[[nodiscard]] node_choice choose_node(const machine& where, os_index wanted, std::uint64_t bytes,
                                      const free_memory& free);

/// The nodes with memory that are local wherever `node` is, itself first, such as HBM beside DRAM. Empty if `node` has
/// no memory.
[[nodiscard]] std::vector<node_id> nodes_beside(const machine& where, node_id node);

/// For each domain, the memory node nearest to its cores. Empty if no node has memory.
[[nodiscard]] std::vector<node_id> nodes_of_domains(const machine& where);

}  // namespace nearfork
