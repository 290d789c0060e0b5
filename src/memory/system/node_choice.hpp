// Which memory node takes what was meant for another: one that is not there, has no memory, or is full. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "machine/model/machine.hpp"

namespace nearfork {

/// What could be had of a node now; nothing: not known, and taken for enough.
using free_memory = std::function<std::optional<std::uint64_t>(node_id)>;

struct node_choice {
  std::optional<node_id> node{};  // none: no node has memory
  std::string why_not{};          // the one that was meant; empty: it is the one
};

/// The nodes that have memory at all.
[[nodiscard]] std::vector<node_id> nodes_with_memory(const machine& where);

/// `wanted`, or the nearest node with `bytes` free; where none has so much, `wanted` all the same if it has memory.
[[nodiscard]] node_choice choose_node(const machine& where, node_id wanted, std::uint64_t bytes,
                                      const free_memory& free);
/// By the system's number, which may be nobody's: then the node with the nearest number stands for it.
[[nodiscard]] node_choice choose_node(const machine& where, os_index wanted, std::uint64_t bytes,
                                      const free_memory& free);

/// Those that are local wherever `node` is, with memory, itself first: HBM beside DRAM. Empty if it has no memory.
[[nodiscard]] std::vector<node_id> nodes_beside(const machine& where, node_id node);

/// By domain: the memory node nearest to its cores. Empty if no node has memory.
[[nodiscard]] std::vector<node_id> nodes_of_domains(const machine& where);

}  // namespace nearfork
