// The lock around the parts, and the order in which they act.
#include "memory/placed/placed_memory.hpp"

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <new>
#include <utility>

#include "memory/placed/page_locations.hpp"

namespace nearfork {
namespace {

/// Asking where pages lie is cheaper than moving them, by about this factor; so many are asked for at once where few
/// are to move.
constexpr std::uint64_t asked_for_each_moved = 16;

}  // namespace

placed_memory::placed_memory(std::unique_ptr<os_memory> system, machine_reader read_machine)
    : placed_memory(std::move(system), std::move(read_machine), nullptr) {}

placed_memory::placed_memory(std::unique_ptr<os_memory> system, std::shared_ptr<const machine> where)
    : placed_memory(std::move(system), {}, std::move(where)) {}

placed_memory::placed_memory(std::unique_ptr<os_memory> system, machine_reader read_machine,
                             std::shared_ptr<const machine> where)
    : system_(std::move(system)),
      nodes_(*system_, std::move(read_machine), std::move(where)),
      supply_(*system_),
      binder_(*system_, nodes_, book_),
      shares_(nodes_, book_),
      placer_(*system_, nodes_, book_, binder_, shares_),
      mover_(*system_, nodes_, book_, binder_, shares_) {}

placed_memory::~placed_memory() {
  for (const auto& [slot, block] : table_.all()) supply_.unmap(block);
}

void placed_memory::know_machine() {
  {
    const std::lock_guard lock(mutex_);
    if (nodes_.are_known()) return;
  }
  auto read = nodes_.read();
  const std::lock_guard lock(mutex_);
  nodes_.know(std::move(read));
}

bool placed_memory::is_of(const machine& asked) {
  if (asked.source() == machine_source::live) know_machine();
  const std::lock_guard lock(mutex_);
  // A described machine is no reason to read the live one.
  if (!nodes_.are_known() && asked.source() != machine_source::live) return false;
  return &nodes_.where() == &asked;
}

// --- blocks ---

void* placed_memory::allocate(std::size_t bytes, std::size_t alignment, const memory_options& options) {
  if (options.where.how != placing::rule::follow_plan) know_machine();
  const std::lock_guard lock(mutex_);
  placed_block made = supply_.map(bytes, alignment, options);
  std::byte* const begin = made.begin;
  const std::uint64_t reserved = made.reserved_bytes;
  try {
    const std::uint64_t short_before = book_.times();
    {
      const shortfall_book::making now(book_, made.misses);
      placer_.place(made);
    }
    made.may_be_kept = book_.times() == short_before;
    const shortfall_book::misses misses = made.misses;
    table_.enter(std::move(made));
    book_.count_block(misses);
    return begin;
  } catch (const std::bad_alloc&) {
    system_->unmap(begin, reserved);
    throw_no_memory(bytes, ENOMEM);
  } catch (...) {
    system_->unmap(begin, reserved);
    throw;
  }
}

void* placed_memory::reuse(std::size_t bytes, std::size_t alignment, const memory_options& options) {
  const std::lock_guard lock(mutex_);
  auto again = supply_.reuse(bytes, alignment, options);
  if (!again) return nullptr;
  std::byte* const begin = again->begin;
  const std::uint64_t reserved = again->reserved_bytes;
  try {
    table_.enter(*std::move(again));
  } catch (const std::bad_alloc&) {
    system_->unmap(begin, reserved);
    return nullptr;
  }
  ++blocks_reused_;
  return begin;
}

bool placed_memory::free(void* begin, unknown_nodes if_unknown) noexcept {
  const auto found = find(begin);
  if (!found || found->begin != reinterpret_cast<std::uintptr_t>(begin)) return false;
  placed_block gone;
  {
    const std::lock_guard lock(mutex_);
    gone = table_.take(*found);
    book_.count_off_block(gone.misses);
  }
  // Not under the lock: what the system does here takes its time for each page.
  if (!try_keep(gone, if_unknown)) supply_.unmap(gone);
  return true;
}

/// Pages are kept for reuse on a machine with one node only. With several nodes, old pages lie where an earlier use put
/// them, and kept pages would fill a node that others need.
bool placed_memory::has_only_one_node(unknown_nodes if_unknown) noexcept {
  try {
    if (if_unknown == unknown_nodes::read) know_machine();
    const std::lock_guard lock(mutex_);
    return nodes_.are_known() && nodes_.are_one();
  } catch (...) {
    return false;  // nothing is known of it
  }
}

/// False: it is still the caller's.
bool placed_memory::try_keep(placed_block& freed, unknown_nodes if_unknown) noexcept {
  if (!freed.may_be_kept || !kept_blocks::has_room_for(freed) || !has_only_one_node(if_unknown)) return false;
  {
    const std::lock_guard lock(mutex_);
    freed.is_offered = supply_.must_offer(freed);
  }
  if (!supply_.lay_down(freed)) return false;
  std::vector<placed_block> too_many;
  try {
    const std::lock_guard lock(mutex_);
    too_many = supply_.keep(freed);
  } catch (const std::bad_alloc&) {
    return false;
  }
  supply_.unmap(too_many);
  return true;
}

void placed_memory::give_back_kept() noexcept {
  std::vector<placed_block> all;
  {
    const std::lock_guard lock(mutex_);
    all = supply_.take_kept();
  }
  supply_.unmap(all);
}

memory_map placed_memory::where_lies(const void* begin, std::size_t bytes) const {
  return locate(*system_, begin, bytes);
}

// --- for regions ---

region_data placed_memory::data_of(std::string_view region) const {
  if (!any_blocks()) return {};
  const std::lock_guard lock(mutex_);
  return table_.data_of(region);
}

void placed_memory::count_iteration(std::string_view region) {
  if (!any_blocks()) return;
  const std::lock_guard lock(mutex_);
  table_.count_iteration(region);
}

std::vector<block_id> placed_memory::led_by(std::string_view region) const {
  const std::lock_guard lock(mutex_);
  return table_.led_by(region);
}

move_outcome placed_memory::follow(const split_wish& wish) {
  know_machine();
  move_outcome sum;
  std::uint64_t asked_bytes = 0;
  const auto has_budget = [&] {
    return sum.moved_bytes < wish.most_moved_bytes && asked_bytes / asked_for_each_moved < wish.most_moved_bytes;
  };
  for (const block_id id : led_by(wish.region)) {
    for (bool first = true;; first = false) {
      const std::lock_guard lock(mutex_);
      placed_block* const block = table_.at(id);
      if (block == nullptr) break;
      if (first) mover_.intend(*block, wish);
      if (block->unchecked.empty() || wish.most_moved_bytes == 0 || mover_.moves_no_more()) break;
      if (!has_budget()) {
        sum.in_place = false;
        break;
      }
      const std::uint64_t page_bytes = block->extent.page_bytes;
      const std::uint64_t left = (wish.most_moved_bytes - sum.moved_bytes + page_bytes - 1) / page_bytes;
      asked_bytes += mover_.move_some(*block, left, sum) * page_bytes;
    }
  }
  return sum;
}

move_outcome placed_memory::take_back(std::string_view region, std::uint64_t most_moved_bytes) {
  move_outcome sum;
  for (const block_id id : led_by(region)) {
    for (;;) {
      const std::lock_guard lock(mutex_);
      placed_block* const block = table_.at(id);
      if (block == nullptr) break;
      mover_.revert(*block);
      if (block->log.empty() || mover_.moves_no_more()) break;
      if (sum.moved_bytes >= most_moved_bytes) {
        sum.in_place = false;
        break;
      }
      const std::uint64_t page_bytes = block->extent.page_bytes;
      mover_.take_back_some(*block, (most_moved_bytes - sum.moved_bytes + page_bytes - 1) / page_bytes, sum);
    }
  }
  return sum;
}

data_layout placed_memory::layout_for(const split_wish& wish) {
  know_machine();
  data_layout made{.page_bytes = system_->page_bytes()};
  for (const block_id id : led_by(wish.region)) {
    const std::lock_guard lock(mutex_);
    placed_block* const block = table_.at(id);
    if (block == nullptr) continue;
    made.blocks.push_back({.number = block->made_as,
                           .begin = reinterpret_cast<std::uintptr_t>(block->begin),
                           .extent = block->extent,
                           .split = mover_.layout_for(*block, wish)});
  }
  std::ranges::sort(made.blocks, {}, &laid_block::begin);
  const std::lock_guard lock(mutex_);
  for (const memory_node& one : nodes_.where().nodes()) {
    constexpr std::uint64_t not_known = ~std::uint64_t{0};
    const std::optional<std::uint64_t> free = system_->free_bytes(one.os);
    made.free_pages.push_back(free ? *free / made.page_bytes : not_known);
  }
  return made;
}

// --- facts ---

void placed_memory::note(memory_shortfall fact) {
  const std::lock_guard lock(mutex_);
  book_.note(std::move(fact));
}

std::vector<living_block> placed_memory::living() const {
  const std::lock_guard lock(mutex_);
  return table_.living();
}

memory_totals placed_memory::totals() const {
  const std::lock_guard lock(mutex_);
  return {.blocks = table_.all().size(),
          .bytes = table_.bytes(),
          .blocks_made = table_.made(),
          .blocks_reused = blocks_reused_,
          .kept_bytes = supply_.kept_bytes(),
          .moved_bytes = mover_.moved_bytes(),
          .stuck_bytes = mover_.stuck_bytes()};
}

std::vector<memory_shortfall> placed_memory::shortfalls() const {
  const std::lock_guard lock(mutex_);
  return book_.all();
}

}  // namespace nearfork
