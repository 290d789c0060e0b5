#include "memory/blocks/kept_blocks.hpp"

#include <algorithm>
#include <utility>

namespace nearfork {
namespace {

bool serves(const placed_block& kept, const block_wish& wish) noexcept {
  return kept.extent.pages() == wish.extent.pages() && kept.extent.pages_of_unit == wish.extent.pages_of_unit &&
         reinterpret_cast<std::uintptr_t>(kept.begin) % wish.alignment == 0 &&
         kept.options.huge == wish.options->huge && kept.options.where == wish.options->where;
}

}  // namespace

std::optional<placed_block> kept_blocks::take(const block_wish& wish) {
  const auto last = std::find_if(kept_.rbegin(), kept_.rend(), [&](const auto& one) { return serves(one, wish); });
  if (last == kept_.rend()) return std::nullopt;
  placed_block taken = std::move(*last);
  count_off(taken);
  kept_.erase(std::next(last).base());
  return taken;
}

bool kept_blocks::must_offer(const placed_block& one) const noexcept {
  if (!one.on_kept_pages) return true;
  std::uint64_t own = own_bytes_ + bytes_of(one);
  for (auto oldest = kept_.begin(); own > most_own_bytes && oldest != kept_.end() && is_forgotten(*oldest); ++oldest)
    own -= own_bytes_of(*oldest);
  return own > most_own_bytes;
}

std::vector<placed_block> kept_blocks::keep(placed_block one) {
  std::vector<placed_block> gone;
  gone.reserve(kept_.size());
  kept_.reserve(kept_.size() + 1);  // nothing throws from here on
  bytes_ += bytes_of(one);
  own_bytes_ += own_bytes_of(one);
  one.kept_as = ++times_kept_;
  auto stays = kept_.begin();
  const auto must_go = [&](const placed_block& oldest) {
    return bytes_ > most_bytes || (own_bytes_ > most_own_bytes && is_forgotten(oldest));
  };
  for (; stays != kept_.end() && must_go(*stays); ++stays) {
    count_off(*stays);
    gone.push_back(std::move(*stays));
  }
  kept_.erase(kept_.begin(), stays);
  kept_.push_back(std::move(one));
  return gone;
}

std::vector<placed_block> kept_blocks::take_all() noexcept {
  bytes_ = 0;
  own_bytes_ = 0;
  return std::exchange(kept_, {});
}

void kept_blocks::count_off(const placed_block& gone) noexcept {
  bytes_ -= bytes_of(gone);
  own_bytes_ -= own_bytes_of(gone);
}

}  // namespace nearfork
