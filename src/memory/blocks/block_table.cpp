#include "memory/blocks/block_table.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace nearfork {

void block_table::enter(placed_block made) {
  if (!registry_owner_) registry_owner_ = std::make_unique<block_registry>();
  registry_.store(registry_owner_.get(), seam::memory_order_release);  // pairs with find()
  const auto begin = reinterpret_cast<std::uintptr_t>(made.begin);
  made.id = registry_owner_->add(begin, begin + made.extent.bytes);
  made.made_as = made_ + 1;
  const std::uint32_t slot = made.id.slot;
  try {
    blocks_.insert_or_assign(slot, std::move(made));
  } catch (...) {
    registry_owner_->remove(*registry_owner_->find(begin));
    throw;
  }
  ++made_;
  live_.fetch_add(1, seam::memory_order_relaxed);
}

placed_block block_table::take(const found_block& gone) noexcept {
  const auto block = blocks_.find(gone.id.slot);
  assert(block != blocks_.end() && block->second.id == gone.id);
  registry_owner_->remove(gone);
  placed_block taken = std::move(block->second);
  blocks_.erase(block);
  live_.fetch_sub(1, seam::memory_order_relaxed);
  return taken;
}

std::optional<found_block> block_table::find(const void* address) const noexcept {
  const block_registry* const known = registry_.load(seam::memory_order_acquire);  // pairs with enter()
  return known == nullptr ? std::nullopt : known->find(reinterpret_cast<std::uintptr_t>(address));
}

placed_block* block_table::at(block_id id) {
  const auto found = blocks_.find(id.slot);
  return found != blocks_.end() && found->second.id == id ? &found->second : nullptr;
}

region_data block_table::data_of(std::string_view region) const {
  region_data sum;
  for (const auto& [slot, block] : blocks_) {
    if (!block.belongs_to(region)) continue;
    ++sum.blocks;
    sum.bytes += block.extent.bytes;
  }
  return sum;
}

std::vector<living_block> block_table::living() const {
  std::vector<living_block> all;
  for (const auto& [slot, block] : blocks_)
    all.push_back({.begin = reinterpret_cast<std::uintptr_t>(block.begin),
                   .bytes = block.extent.bytes,
                   .number = block.made_as,
                   .how = block.options.where.how});
  std::ranges::sort(all, {}, &living_block::number);
  return all;
}

void block_table::count_iteration(std::string_view region) {
  for (auto& [slot, block] : blocks_) {
    if (!block.belongs_to(region)) continue;
    auto counted = block.iterations.find(region);
    if (counted == block.iterations.end()) counted = block.iterations.emplace(region, 0).first;
    ++counted->second;
    // More than the leader's, not as many: two regions that take turns do not drag the pages to and fro.
    if (block.leader.empty() || counted->second > block.iterations[block.leader]) block.leader = region;
  }
}

std::vector<block_id> block_table::led_by(std::string_view region) const {
  std::vector<block_id> ids;
  for (const auto& [slot, block] : blocks_)
    if (block.belongs_to(region) && block.leader == region) ids.push_back(block.id);
  return ids;
}

std::uint64_t block_table::bytes() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& [slot, block] : blocks_) sum += block.extent.bytes;
  return sum;
}

}  // namespace nearfork
