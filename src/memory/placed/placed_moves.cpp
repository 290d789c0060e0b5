// Blocks follow the plans of their regions.
#include <algorithm>
#include <cerrno>
#include <functional>
#include <utility>

#include "base/text/message_text.hpp"
#include "memory/placed/placed_memory.hpp"
#include "memory/placed/refusal_text.hpp"

namespace nearfork {
namespace {

/// How many pages are located and moved at a time. For 2 MiB of small pages the kernel takes about a millisecond.
/// Allocating and freeing threads wait that long at most.
constexpr std::uint64_t pages_of_batch = 512;

/// Locating pages is cheaper than moving them by about this factor. So this many are located per page that may be
/// moved.
constexpr std::uint64_t asked_for_each_moved = 16;

}  // namespace

/// Pages of a block, by address, with the node each is to go to.
struct placed_memory::page_batch {
  std::vector<std::byte*> pages;
  std::vector<int> to;
  void add(std::byte* page, int node) {
    pages.push_back(page);
    to.push_back(node);
  }
};

region_data placed_memory::data_of(std::string_view region) const {
  region_data sum;
  if (!any_blocks()) return sum;
  const std::lock_guard lock(mutex_);
  for (const auto& [slot, block] : blocks_) {
    if (!block.belongs_to(region)) continue;
    ++sum.blocks;
    sum.bytes += block.extent.bytes;
  }
  return sum;
}

void placed_memory::count_iteration(std::string_view region) {
  if (!any_blocks()) return;
  const std::lock_guard lock(mutex_);
  for (auto& [slot, block] : blocks_) {
    if (!block.belongs_to(region)) continue;
    auto counted = block.iterations.find(region);
    if (counted == block.iterations.end()) counted = block.iterations.emplace(region, 0).first;
    ++counted->second;
    // More than the leader, not as many: so two regions that take turns do not move the pages back and forth.
    if (block.leader.empty() || counted->second > block.iterations[block.leader]) block.leader = region;
  }
}

std::vector<block_id> placed_memory::led_by(std::string_view region) const {
  const std::lock_guard lock(mutex_);
  std::vector<block_id> ids;
  for (const auto& [slot, block] : blocks_)
    if (block.belongs_to(region) && block.leader == region) ids.push_back(block.id);
  return ids;
}

/// nullptr: the block was freed meanwhile.
placed_block* placed_memory::at(block_id id) {
  const auto found = blocks_.find(id.slot);
  return found != blocks_.end() && found->second.id == id ? &found->second : nullptr;
}

// --- following ---

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
      placed_block* const block = at(id);
      if (block == nullptr) break;
      if (first) intend(*block, wish);
      if (first && block->unchecked.empty()) look_again(*block);
      if (block->unchecked.empty() || wish.most_moved_bytes == 0 || moves_no_more()) break;
      if (!has_budget()) {
        sum.in_place = false;
        break;
      }
      const std::uint64_t page_bytes = block->extent.page_bytes;
      const std::uint64_t left = (wish.most_moved_bytes - sum.moved_bytes + page_bytes - 1) / page_bytes;
      asked_bytes += move_some(*block, left, sum) * page_bytes;
    }
  }
  return sum;
}

/// Asks once, and only if blocks follow plans. Pages that the kernel moves by itself are pages that first touch placed.
void placed_memory::look_for_balancing() {
  if (!balancing_) balancing_ = system_->balancing();
  if (balancing_->state == grant_state::denied)
    fall_short({"the kernel moves pages, too, against what is planned", "NUMA balancing", balancing_->detail,
                balancing_->remedy});
}

/// True if moving was refused for good. These pages miss it, too.
bool placed_memory::moves_no_more() {
  if (not_to_move_ == 0 || used_memory.is_strict()) return false;
  fall_short(moving_refused(not_to_move_));
  return true;
}

/// Sets where pages go that are touched from now on. Pages that have been touched are queued to be looked at.
void placed_memory::intend(placed_block& block, const split_wish& wish) {
  const bool is_one_node = std::ranges::adjacent_find(wish.nodes, std::ranges::not_equal_to()) == wish.nodes.end();
  if (is_one_node && block.options.where.inside_domains == node_spread::nearest) return;  // first touch does as much
  page_split meant = spread_inside_domains(block, split_at(block.extent, wish.borders, wish.nodes));
  if (meant == block.now.intended) return;
  look_for_balancing();
  page_split next = within_room(block, meant, difference(block.now.applied, meant));
  const page_split changed = difference(block.now.applied, next);
  // If binding is refused, touched pages may still be moved.
  (void)bind(block, changed, page_policy::prefer);
  for (const page_run& run : changed) block.unchecked.add(run);
  block.looks_again = false;
  block.before = std::exchange(block.now, {std::move(meant), std::move(next)});
  block.log.clear();
}

