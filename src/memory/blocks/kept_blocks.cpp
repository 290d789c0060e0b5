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
  bytes_ -= bytes_of(taken);
  kept_.erase(std::next(last).base());
  return taken;
}

std::vector<placed_block> kept_blocks::keep(placed_block one) {
  std::vector<placed_block> gone;
  gone.reserve(kept_.size());
  kept_.reserve(kept_.size() + 1);  // nothing throws from here on
  bytes_ += bytes_of(one);
  auto stays = kept_.begin();
  for (; bytes_ > most_bytes; ++stays) {
    bytes_ -= bytes_of(*stays);
    gone.push_back(std::move(*stays));
  }
  kept_.erase(kept_.begin(), stays);
  kept_.push_back(std::move(one));
  return gone;
}

std::vector<placed_block> kept_blocks::take_all() noexcept {
  bytes_ = 0;
  return std::exchange(kept_, {});
}

}  // namespace nearfork
