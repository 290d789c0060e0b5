// Where workers get fibers to go on with when a join blocks, and where they leave them.
#include <memory>
#include <new>

#include "runtime/lifetime/scheduler.hpp"
#include "runtime/workers/switching.hpp"

namespace nearfork {
namespace {

/// What a worker keeps to itself, and what it may leave for others. Spares beyond both go to the common list without their
/// pages: a burst of blocked joins shall not hold memory for good. Joins end on other workers than they began on, so spares gather with some
/// workers and are missing with others; giving pages back each time, and taking them anew, stopped all workers for 100 us in a virtual
/// machine (it interrupts all PUs), in every tenth iteration of a stencil under a plan.
constexpr std::uint32_t own_spares = 8;
constexpr std::uint32_t common_spares_per_worker = 8;

/// The context lies right below the record, so that a shallow fiber touches one page.
constexpr std::size_t context_bytes = (sizeof(detail::fiber_context) + 63) / 64 * 64;

}  // namespace

fiber* scheduler::take_spare(worker& self) noexcept {
  if (fiber* const own = self.spares.pop()) return own;
  if (fiber* const common = take_common_spare()) return common;
  return make_fiber();
}

void scheduler::keep_spare(worker& self, fiber& spare) noexcept {
  if (self.spares.size() < own_spares) self.spares.push(spare);
  else if (!keep_warm_in_common(spare)) keep_cold(spare);
}

fiber* scheduler::make_fiber() noexcept {
  const stack_arena::span memory = stacks_.allocate();
  if (memory.record == nullptr) return nullptr;
  try {
    const std::lock_guard lock(spares_mutex_);
    fibers_.push_back(static_cast<fiber*>(memory.record));
    cold_spares_.reserve(fibers_.size());  // keep_cold() must not fail
  } catch (const std::bad_alloc&) {
    return nullptr;  // the span stays unused until the arena goes
  }
  auto* const made = ::new (memory.record) fiber;
  if (furnish(*made, memory.stack)) return made;
  const std::lock_guard lock(spares_mutex_);
  cold_spares_.push_back({made, memory.stack});
  return nullptr;
}

/// Gives a fiber whose stack is empty its context and its entry.
bool scheduler::furnish(fiber& bare, stack_bounds stack) const noexcept {
  auto* const context = ::new (reinterpret_cast<std::byte*>(&bare) - context_bytes) detail::fiber_context;
  context->stack = stack;
  context->stack.high = reinterpret_cast<std::byte*>(context);
  bare.context = context;
  if (prepare_context(*context, &fiber_main, stacks_.span_bytes(), carriers_)) return true;
  take_context(bare);
  return false;
}

/// What is left can be furnished anew.
void scheduler::take_context(fiber& spare) noexcept {
  release_context(*spare.context);
  std::destroy_at(spare.context);
  spare.context = nullptr;
}

/// What is not right once the pages of a fiber's record were given back, and read as zero.
void scheduler::make_whole(fiber& zeroed) noexcept {
  zeroed.jobs.owner_reset();
  std::construct_at(&zeroed.base);
  std::construct_at(&zeroed.cancelled_forks);
  zeroed.scope = &zeroed.base;
}

fiber* scheduler::take_common_spare() noexcept {
  const std::lock_guard lock(spares_mutex_);
  if (fiber* const warm = warm_spares_.pop()) return warm;
  if (cold_spares_.empty()) return nullptr;
  const cold_spare cold = cold_spares_.back();
  cold_spares_.pop_back();
  // Not constructed anew: a late thief may still look at the deque, which is empty whether reset or zeroed.
  make_whole(*cold.bare);
  if (furnish(*cold.bare, cold.stack)) return cold.bare;
  cold_spares_.push_back(cold);
  return nullptr;
}

bool scheduler::keep_warm_in_common(fiber& spare) noexcept {
  const std::lock_guard lock(spares_mutex_);
  if (warm_spares_.size() >= common_spares_per_worker * workers_.size()) return false;
  warm_spares_.push(spare);
  return true;
}

void scheduler::keep_cold(fiber& spare) noexcept {
  stack_bounds stack = spare.context->stack;
  stack.high = reinterpret_cast<std::byte*>(&spare);
  take_context(spare);
  stacks_.drop_pages(&spare, stack);
  const std::lock_guard lock(spares_mutex_);
  cold_spares_.push_back({&spare, stack});
}

}  // namespace nearfork