/// Looks at pages again that were untouched at the last look. They may have been touched since, and if their node had
/// no room, they lie elsewhere.
void placed_memory::look_again(placed_block& block) {
  block.unchecked = part_of(block.now.applied, std::exchange(block.untouched, {}));
  block.looks_again = true;
}

/// `lie`: the nodes of the first pages of the run.
void placed_memory::note_untouched(placed_block& block, const page_run& run, std::span<const int> lie) {
  const auto is_untouched = [](int node) { return node < 0; };
  for (auto begin = std::ranges::find_if(lie, is_untouched); begin != lie.end();) {
    const auto end = std::find_if_not(begin, lie.end(), is_untouched);
    const auto number = [&](auto at) { return run.begin + static_cast<std::uint64_t>(at - lie.begin()); };
    add_run(block.untouched, {number(begin), number(end), run.node});
    begin = std::find_if(end, lie.end(), is_untouched);
  }
}

/// Looks at the next pages that may lie elsewhere, and moves those that do. Returns how many it looked at.
std::uint64_t placed_memory::move_some(placed_block& block, std::uint64_t most_pages, move_outcome& sum) {
  const page_run run = block.unchecked.front();
  const std::uint64_t first = run.begin;
  const std::uint64_t count = std::min({run.end - first, pages_of_batch, most_pages});
  const int target = static_cast<int>(number_of(where().at(node_of(block.now.applied, first)).os));
  page_batch all;
  for (std::uint64_t i = 0; i < count; ++i) all.add(block.page(first + i), target);
  std::vector<int> lie(count);
  if (const int refused = system_->locate(all.pages, lie); refused != 0) {
    fall_short(moving_refused(refused));
    not_to_move_ = refused;
    return count;
  }
  if (!block.looks_again) note_untouched(block, run, lie);
  page_batch moves;
  std::vector<std::uint64_t> numbers;
  std::vector<int> from;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (lie[i] < 0 || lie[i] == target) continue;
    moves.add(all.pages[i], target);
    numbers.push_back(first + i);
    from.push_back(lie[i]);
  }
  const std::vector<bool> moved = run_moves(moves);
  for (std::size_t i = 0; i < moved.size(); ++i) {
    if (!moved[i]) continue;
    sum.moved_bytes += block.extent.page_bytes;
    if (!block.log.empty() && block.log.back().end == numbers[i] && block.log.back().from == from[i])
      ++block.log.back().end;
    else block.log.push_back({numbers[i], numbers[i] + 1, from[i]});
  }
  block.unchecked.take(count);
  return count;
}

/// Tells which pages are where they should go. The kernel's outcome per page does not tell enough: it moves a huge page
/// as a whole and reports its other pages as busy. So the pages are located afterwards.
std::vector<bool> placed_memory::run_moves(const page_batch& moves) {
  std::vector<bool> arrived(moves.pages.size(), false);
  if (moves.pages.empty()) return arrived;
  std::vector<int> outcomes(moves.pages.size());
  int refused = system_->move(moves.pages, moves.to, outcomes);
  const bool is_full = std::ranges::find(outcomes, -ENOMEM) != outcomes.end() || refused == ENOMEM;
  if (refused == ENOMEM) refused = 0;
  if (refused == ENODEV || refused == EACCES) {  // moves to other nodes may still work
    fall_short(node_withdrawn(moves.to.front(), refused));
    stuck_bytes_ += moves.pages.size() * system_->page_bytes();
    return arrived;
  }
  std::vector<int> lie(moves.pages.size());
  if (refused == 0) refused = system_->locate(moves.pages, lie);
  if (refused != 0) {
    fall_short(moving_refused(refused));
    not_to_move_ = refused;
    return arrived;
  }
  const std::uint64_t page_bytes = system_->page_bytes();
  for (std::size_t i = 0; i < arrived.size(); ++i) {
    arrived[i] = lie[i] == moves.to[i];
    (arrived[i] ? moved_bytes_ : stuck_bytes_) += page_bytes;
  }
  if (is_full)
    fall_short({"pages were not moved to their tasks", "node " + std::to_string(moves.to.front()), "the node is full",
                "use less memory on that node"});
  return arrived;
}

