#include "runtime/malloc/malloced_blocks.hpp"

#include <new>
#include <optional>

#include <nearfork/detail/fiber.hpp>
#include <nearfork/detail/malloc_offer.hpp>
#include <nearfork/detail/memory.hpp>

#include "memory/placed/placed_memory.hpp"
#include "memory/system/own_allocations.hpp"
#include "runtime/malloc/malloc_library.hpp"

namespace nearfork {
namespace {

constexpr detail::malloc_offer offered{
    .version = detail::malloc_offer_version,
    .allocate = [](std::size_t bytes, std::size_t alignment,
                   detail::malloc_wish wish) noexcept { return malloced.allocate(bytes, alignment, wish); },
    .free = [](void* begin) noexcept { return malloced.free(begin); },
    .usable = [](const void* begin) noexcept { return malloced_blocks::usable(begin); },
};
static_assert(block_registry::chunk_bytes == detail::malloc_block_alignment);

/// Before main() and before the program's own static objects, whose blocks are to be placed, too.
[[gnu::constructor(101)]] void offer_at_start() {
  if (!has_malloc_library()) return;
  try {
    malloced.offer(config::from_environment());
  } catch (...) {
    return;  // wrong settings: the first runtime of the process says so
  }
}

/// The placed block that begins there.
std::optional<found_block> block_at(const void* begin) noexcept {
  const auto found = process_memory().find(begin);
  return found && found->begin == reinterpret_cast<std::uintptr_t>(begin) ? found : std::nullopt;
}

}  // namespace

constinit malloced_blocks malloced;

void malloced_blocks::offer(const config& settings) noexcept {
  if (!has_malloc_library()) return;
  const own_allocations here;
  try {
    (void)process_memory();  // made now: a child of fork() must not wait for a thread that was making it
  } catch (...) {
    return;  // the system has no memory for the handlers of fork()
  }
  which_.store(settings.malloc_blocks, seam::memory_order_relaxed);
  const bool taken = give_to_malloc_library(offered, settings.malloc_from);
  of_another_.store(!taken, seam::memory_order_relaxed);
  placed_.store(taken, seam::memory_order_relaxed);
}

malloced_totals malloced_blocks::totals() const noexcept {
  return {.blocks = blocks_.load(seam::memory_order_relaxed),
          .bytes = bytes_.load(seam::memory_order_relaxed),
          .refused = refused_.load(seam::memory_order_relaxed)};
}

bool malloced_blocks::wants_block(detail::malloc_wish wish) const noexcept {
  if (own_allocations::are_here()) return false;
  return wish == detail::malloc_wish::grown || which_.load(seam::memory_order_relaxed) == placed_mallocs::all ||
         phase_.is_on(detail::thread_mark() != detail::outside);
}

void malloced_blocks::know(const machine& where) noexcept {
  const own_allocations here;
  try {
    (void)process_memory().is_of(where);
  } catch (...) {
    return;  // no pages are kept
  }
}

/// Zeros come from new pages, which calloc leaves untouched: to clear kept ones took 16 ms for 64 MiB.
void* malloced_blocks::allocate(std::size_t bytes, std::size_t alignment, detail::malloc_wish wish) noexcept {
  if (!wants_block(wish)) return nullptr;
  const own_allocations here;
  if (living_.fetch_add(1, seam::memory_order_relaxed) >= most_living) return refuse();
  // Nobody asked for it in the source, so strict mode does not make malloc fail.
  const contentment content(true);
  try {
    void* const made =
        wish == detail::malloc_wish::zeroed
            ? process_memory().allocate(bytes, alignment, {})
            : detail::allocate_memory(bytes, alignment, memory_options{}, detail::block_kind::placed).begin;
    blocks_.fetch_add(1, seam::memory_order_relaxed);
    bytes_.fetch_add(bytes, seam::memory_order_relaxed);
    return made;
  } catch (...) {
    return refuse();
  }
}

void* malloced_blocks::refuse() noexcept {
  living_.fetch_sub(1, seam::memory_order_relaxed);
  refused_.fetch_add(1, seam::memory_order_relaxed);
  return nullptr;
}

bool malloced_blocks::free(void* begin) noexcept {
  if (!block_at(begin)) return false;
  if (own_allocations::are_here()) {
    free_later(begin);
    return true;
  }
  const own_allocations here;
  give_back(begin);
  if (delayed_.load(seam::memory_order_relaxed) != nullptr) free_delayed();
  return true;
}

void malloced_blocks::give_back(void* begin) noexcept {
  if (process_memory().free(begin, placed_memory::unknown_nodes::take_for_many))
    living_.fetch_sub(1, seam::memory_order_relaxed);
}

std::size_t malloced_blocks::usable(const void* begin) noexcept {
  const auto found = block_at(begin);
  return found ? found->end - found->begin : 0;
}

/// This thread may hold the lock of placed memory: in a handler of fork(), or because nearfork frees there what the
/// program gave it.
void malloced_blocks::free_later(void* begin) noexcept {
  auto* const mine = new (begin) delayed_block{delayed_.load(seam::memory_order_relaxed)};
  while (!delayed_.compare_exchange_weak(mine->following, mine,
                                         seam::memory_order_release,  // pairs with free_delayed()
                                         seam::memory_order_relaxed)) {
  }
}

void malloced_blocks::free_delayed() noexcept {
  delayed_block* one = delayed_.exchange(nullptr, seam::memory_order_acquire);
  while (one != nullptr) {
    void* const begin = one;
    one = one->following;
    give_back(begin);
  }
}

}  // namespace nearfork
