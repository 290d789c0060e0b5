#include "sim/dataflow/buffer_pools.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include <nearfork/error.hpp>

namespace nearfork::sim {

buffer_pools::buffer_pools(sizes of, std::uint32_t nodes, nearness nearest)
    : sizes_(of), next_(of.first_byte), free_(nodes), nearest_(std::move(nearest)) {
  if (!nearest_.empty()) return;
  nearest_.resize(nodes);
  for (std::vector<std::uint16_t>& one : nearest_)
    for (std::uint32_t node = 0; node < nodes; ++node) one.push_back(static_cast<std::uint16_t>(node));
}

std::uint64_t buffer_pools::block_bytes(std::uint64_t bytes) const noexcept {
  return std::bit_ceil(std::max(bytes, sizes_.least_bytes));
}

std::uint64_t buffer_pools::take(std::uint32_t node, std::uint64_t bytes) {
  const std::uint64_t block = block_bytes(bytes);
  live_ += block;
  most_live_ = std::max(most_live_, live_);
  free_list& own = free_[node][block];
  if (!own.empty()) {
    const std::uint64_t found = own.back();
    own.pop_back();
    return found;
  }
  if (next_ + block > sizes_.end_byte) return take_elsewhere(node, block);
  const std::uint64_t fresh = next_;
  next_ += block;
  return fresh;
}

std::uint64_t buffer_pools::take_elsewhere(std::uint32_t node, std::uint64_t block) {
  for (const std::uint16_t other : nearest_[node]) {
    free_list& theirs = free_[other][block];
    if (theirs.empty()) continue;
    const std::uint64_t found = theirs.back();
    theirs.pop_back();
    ++fell_back_;
    return found;
  }
  throw error("nearfork: the simulated pools have no block of " + std::to_string(block) + " bytes left, of " +
              std::to_string(sizes_.end_byte - sizes_.first_byte) + " bytes in all; give them more memory");
}

void buffer_pools::give_back(std::uint64_t first_byte, std::uint64_t bytes, std::uint32_t node) {
  const std::uint64_t block = block_bytes(bytes);
  live_ -= block;
  free_[node][block].push_back(first_byte);
}

}  // namespace nearfork::sim
