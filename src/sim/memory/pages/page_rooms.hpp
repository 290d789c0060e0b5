// What a machine means for the pages of a program: the room of its nodes, the order in which they stand in for each
// other, and the nodes that a placing rule gives to pages.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "machine/model/machine.hpp"
#include "sim/machine/machine_model.hpp"
#include "sim/memory/pages/page_map.hpp"
#include "sim/programs/page_placing.hpp"
#include "sim/programs/program.hpp"

namespace nearfork::sim {

[[nodiscard]] node_room room_of(const machine& where, const machine_model& model);

/// Throws: nearfork::error if the machine lacks a node that is named, or does not say what the rule needs to know.
void require_fit(const page_placing& how, const machine& where, const machine_model& model);
/// Tells the map what the rule means for each page that holds a part of an array. A page that holds parts of several
/// belongs to the first. What follows plans is left as it is. Throws: as require_fit().
void apply(const page_placing& how, const machine& where, const machine_model& model,
           std::span<const data_array> arrays, page_map& to);

/// The array's pages lie so before anything runs. `nodes`: by domain.
void place(const data_array& array, page_rule how, std::span<const std::uint32_t> nodes, std::uint64_t page_bytes,
           page_map& to);

/// Nodes as plans name them, and as a page_map does.
[[nodiscard]] std::vector<node_id> ids_of(std::span<const std::uint16_t> nodes);
[[nodiscard]] std::uint16_t number_in_map(node_id node) noexcept;

/// The pages that hold a part of an array.
struct array_pages {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};
[[nodiscard]] array_pages pages_of(const data_array& array, std::uint64_t page_bytes) noexcept;

}  // namespace nearfork::sim
