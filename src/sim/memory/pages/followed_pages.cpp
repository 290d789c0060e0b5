#include "sim/memory/pages/followed_pages.hpp"

#include <algorithm>
#include <utility>

#include "machine/nodes/page_split.hpp"
#include "sim/memory/pages/page_rooms.hpp"

namespace nearfork::sim {

/// A page that holds parts of two arrays belongs to the first.
void followed_pages::add(std::span<const data_array> arrays, std::uint64_t page_bytes) {
  page_bytes_ = page_bytes;
  std::uint64_t next = 0;
  for (const data_array& one : arrays) {
    array_pages pages = pages_of(one, page_bytes);
    const std::uint64_t end = pages.first + pages.count;
    pages.first = std::max(pages.first, next);
    if (pages.first >= end) continue;
    arrays_.push_back({pages.first, end - pages.first});
    next = end;
  }
}

std::vector<std::uint16_t> followed_pages::split(const wish& wanted) const {
  const std::vector<node_id> ids = ids_of(wanted.nodes);
  std::vector<std::uint16_t> made;
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    const block_extent array{.bytes = arrays_[i].pages, .page_bytes = 1};
    const page_split parts = dealt_out(split_at(array, wanted.borders, ids), array, wanted.turns);
    for (const page_run& run : with_moves(parts, i, wanted.moves))
      made.insert(made.end(), run.end - run.begin, number_in_map(run.node));
  }
  return made;
}

void followed_pages::mean(const std::vector<std::uint16_t>& wanted, page_map& pages) const {
  std::size_t i = 0;
  for (const followed_array& one : arrays_)
    for (std::uint64_t page = one.first_page; page < one.first_page + one.pages; ++page, ++i)
      pages.mean(page, wanted.empty() ? page_map::nowhere : wanted[i]);
}

void followed_pages::follow(const wish& wanted, page_map& pages) {
  if (arrays_.empty() || wanted.borders.size() != wanted.nodes.size() + 1) return;
  pages.keep_free(wanted.kept_free);
  std::vector<std::uint16_t> next = split(wanted);
  if (next == now_) return;
  wish without_moves = wanted;
  without_moves.moves = {};
  const std::vector<std::uint16_t> unmoved = wanted.moves.empty() ? next : split(without_moves);
  before_ = std::exchange(now_, std::move(next));
  mean(now_, pages);
  log_.clear();
  pending_.clear();
  takes_back_ = false;
  std::size_t i = 0;
  for (const followed_array& one : arrays_)
    for (std::uint64_t page = one.first_page; page < one.first_page + one.pages; ++page, ++i)
      if (pages.node_of(page) != page_map::nowhere && pages.node_of(page) != now_[i])
        pending_.push_back(
            {page, now_[i], now_[i] == unmoved[i] ? page_map::room_use::unkept : page_map::room_use::all});
  std::ranges::reverse(pending_);
}

void followed_pages::take_back(page_map& pages) {
  if (takes_back_) return;
  takes_back_ = true;
  now_ = before_;
  mean(now_, pages);
  pending_.clear();
  for (const log_entry& one : log_) pending_.push_back({one.page, one.from});
  log_.clear();
}

std::optional<page_move> followed_pages::next(const page_map& pages) {
  while (!pending_.empty()) {
    const page_move one = pending_.back();
    pending_.pop_back();
    if (pages.node_of(one.page) != one.to) return one;
  }
  return std::nullopt;
}

void followed_pages::moved(std::uint64_t page, std::uint16_t from) {
  if (!takes_back_) log_.push_back({page, from});
}

}  // namespace nearfork::sim
