// What every runtime asks of placed memory; placed_start.cpp has how blocks are made, placed_reuse.cpp how they are freed,
// placed_moves.cpp what plans do with them. Programs without a block link none of these.
#include "memory/placed_memory.hpp"

#include <utility>

namespace nearfork {

placed_memory::placed_memory(std::unique_ptr<memory_system> system, machine_reader read_machine)
    : system_(std::move(system)), read_machine_(std::move(read_machine)) {}

placed_memory::placed_memory(std::unique_ptr<memory_system> system, std::shared_ptr<const machine> where)
    : system_(std::move(system)), machine_(std::move(where)) {}

placed_memory::~placed_memory() {
  for (const auto& [slot, block] : blocks_) system_->unmap(block.begin, block.reserved_bytes);
  for (const placed_block& kept : kept_.all()) system_->unmap(kept.begin, kept.reserved_bytes);
}

void placed_memory::know_machine() {
  {
    const std::lock_guard lock(mutex_);
    if (machine_) return;
  }
  auto read = read_machine_();
  const std::lock_guard lock(mutex_);
  if (!machine_) machine_ = std::move(read);
}

const machine& placed_memory::where() {
  if (!machine_) machine_ = read_machine_();
  return *machine_;
}

bool placed_memory::is_of(const machine& asked) {
  if (asked.source() == machine_source::live) know_machine();
  const std::lock_guard lock(mutex_);
  // A described machine is no reason to read the live one.
  if (!machine_ && asked.source() != machine_source::live) return false;
  return &where() == &asked;
}

std::optional<found_block> placed_memory::find(const void* address) const noexcept {
  const block_registry* const known = registry_.load(seam::memory_order_acquire);  // pairs with allocate()
  return known == nullptr ? std::nullopt : known->find(reinterpret_cast<std::uintptr_t>(address));
}

// --- facts ---

memory_totals placed_memory::totals() const {
  const std::lock_guard lock(mutex_);
  memory_totals sum{.blocks = blocks_.size(),
                    .blocks_made = blocks_made_,
                    .blocks_reused = blocks_reused_,
                    .kept_bytes = kept_.bytes(),
                    .moved_bytes = moved_bytes_,
                    .stuck_bytes = stuck_bytes_};
  for (const auto& [slot, block] : blocks_) sum.bytes += block.extent.bytes;
  return sum;
}

std::vector<memory_shortfall> placed_memory::shortfalls() const {
  const std::lock_guard lock(mutex_);
  return shortfalls_;
}

}  // namespace nearfork