// --- taking back ---

move_outcome placed_memory::take_back(std::string_view region, std::uint64_t most_moved_bytes) {
  move_outcome sum;
  for (const block_id id : led_by(region)) {
    for (;;) {
      const std::lock_guard lock(mutex_);
      placed_block* const block = at(id);
      if (block == nullptr) break;
      revert(*block);
      if (block->log.empty() || moves_no_more()) break;
      if (sum.moved_bytes >= most_moved_bytes) {
        sum.in_place = false;
        break;
      }
      const std::uint64_t page_bytes = block->extent.page_bytes;
      take_back_some(*block, (most_moved_bytes - sum.moved_bytes + page_bytes - 1) / page_bytes, sum);
    }
  }
  return sum;
}

/// Sends pages that are touched from now on where they would have gone before the change.
void placed_memory::revert(placed_block& block) {
  if (block.now.intended == block.before.intended) return;
  if (!block.before.applied.empty())
    (void)bind(block, difference(block.now.applied, block.before.applied), page_policy::prefer);
  else (void)bind(block, {{0, block.extent.pages(), node_id{0}}}, page_policy::first_touch);
  block.now = block.before;
  block.unchecked.clear();
  block.untouched.clear();
}

/// Takes the newest moves of the log first, so that a page that was moved twice ends where it was.
void placed_memory::take_back_some(placed_block& block, std::uint64_t most_pages, move_outcome& sum) {
  page_move& last = block.log.back();
  const std::uint64_t count = std::min({last.end - last.begin, pages_of_batch, most_pages});
  page_batch moves;
  for (std::uint64_t page = last.end - count; page < last.end; ++page) moves.add(block.page(page), last.from);
  last.end -= count;
  if (last.begin == last.end) block.log.pop_back();
  const std::vector<bool> moved = run_moves(moves);
  sum.moved_bytes += static_cast<std::uint64_t>(std::ranges::count(moved, true)) * block.extent.page_bytes;
  // Count also a page that stays: else a system that moves nothing would be asked forever.
}

// --- looking ---

std::uint64_t placed_memory::bytes_there(const placed_block& block, const page_split& runs, node_id node) const {
  const int number = static_cast<int>(number_of(machine_->at(node).os));
  std::uint64_t there = 0;
  for (const page_run& run : runs) {
    if (run.node != node) continue;
    for (std::uint64_t first = run.begin; first < run.end; first += pages_of_batch) {
      std::vector<std::byte*> pages;
      for (std::uint64_t page = first; page < std::min(run.end, first + pages_of_batch); ++page)
        pages.push_back(block.page(page));
      std::vector<int> lie(pages.size());
      if (system_->locate(pages, lie) != 0) return there;
      there += static_cast<std::uint64_t>(std::ranges::count(lie, number)) * block.extent.page_bytes;
    }
  }
  return there;
}

memory_map placed_memory::where_lies(const void* begin, std::size_t bytes) const {
  memory_map made;
  const std::uintptr_t page_bytes = system_->page_bytes();
  const auto first = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t end = first + bytes;
  for (std::uintptr_t at = first; at < end;) {
    std::vector<std::byte*> pages;
    for (std::uintptr_t page = at - at % page_bytes; page < end && pages.size() < pages_of_batch; page += page_bytes)
      pages.push_back(reinterpret_cast<std::byte*>(page));
    std::vector<int> lie(pages.size());
    if (const int refused = system_->locate(pages, lie); refused != 0)
      return {{}, "move_pages: " + with_number(refused) + "; see nearfork doctor"};
    for (std::size_t i = 0; i < pages.size(); ++i) {
      const std::uintptr_t next = std::min(end, reinterpret_cast<std::uintptr_t>(pages[i]) + page_bytes);
      const auto node = lie[i] < 0 ? std::nullopt : std::optional<unsigned>(static_cast<unsigned>(lie[i]));
      if (made.parts.empty() || made.parts.back().os_node != node)
        made.parts.push_back({reinterpret_cast<const void*>(at), 0, node});
      made.parts.back().bytes += next - at;
      at = next;
    }
  }
  return made;
}

}  // namespace nearfork
