#include "memory/blocks/block_registry.hpp"

#include <cassert>

namespace nearfork {
namespace {

constexpr std::uintptr_t low_bits(std::uintptr_t value, unsigned bits) {
  return value & ((std::uintptr_t{1} << bits) - 1);
}

}  // namespace

block_registry::block_registry() = default;

block_registry::~block_registry() {
  // Relaxed: no thread reads any more.
  for (auto& one : root_) delete one.load(seam::memory_order_relaxed);
}

block_registry::leaf& block_registry::leaf_for(std::uintptr_t address) {
  auto& place = root_[address >> (chunk_bits + leaf_bits)];
  // Relaxed: only the holder of the lock stores here.
  leaf* known = place.load(seam::memory_order_relaxed);
  if (known == nullptr) {
    known = new leaf{};
    place.store(known, seam::memory_order_release);  // pairs with find(): entries are seen as null
  }
  return *known;
}

block_registry::entry& block_registry::free_entry() {
  if (unused_.empty()) {
    unused_.reserve(entries_.size() + 1);  // so that remove() need not allocate
    entry& made = entries_.emplace_back();
    made.number = static_cast<std::uint32_t>(entries_.size() - 1);
    return made;
  }
  entry& reused = entries_[unused_.back()];
  unused_.pop_back();
  return reused;
}

void block_registry::fill(std::uintptr_t begin, std::uintptr_t end, entry* with) noexcept {
  for (std::uintptr_t at = begin; at < end; at += chunk_bytes) {
    leaf* const known = root_[at >> (chunk_bits + leaf_bits)].load(seam::memory_order_relaxed);  // see leaf_for()
    // Release: a reader that finds the entry sees it constructed.
    (*known)[low_bits(at >> chunk_bits, leaf_bits)].store(with, seam::memory_order_release);
  }
}

block_id block_registry::add(std::uintptr_t begin, std::uintptr_t end) {
  assert(begin % chunk_bytes == 0 && begin < end && (end - 1) >> address_bits == 0);
  for (std::uintptr_t at = begin; at < end; at += chunk_bytes) (void)leaf_for(at);
  entry& taken = free_entry();
  taken.slot.open(begin, end);
  fill(begin, end, &taken);
  return {taken.number, taken.slot.generation()};
}

void block_registry::remove(const found_block& gone) noexcept {
  entry& left = entries_[gone.id.slot];
  assert(left.slot.generation() == gone.id.generation);
  fill(gone.begin, gone.end, nullptr);
  left.slot.close();
  unused_.push_back(left.number);
}

std::optional<found_block> block_registry::find(std::uintptr_t address) const noexcept {
  if (address >> address_bits != 0) return std::nullopt;
  const leaf* const known = root_[address >> (chunk_bits + leaf_bits)].load(seam::memory_order_acquire);  // leaf_for()
  if (known == nullptr) return std::nullopt;
  const entry* const at =
      (*known)[low_bits(address >> chunk_bits, leaf_bits)].load(seam::memory_order_acquire);  // fill()
  if (at == nullptr) return std::nullopt;
  const auto held = at->slot.find(address);
  if (!held) return std::nullopt;
  return found_block{{at->number, held->generation}, held->begin, held->end};
}

}  // namespace nearfork
