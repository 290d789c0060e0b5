// Placed memory on fake nodes of given size, and what its tests do with the memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "machines_with_memory.hpp"
#include "memory/placed/placed_memory.hpp"

namespace nearfork::test {

inline constexpr std::size_t page = fake_nodes::page;
inline constexpr std::uint64_t all_at_once = std::uint64_t{1} << 40;

struct memory_of {
  explicit memory_of(const std::vector<std::uint64_t>& pages_of_node)
      : nodes(pages_of_node),
        where(machine_with(pages_of_node)),
        memory(std::make_unique<fake_memory>(nodes), [this] { return where; }) {}

  std::byte* allocate(std::uint64_t pages, memory_options options = {}) {
    return static_cast<std::byte*>(memory.allocate(pages * page, 8, options));
  }
  void touch(std::byte* block, std::uint64_t pages, int local) {
    for (std::uint64_t i = 0; i < pages; ++i) nodes.touch(block + i * page, local);
  }
  move_outcome follow(std::vector<double> borders, std::uint64_t most = all_at_once, const char* region = "heat") {
    return follow(borders, {.region = region, .most_moved_bytes = most});
  }
  /// `also`: all but borders and nodes.
  move_outcome follow(const std::vector<double>& borders, split_wish also) {
    memory.count_iteration(also.region);
    const std::vector<node_id> all = nodes_of_domains(*where);
    also.borders = borders;
    also.nodes = all;
    return memory.follow(also);
  }
  std::string picture(std::byte* block, std::uint64_t pages) {
    std::string text = picture_of(memory.where_lies(block, pages * page), static_cast<unsigned>(pages));
    return text.substr(1, text.find(']') - 1);
  }
  std::string shortfall() {
    const auto facts = memory.shortfalls();
    return facts.empty() ? "" : facts.back().what + ": " + facts.back().why;
  }

  fake_nodes nodes;
  std::shared_ptr<const machine> where;
  placed_memory memory;
};

}  // namespace nearfork::test
