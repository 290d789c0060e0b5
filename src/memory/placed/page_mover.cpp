#include "memory/placed/page_mover.hpp"

#include <algorithm>
#include <cerrno>
#include <functional>
#include <string>
#include <utility>

#include "memory/placed/page_locations.hpp"
#include "memory/placed/refusal_text.hpp"

namespace nearfork {
namespace {

/// True if the block's own options spread each domain's part over the domain's nodes.
bool spreads_itself(const placed_block& block) {
  return block.options.where.inside_domains != node_spread::nearest;
}

}  // namespace

/// Pages of a block, by address, with the node each is to go to.
struct page_mover::page_batch {
  std::vector<std::byte*> pages;
  std::vector<int> to;
  void add(std::byte* page, int node) {
    pages.push_back(page);
    to.push_back(node);
  }
};

/// Asked once, and only where blocks follow plans: what the kernel moves by itself are pages that first touch has
/// placed.
void page_mover::look_for_balancing() {
  if (!balancing_) balancing_ = system_.balancing();
  if (balancing_->state == grant_state::denied)
    book_.note({"the kernel moves pages, too, against what is planned", "NUMA balancing", balancing_->detail,
                balancing_->remedy});
}

bool page_mover::moves_no_more() {
  if (not_to_move_ == 0 || used_memory.is_strict()) return false;
  book_.note(moving_refused(not_to_move_));
  return true;
}

void page_mover::intend(placed_block& block, const split_wish& wish) {
  split(block, wish);
  if (block.unchecked.empty()) look_again(block);
}

page_split page_mover::split_for(const placed_block& block, const split_wish& wish) {
  const page_split parts = split_at(block.extent, wish.borders, wish.nodes);
  return spreads_itself(block) ? shares_.spread_inside_domains(block, parts)
                               : dealt_out(parts, block.extent, wish.turns);
}

page_split page_mover::layout_for(const placed_block& block, const split_wish& wish) {
  page_split parts = split_for(block, wish);
  return block.now.intended == parts ? block.now.applied : parts;
}

void page_mover::split(placed_block& block, const split_wish& wish) {
  const bool is_one_node = std::ranges::adjacent_find(wish.nodes, std::ranges::not_equal_to()) == wish.nodes.end();
  if (is_one_node && !spreads_itself(block) && wish.turns.empty()) return;  // first touch does as much
  const page_split parts = split_for(block, wish);
  page_split meant = with_moves(parts, block.made_as, wish.moves);
  if (meant == block.now.intended) return;
  look_for_balancing();
  page_split next = binder_.within_room(block, parts, difference(block.now.applied, parts), wish.kept_free);
  if (!wish.moves.empty()) {
    next = with_moves(next, block.made_as, wish.moves);
    next = binder_.within_room(block, next, difference(block.now.applied, next));
  }
  const page_split changed = difference(block.now.applied, next);
  // Where binding is refused, pages that are there may still be moved.
  (void)binder_.bind(block, changed, page_policy::prefer);
  for (const page_run& run : changed) block.unchecked.add(run);
  block.looks_again = false;
  block.before = std::exchange(block.now, {std::move(meant), std::move(next)});
  block.log.clear();
}

/// Looks again at pages that were untouched at the first look. They may have been touched since. If their node had no
/// room, they lie on another node.
void page_mover::look_again(placed_block& block) {
  block.unchecked = part_of(block.now.applied, std::exchange(block.untouched, {}));
  block.looks_again = true;
}

/// `lie`: where the first pages of the run lie.
void page_mover::note_untouched(placed_block& block, const page_run& run, std::span<const int> lie) {
  const auto is_untouched = [](int node) { return node < 0; };
  for (auto begin = std::ranges::find_if(lie, is_untouched); begin != lie.end();) {
    const auto end = std::find_if_not(begin, lie.end(), is_untouched);
    const auto number = [&](auto at) { return run.begin + static_cast<std::uint64_t>(at - lie.begin()); };
    add_run(block.untouched, {number(begin), number(end), run.node});
    begin = std::find_if(end, lie.end(), is_untouched);
  }
}

std::uint64_t page_mover::move_some(placed_block& block, std::uint64_t most_pages, move_outcome& sum) {
  const page_run run = block.unchecked.front();
  const std::uint64_t first = run.begin;
  const std::uint64_t count = std::min({run.end - first, pages_of_batch, most_pages});
  const int target = static_cast<int>(number_of(nodes_.where().at(node_of(block.now.applied, first)).os));
  page_batch all;
  for (std::uint64_t i = 0; i < count; ++i) all.add(block.page(first + i), target);
  std::vector<int> lie(count);
  if (const int refused = system_.locate(all.pages, lie); refused != 0) {
    book_.note(moving_refused(refused));
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

/// Which of the pages are where they were to go. What the kernel says of each page is not enough: of a huge page it
/// moves the whole and calls the rest busy. So they are looked for afterwards.
std::vector<bool> page_mover::run_moves(const page_batch& moves) {
  std::vector<bool> arrived(moves.pages.size(), false);
  if (moves.pages.empty()) return arrived;
  std::vector<int> outcomes(moves.pages.size());
  int refused = system_.move(moves.pages, moves.to, outcomes);
  const bool is_full = std::ranges::find(outcomes, -ENOMEM) != outcomes.end() || refused == ENOMEM;
  if (refused == ENOMEM) refused = 0;
  if (refused == ENODEV || refused == EACCES) {  // no reason not to ask again for other nodes
    book_.note(node_withdrawn(moves.to.front(), refused));
    stuck_bytes_ += moves.pages.size() * system_.page_bytes();
    return arrived;
  }
  std::vector<int> lie(moves.pages.size());
  if (refused == 0) refused = system_.locate(moves.pages, lie);
  if (refused != 0) {
    book_.note(moving_refused(refused));
    not_to_move_ = refused;
    return arrived;
  }
  const std::uint64_t page_bytes = system_.page_bytes();
  for (std::size_t i = 0; i < arrived.size(); ++i) {
    arrived[i] = lie[i] == moves.to[i];
    (arrived[i] ? moved_bytes_ : stuck_bytes_) += page_bytes;
  }
  if (is_full)
    book_.note({"pages were not moved to their tasks", "node " + std::to_string(moves.to.front()), "the node is full",
                "use less memory on that node"});
  return arrived;
}

// --- taking back ---

void page_mover::revert(placed_block& block) {
  if (block.now.intended == block.before.intended) return;
  if (!block.before.applied.empty())
    (void)binder_.bind(block, difference(block.now.applied, block.before.applied), page_policy::prefer);
  else (void)binder_.bind(block, {{0, block.extent.pages(), node_id{0}}}, page_policy::first_touch);
  block.now = block.before;
  block.unchecked.clear();
  block.untouched.clear();
}

/// The newest of the log first, so that a page that was moved twice ends where it was.
void page_mover::take_back_some(placed_block& block, std::uint64_t most_pages, move_outcome& sum) {
  page_move& last = block.log.back();
  const std::uint64_t count = std::min({last.end - last.begin, pages_of_batch, most_pages});
  page_batch moves;
  for (std::uint64_t page = last.end - count; page < last.end; ++page) moves.add(block.page(page), last.from);
  last.end -= count;
  if (last.begin == last.end) block.log.pop_back();
  const std::vector<bool> moved = run_moves(moves);
  sum.moved_bytes += static_cast<std::uint64_t>(std::ranges::count(moved, true)) * block.extent.page_bytes;
  // A page that stays counts as well, or a system that moves nothing would be asked for ever.
}

}  // namespace nearfork
