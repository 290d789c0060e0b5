#include "memory/pools/node_pools_class.hpp"

#include <algorithm>
#include <mutex>

namespace nearfork {

void class_pool::open(span_supply& supply, std::uint64_t pools, pool_place place) noexcept {
  supply_ = &supply;
  pools_ = pools;
  place_ = place;
  batch_ = batch_blocks(class_of_place(place));
  most_unsorted_ = static_cast<std::uint32_t>(span_bytes / (batch_ * block_bytes(class_of_place(place))));
}

block_chain class_pool::take() noexcept {
  const std::lock_guard guard(lock_);
  const std::size_t own = own_shelf();
  for (std::size_t i = 0; i < shelves; ++i) {
    const std::size_t shelf = (own + i) % shelves;
    pool_block* const first = ready_on(shelf);
    if (first == nullptr) continue;
    ready_[shelf] = first->next_batch;
    return {first, batch_};
  }
  return take_from_spans();
}

/// The calling thread's shelf. Threads get shelves in turn when they first go to a pool. Any number is right, also
/// after the thread's other locals are destroyed.
std::size_t class_pool::own_shelf() noexcept {
  static constinit detail::seam::atomic<std::size_t> threads{0};
  static constinit thread_local std::size_t own = shelves;  // not chosen yet
  // Relaxed: threads only need to take turns.
  if (own == shelves) own = threads.fetch_add(1, detail::seam::memory_order_relaxed) % shelves;
  return own;
}

pool_block* class_pool::ready_on(std::size_t shelf) noexcept {
  if (ready_[shelf] == nullptr) ready_[shelf] = returned_[shelf].batches.take_all();
  return ready_[shelf];
}

block_chain class_pool::take_from_spans() noexcept {
  block_chain made;
  pool_block** end = &made.first;
  while (made.blocks < batch_) {
    pool_span* const span = spans_.front();
    if (span == nullptr || !span->has_room()) {
      if (made.blocks > 0 || !add_span()) break;  // a short batch is better than a new span
      continue;
    }
    *end = span->take();
    end = &(*end)->next;
    ++made.blocks;
    if (span->has_room()) continue;
    spans_.remove(*span);
    spans_.push_back(*span);
  }
  *end = nullptr;
  return made;
}

bool class_pool::add_span() noexcept {
  void* const start = supply_->take();
  if (start == nullptr) return false;
  spans_.push_front(pool_span::open(start, pools_, place_));
  return true;
}

void class_pool::return_batch(pool_block* first) noexcept {
  if (returned_[own_shelf()].batches.push(first) >= most_unsorted_) sort();
}

void class_pool::return_chain(pool_block* first) noexcept {
  const std::lock_guard guard(lock_);
  while (first != nullptr) {
    pool_block* const next = first->next;
    put_back(first);
    first = next;
  }
}

void class_pool::sort() noexcept {
  const std::lock_guard guard(lock_);
  sort_locked();
}

void class_pool::sort_locked() noexcept {
  for (std::size_t shelf = 0; shelf < shelves; ++shelf) {
    put_back_batches(ready_[shelf]);
    ready_[shelf] = nullptr;
    put_back_batches(returned_[shelf].batches.take_all());
  }
}

void class_pool::put_back_batches(pool_block* batch) noexcept {
  while (batch != nullptr) {
    pool_block* const next_batch = batch->next_batch;
    pool_block* block = batch;
    for (std::uint32_t left = batch_; left > 0; --left) {
      pool_block* const next = block->next;
      put_back(block);
      block = next;
    }
    batch = next_batch;
  }
}

void class_pool::put_back(pool_block* block) noexcept {
  pool_span& span = pool_span::of(block);
  const bool was_full = !span.has_room();
  span.put_back(block);
  if (!was_full && !span.is_unused()) return;
  spans_.remove(span);
  if (span.is_unused()) supply_->put_back(span.start());
  else spans_.push_front(span);
}

void class_pool::close() noexcept {
  const std::lock_guard guard(lock_);
  ready_ = {};
  for (returns& one : returned_) (void)one.batches.take_all();
  while (pool_span* const span = spans_.front()) {
    spans_.remove(*span);
    supply_->put_back(span->start());
  }
}

}  // namespace nearfork
