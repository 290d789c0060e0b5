#include "runtime/fibers/fiber_supply.hpp"

#include <memory>
#include <new>

namespace nearfork {

using detail::fiber;

namespace {

/// How many spares a worker keeps to itself, and how many it may leave for others. Spares beyond both go to the common
/// list without their pages: a burst of blocked joins must not hold memory for good. Joins end on other workers than
/// they began on, so spares gather at some workers and are missing at others. Giving pages back each time, and taking
/// them anew, stopped all workers for 100 us in a virtual machine (it interrupts all PUs), in every tenth iteration of
/// a stencil under a plan.
constexpr std::uint32_t own_spares = 8;
constexpr std::uint32_t common_spares_per_worker = 8;

/// The context lies right below the record, so that a shallow fiber touches one page.
constexpr std::size_t context_bytes = (sizeof(detail::fiber_context) + 63) / 64 * 64;

/// Afterwards furnish() can make the fiber ready again.
void take_context(fiber& spare) noexcept {
  release_context(*spare.context);
  std::destroy_at(spare.context);
  spare.context = nullptr;
}

/// Restores what must not be zero in a fiber's record whose pages were given back and read as zero.
void make_whole(fiber& zeroed, std::uint32_t epoch) noexcept {
  zeroed.jobs.owner_reset(epoch);
  zeroed.loose_end = zeroed.jobs.owner_bottom();
  std::construct_at(&zeroed.base);
  std::construct_at(&zeroed.cancelled_forks);
  zeroed.scope = &zeroed.base;
}

}  // namespace

fiber_supply::fiber_supply(const rules& how) : rules_(how), stacks_(how.stack_bytes) {}

fiber_supply::~fiber_supply() {
  for (fiber* const gone : all_)
    if (gone->context != nullptr) take_context(*gone);  // none: its pages were given back
}

fiber* fiber_supply::take(spare_list& own) noexcept {
  if (fiber* const spare = own.pop()) return spare;
  if (fiber* const common = take_common()) return common;
  return make();
}

void fiber_supply::keep(spare_list& own, fiber& spare) noexcept {
  if (own.size() < own_spares) own.push(spare);
  else if (!keep_warm(spare)) keep_cold(spare);
}

fiber* fiber_supply::make() noexcept {
  const stack_arena::span memory = stacks_.allocate();
  if (memory.record == nullptr) return nullptr;
  try {
    const std::lock_guard lock(mutex_);
    all_.push_back(static_cast<fiber*>(memory.record));
    cold_.reserve(all_.size());  // keep_cold() must not fail
  } catch (const std::bad_alloc&) {
    return nullptr;  // the span stays unused until the arena goes
  }
  auto* const made = ::new (memory.record) fiber;
  made->loose_end = made->jobs.owner_bottom();
  if (furnish(*made, memory.stack)) return made;
  const std::lock_guard lock(mutex_);
  cold_.push_back({made, memory.stack, made->jobs.owner_epoch()});
  return nullptr;
}

/// Gives a fiber whose stack is empty its context and its entry.
bool fiber_supply::furnish(fiber& bare, stack_bounds stack) const noexcept {
  auto* const context = ::new (reinterpret_cast<std::byte*>(&bare) - context_bytes) detail::fiber_context;
  context->home = rules_.home;
  context->stack = stack;
  context->stack.high = reinterpret_cast<std::byte*>(context);
  bare.context = context;
  if (prepare_context(*context, rules_.entry, stacks_.span_bytes(), rules_.by)) return true;
  take_context(bare);
  return false;
}

fiber* fiber_supply::take_common() noexcept {
  const std::lock_guard lock(mutex_);
  if (fiber* const warm = warm_.pop()) return warm;
  if (cold_.empty()) return nullptr;
  const cold_spare cold = cold_.back();
  cold_.pop_back();
  // Not constructed anew: a late thief may still look at the deque, which is empty whether reset or zeroed.
  make_whole(*cold.bare, cold.epoch);
  if (furnish(*cold.bare, cold.stack)) return cold.bare;
  cold_.push_back(cold);
  return nullptr;
}

bool fiber_supply::keep_warm(fiber& spare) noexcept {
  const std::lock_guard lock(mutex_);
  if (warm_.size() >= common_spares_per_worker * rules_.workers) return false;
  warm_.push(spare);
  return true;
}

void fiber_supply::keep_cold(fiber& spare) noexcept {
  stack_bounds stack = spare.context->stack;
  stack.high = reinterpret_cast<std::byte*>(&spare);
  take_context(spare);
  const std::uint32_t epoch = spare.jobs.owner_epoch();
  stacks_.drop_pages(&spare, stack);
  const std::lock_guard lock(mutex_);
  cold_.push_back({&spare, stack, epoch});
}

}  // namespace nearfork
