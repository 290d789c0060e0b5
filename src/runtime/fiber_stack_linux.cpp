#include "runtime/fiber_stack.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

namespace nearfork {
namespace {

using detail::fiber_record_bytes;
using detail::fiber_span_bytes;

/// 1 GiB of address space at a time; where that is refused (ulimit -v), a single span.
constexpr std::size_t spans_per_slab = 64;

/// Linux 6.13: a guard page without a mapping of its own. Not in Debian 12's headers.
constexpr int madv_guard_install = 102;

std::size_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}
std::size_t round_up(std::size_t bytes, std::size_t unit) noexcept { return (bytes + unit - 1) / unit * unit; }

}  // namespace

stack_arena::stack_arena(std::size_t stack_bytes) : stack_bytes_(round_up(stack_bytes, page_bytes())) {}

stack_arena::~stack_arena() {
  for (const slab& one : slabs_) ::munmap(one.reserved, one.reserved_bytes);
}

bool stack_arena::add_slab() noexcept {
  for (const std::size_t spans : {spans_per_slab, std::size_t{1}}) {
    const std::size_t bytes = (spans + 1) * fiber_span_bytes;  // one more, to align
    void* const got = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got == MAP_FAILED) {
      last_errno_ = errno;
      continue;
    }
    // A huge page for each shallow stack would cost 2 MiB where 4 KiB do.
    ::madvise(got, bytes, MADV_NOHUGEPAGE);
    const auto start = reinterpret_cast<std::uintptr_t>(got);
    const auto aligned = round_up(start, fiber_span_bytes);
    try {
      slabs_.push_back({static_cast<std::byte*>(got), bytes, reinterpret_cast<std::byte*>(aligned), spans, 0, false});
    } catch (...) {
      ::munmap(got, bytes);
      last_errno_ = ENOMEM;
      return false;
    }
    return true;
  }
  return false;
}

/// Maps the upper end of the next span of `from`: below it lies the rest of the reservation, a guard of megabytes.
/// When the kernel has no mapping left (vm.max_map_count, 65530 by default, at two per fiber), the whole
/// slab becomes one mapping and a one-page guard is asked for in another way.
bool stack_arena::open_span(slab& from, span& made) noexcept {
  std::byte* const start = from.first_span + from.used * fiber_span_bytes;
  std::byte* const record = start + fiber_span_bytes - fiber_record_bytes;
  // The record starts in mid-page; the stack above shares that page.
  const auto end = start + fiber_span_bytes;
  auto* const low = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(record - stack_bytes_) &
                                                 ~(page_bytes() - 1));
  made.record = record;
  made.stack = {low, record, true};
  if (!from.open) {
    if (::mprotect(low, static_cast<std::size_t>(end - low), PROT_READ | PROT_WRITE) == 0) return true;
    if (errno != ENOMEM || ::mprotect(from.first_span, from.spans * fiber_span_bytes, PROT_READ | PROT_WRITE) != 0) {
      last_errno_ = errno;
      return false;
    }
    from.open = true;
  }
  made.stack.guarded = ::madvise(low - page_bytes(), page_bytes(), madv_guard_install) == 0;
  return true;
}

stack_arena::span stack_arena::allocate() noexcept {
  const std::lock_guard lock(mutex_);
  span made;
  if (slabs_.empty() || slabs_.back().used == slabs_.back().spans) {
    if (!add_slab()) return {nullptr, {}, last_errno_};
  }
  slab& from = slabs_.back();
  if (!open_span(from, made)) return {nullptr, {}, last_errno_};
  ++from.used;
  ++made_;
  if (!made.stack.guarded) ++unguarded_;
  return made;
}

void stack_arena::drop_pages(void* record, const stack_bounds& stack) noexcept {
  auto* const end = static_cast<std::byte*>(record) + fiber_record_bytes;
  ::madvise(stack.low, static_cast<std::size_t>(end - stack.low), MADV_DONTNEED);
}

std::uint64_t stack_arena::made() const noexcept {
  const std::lock_guard lock(mutex_);
  return made_;
}
std::uint64_t stack_arena::unguarded() const noexcept {
  const std::lock_guard lock(mutex_);
  return unguarded_;
}

}  // namespace nearfork
