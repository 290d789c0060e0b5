#include "memory/small_block_facts.hpp"

#include <nearfork/detail/seam.hpp>

namespace nearfork {
namespace {

// Relaxed: a report may miss the first block, and what it points to never changes.
constinit detail::seam::atomic<pool_facts_reader> reader{nullptr};

}  // namespace

std::vector<node_pool_facts> small_block_facts() {
  const pool_facts_reader read = reader.load(detail::seam::memory_order_relaxed);
  return read == nullptr ? std::vector<node_pool_facts>() : read();
}

void small_blocks_are_used(pool_facts_reader read) noexcept {
  if (reader.load(detail::seam::memory_order_relaxed) != read) reader.store(read, detail::seam::memory_order_relaxed);
}

}  // namespace nearfork
