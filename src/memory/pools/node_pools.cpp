#include "memory/pools/node_pools.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <mutex>
#include <new>
#include <string>

#include <nearfork/error.hpp>

#include "base/text/message_text.hpp"
#include "memory/system/poison.hpp"

namespace nearfork {
namespace {

/// Numbers are never reused, so that a thread's magazines of destroyed pools are not taken for those of new pools.
std::uint64_t next_number() noexcept {
  static constinit detail::seam::atomic<std::uint64_t> last{0};
  // Relaxed: the numbers only need to differ.
  return last.fetch_add(1, detail::seam::memory_order_relaxed) + 1;
}

[[noreturn]] void stop_at_foreign_block(const void* block) noexcept {
  std::fprintf(
      stderr,
      "nearfork: per-node pools: deallocate(%p): not a block of these pools; return each block where it came from\n",
      block);
  std::terminate();
}

[[noreturn]] void throw_refused(const node_pool_facts& node, std::size_t bytes) {
  const bool is_full = node.refusal_errno == ENOMEM;
  const std::string where = "memory node " + std::to_string(index_of_id(node.node));
  throw error(
      "per-node pools: strict mode, and " + std::to_string(bytes) + " bytes cannot be had on " + where +
      (is_full ? ": it has no room: free memory there, ask another node, or leave strict mode to use the next nearest"
               : ": the system does not bind to it: " + with_number(node.refusal_errno) +
                     "; run the container with --cap-add SYS_NICE, or a seccomp profile that allows mbind "
                     "(nearfork doctor)"));
}

void* give_out(pool_block* block, std::size_t bytes) noexcept {
  poison::block_given_out(block, bytes, pool_span::start_of(block));
  return block;
}

}  // namespace

node_pools::node_pools(std::unique_ptr<span_source> source, nodes_by_distance nearest, strict_now strict)
    : number_(next_number()),
      node_count_(static_cast<std::uint32_t>(nearest.size())),
      strict_(strict),
      nearest_(std::move(nearest)),
      source_(std::move(source)),
      nodes_(std::make_unique<node_pool[]>(node_count_)) {
  if (node_count_ == 0) throw error("per-node pools: the machine has no memory node: describe it with one at least");
  for (pool_place place = 0; place < places(); ++place) {
    if (place % places_per_node >= size_classes) continue;
    span_supply& supply = nodes_[place / places_per_node].supply;
    if (place % places_per_node == 0) supply.open(*source_, node_of_place(place), strict_);
    pool_at(place).open(supply, number_, place);
  }
  pool_threads::come_alive(*this);
}

node_pools::~node_pools() {
  pool_threads::pass_away(*this);
  for (std::uint32_t node = 0; node < node_count_; ++node) {
    for (class_pool& pool : nodes_[node].classes) pool.close();
    nodes_[node].supply.give_back_reserve();
  }
}

void* node_pools::allocate(node_id node, std::size_t bytes, std::size_t alignment) {
  if (last_used.pools != number_ || index_of_id(node) >= node_count_ || !serves(bytes, alignment)) [[unlikely]]
    return allocate_slow(node, bytes, alignment);
  magazine& own = last_used.magazines[place_of(node, class_for(bytes, alignment))];
  pool_block* const block = own.pop();
  if (block == nullptr) [[unlikely]]
    return allocate_slow(node, bytes, alignment);
  return give_out(block, bytes);
}

void* node_pools::allocate_slow(node_id node, std::size_t bytes, std::size_t alignment) {
  check(node, bytes, alignment);
  magazine* const own = pool_threads::own_magazines(*this);
  const size_class wanted = class_for(bytes, alignment);
  for (const node_id from : nearest_[index_of_id(node)]) {
    if (pool_block* const block = take_from(place_of(from, wanted), own)) {
      if (from != node) nodes_[index_of_id(node)].supply.count_block_elsewhere();
      return give_out(block, bytes);
    }
    if (is_strict()) throw_refused(nodes_[index_of_id(node)].supply.facts(), bytes);
  }
  throw std::bad_alloc();
}

/// Takes a block from the magazine, else from the pool with the magazine's next batch. nullptr: the node has no room.
pool_block* node_pools::take_from(pool_place place, magazine* own) noexcept {
  if (own == nullptr) {
    const block_chain got = pool_at(place).take();
    if (got.blocks > 1) pool_at(place).return_chain(got.first->next);
    return got.first;
  }
  magazine& here = own[place];
  if (here.active == nullptr && here.full != nullptr) here = {here.full, nullptr, pool_span::of(here.full).batch()};
  if (here.active == nullptr) {
    const block_chain got = pool_at(place).take();
    here = {got.first, nullptr, got.blocks};
  }
  return here.pop();
}

void node_pools::deallocate(void* given, [[maybe_unused]] std::size_t bytes) noexcept {
  if (given == nullptr) return;
  pool_span& span = pool_span::of(given);
  poison::block_given_back(span.start());
  poison::close(static_cast<std::byte*>(given) + sizeof(pool_block), span.bytes_of_block() - sizeof(pool_block));
  auto* const block = ::new (given) pool_block;
  if (last_used.pools != span.pools() || span.pools() != number_) [[unlikely]]
    return deallocate_slow(span, block);
  magazine& own = last_used.magazines[span.place()];
  // Not after the push: a thread that frees the first block of a batch and takes it again would come here each time.
  if (own.active_blocks == span.batch()) [[unlikely]]
    hand_over(own, span.place());
  own.push(block);
}

void node_pools::deallocate_slow(pool_span& span, pool_block* block) noexcept {
  if (span.pools() != number_) stop_at_foreign_block(block);
  if (pool_threads::own_magazines(*this) != nullptr) return deallocate(block, span.bytes_of_block());
  block->next = nullptr;
  pool_at(span.place()).return_chain(block);
}

/// The active chain is a whole batch. The thread keeps it and returns its previous batch to the pool.
void node_pools::hand_over(magazine& from, pool_place place) noexcept {
  if (from.full != nullptr) pool_at(place).return_batch(from.full);
  from = {nullptr, from.active};
}

void node_pools::empty(magazine* magazines) noexcept {
  for (pool_place place = 0; place < places(); ++place) {
    magazine& one = magazines[place];
    if (one.full != nullptr) pool_at(place).return_batch(one.full);
    if (one.active != nullptr) pool_at(place).return_chain(one.active);
    one = {};
  }
}

void node_pools::give_back() noexcept {
  if (magazine* const own = pool_threads::own_magazines(*this)) empty(own);
  for (std::uint32_t node = 0; node < node_count_; ++node) {
    for (class_pool& pool : nodes_[node].classes) pool.sort();
    nodes_[node].supply.give_back_reserve();
  }
}

std::vector<node_pool_facts> node_pools::facts() const {
  std::vector<node_pool_facts> all;
  for (std::uint32_t node = 0; node < node_count_; ++node) all.push_back(nodes_[node].supply.facts());
  return all;
}

magazine* node_pools::lend_magazines() {
  const std::lock_guard guard(lending_);
  if (!idle_magazines_.empty()) {
    magazine* const again = idle_magazines_.back();
    idle_magazines_.pop_back();
    return again;
  }
  idle_magazines_.reserve(magazines_.size() + 1);  // so that retire() needs no memory
  return magazines_.emplace_back(std::make_unique<magazine[]>(places())).get();
}

void node_pools::retire(magazine* magazines) noexcept {
  empty(magazines);
  const std::lock_guard guard(lending_);
  idle_magazines_.push_back(magazines);
}

void node_pools::check(node_id node, std::size_t bytes, std::size_t alignment) const {
  if (index_of_id(node) >= node_count_)
    throw error("per-node pools: there is no memory node " + std::to_string(index_of_id(node)) + ": the machine has " +
                std::to_string(node_count_) + ", counted from 0");
  if (!serves(bytes, alignment))
    throw error("per-node pools: " + std::to_string(bytes) + " bytes aligned to " + std::to_string(alignment) +
                " are not for pools: ask for at most " + std::to_string(largest_block_bytes) +
                " bytes and an alignment that is a power of two up to that, and map larger blocks");
}

template <class F>
void node_pools::each_lock(F f) noexcept {
  f(lending_);
  for (std::uint32_t node = 0; node < node_count_; ++node)
    for (class_pool& pool : nodes_[node].classes) f(pool.lock());
  for (std::uint32_t node = 0; node < node_count_; ++node) f(nodes_[node].supply.lock());
}

void node_pools::lock_all() noexcept {
  each_lock([](pool_lock& one) { one.lock(); });
}
void node_pools::unlock_all() noexcept {
  each_lock([](pool_lock& one) { one.unlock(); });
}

}  // namespace nearfork
