// Freeing blocks, and keeping their pages for later blocks.
#include <cassert>
#include <new>
#include <utility>

#include "memory/placed/placed_memory.hpp"

namespace nearfork {

bool placed_memory::free(void* begin) noexcept {
  const auto found = find(begin);
  if (!found || found->begin != reinterpret_cast<std::uintptr_t>(begin)) return false;
  placed_block gone;
  {
    const std::lock_guard lock(mutex_);
    const auto block = blocks_.find(found->id.slot);
    assert(block != blocks_.end() && block->second.id == found->id);
    registry_owner_->remove(*found);
    gone = std::move(block->second);
    for (const std::size_t one : gone.misses) --shortfalls_[one].blocks;
    blocks_.erase(block);
    live_blocks_.fetch_sub(1, seam::memory_order_relaxed);
  }
  // Outside the lock: the system calls here take time for each page.
  if (!try_keep(gone)) unmap(gone);
  return true;
}

/// With several nodes, no pages are kept. They lie where they were touched, or where there was room, or where the
/// kernel's weights said at that time. And kept pages fill a node that other allocations ask for.
bool placed_memory::has_only_one_node() noexcept {
  try {
    know_machine();
    const std::lock_guard lock(mutex_);
    return has_one_node();
  } catch (...) {
    return false;  // the machine is not known
  }
}

/// False: the block still belongs to the caller.
bool placed_memory::try_keep(const placed_block& freed) noexcept {
  if (!freed.may_be_kept || !kept_blocks::has_room_for(freed) || !has_only_one_node()) return false;
  // Pages that the system refuses to take back if it is short, such as locked memory, are not kept.
  if (system_->set_aside(freed.begin, freed.extent.pages() * freed.extent.page_bytes) != 0) return false;
  std::vector<placed_block> too_many;
  try {
    const std::lock_guard lock(mutex_);
    too_many = kept_.keep(freed);
  } catch (const std::bad_alloc&) {
    return false;
  }
  for (const placed_block& one : too_many) unmap(one);
  return true;
}

void placed_memory::unmap(const placed_block& one) noexcept {
  system_->unmap(one.begin, one.reserved_bytes);
}

void placed_memory::give_back_kept() noexcept {
  std::vector<placed_block> all;
  {
    const std::lock_guard lock(mutex_);
    all = kept_.take_all();
  }
  for (const placed_block& one : all) unmap(one);
}

void* placed_memory::reuse(std::size_t bytes, std::size_t alignment, const memory_options& options) {
  const std::lock_guard lock(mutex_);
  if (kept_.bytes() == 0) return nullptr;
  const block_extent extent = extent_of(bytes, options);
  const auto kept = kept_.take({extent, alignment, &options});
  if (!kept) return nullptr;
  placed_block again;
  again.begin = kept->begin;
  again.reserved_bytes = kept->reserved_bytes;
  again.extent = extent;
  again.options = options;
  again.weights = kept->weights;  // from the same options
  again.may_be_kept = true;
  system_->take_up(again.begin, again.extent.pages() * again.extent.page_bytes);
  try {
    enter(std::move(again));
  } catch (const std::bad_alloc&) {
    unmap(*kept);
    return nullptr;
  }
  ++blocks_reused_;
  return kept->begin;
}

}  // namespace nearfork
