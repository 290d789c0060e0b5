#include "runtime/fiber_stack.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace nearfork {
namespace {

using detail::fiber_record_bytes;
using detail::fiber_span_bytes;

/// 1 GiB of address space at a time; where that is refused (ulimit -v), a single span.
constexpr std::size_t spans_per_slab = 64;

/// Linux 6.13: guard pages without a mapping of their own. Not in Debian 12's headers.
constexpr int madv_guard_install = 102;
/// Frames larger than this step over an installed guard; below it lies the rest of the fiber's own span.
constexpr std::size_t installed_guard_bytes = std::size_t{64} << 10;

/// Older kernels: a guard is a mapping. Half of what vm.max_map_count grants by default (65530), at two per fiber;
/// beyond it stacks have no guard, which the run report counts.
constexpr std::uint64_t most_mapped_guards = 16'000;

std::size_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}
std::size_t round_up(std::size_t bytes, std::size_t unit) noexcept { return (bytes + unit - 1) / unit * unit; }

/// How much of [low, low + bytes) is in memory; `low` begins a page.
std::size_t touched_bytes(std::byte* low, std::size_t bytes) noexcept {
  std::array<unsigned char, 4096> resident;  // of up to 16 MiB: a span
  const std::size_t pages = std::min(round_up(bytes, page_bytes()) / page_bytes(), resident.size());
  if (::mincore(low, pages * page_bytes(), resident.data()) != 0) return 0;
  return page_bytes() * static_cast<std::size_t>(std::count_if(
                            resident.begin(), resident.begin() + static_cast<std::ptrdiff_t>(pages),
                            [](unsigned char page) { return (page & 1) != 0; }));
}

/// Asked once per runtime, of a page of its own.
bool guards_installable() noexcept {
  void* const probe = ::mmap(nullptr, page_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (probe == MAP_FAILED) return false;
  const bool yes = ::madvise(probe, page_bytes(), madv_guard_install) == 0;
  ::munmap(probe, page_bytes());
  return yes;
}

}  // namespace

stack_arena::stack_arena(std::size_t stack_bytes) : stack_bytes_(round_up(stack_bytes, page_bytes())) {}

stack_arena::~stack_arena() {
  for (const slab& one : slabs_) ::munmap(one.reserved, one.reserved_bytes);
}

/// An open slab is one mapping for all its spans; in a closed one each span's upper end is mapped by itself, and what
/// lies below it is the guard.
bool stack_arena::add_slab(bool open) noexcept {
  for (const std::size_t spans : {spans_per_slab, std::size_t{1}}) {
    const std::size_t bytes = (spans + 1) * fiber_span_bytes;  // one more, to align
    void* const got = ::mmap(nullptr, bytes, open ? PROT_READ | PROT_WRITE : PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got == MAP_FAILED) {
      last_errno_ = errno;
      continue;
    }
    // A huge page for each shallow stack would cost 2 MiB where 4 KiB do.
    ::madvise(got, bytes, MADV_NOHUGEPAGE);
    const auto aligned = round_up(reinterpret_cast<std::uintptr_t>(got), fiber_span_bytes);
    try {
      slabs_.push_back({static_cast<std::byte*>(got), bytes, reinterpret_cast<std::byte*>(aligned), spans, 0, open});
    } catch (...) {
      ::munmap(got, bytes);
      last_errno_ = ENOMEM;
      return false;
    }
    return true;
  }
  return false;
}

bool stack_arena::needs_slab() const noexcept {
  return slabs_.empty() || slabs_.back().used == slabs_.back().spans || (must_open_ && !slabs_.back().open);
}

/// Makes the next span of `from` usable and guarded.
bool stack_arena::open_span(slab& from, span& made) noexcept {
  std::byte* const start = from.first_span + from.used * fiber_span_bytes;
  std::byte* const record = start + fiber_span_bytes - fiber_record_bytes;
  // The record starts in mid-page; the stack above shares that page.
  auto* const low = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(record - stack_bytes_) & ~(page_bytes() - 1));
  made.record = record;
  made.stack = {low, record, true};
  if (!from.open) {
    if (::mprotect(low, static_cast<std::size_t>(start + fiber_span_bytes - low), PROT_READ | PROT_WRITE) == 0) return true;
    last_errno_ = errno;
    return false;
  }
  made.stack.guarded = ::madvise(low - installed_guard_bytes, installed_guard_bytes, madv_guard_install) == 0;
  return true;
}

bool stack_arena::remember(span& made) noexcept {
  try {
    made.stack.number = static_cast<std::uint32_t>(extents_.size());
    auto* const end = static_cast<std::byte*>(made.record) + fiber_record_bytes;
    extents_.push_back({made.stack.low, static_cast<std::size_t>(end - made.stack.low), 0});
    return true;
  } catch (...) {
    last_errno_ = ENOMEM;
    return false;
  }
}

stack_arena::span stack_arena::allocate() noexcept {
  const std::lock_guard lock(mutex_);
  if (made_ == 0) must_open_ = guards_installable();
  for (;;) {
    if (needs_slab() && !add_slab(must_open_)) return {nullptr, {}, last_errno_};
    span made;
    slab& from = slabs_.back();
    if (open_span(from, made)) {
      if (!remember(made)) return {nullptr, {}, last_errno_};
      ++from.used;
      ++made_;
      if (!made.stack.guarded) ++unguarded_;
      if (made_ >= most_mapped_guards) must_open_ = true;
      return made;
    }
    if (must_open_) return {nullptr, {}, last_errno_};
    must_open_ = true;  // no mapping was left: the system's limit is lower than ours
  }
}

void stack_arena::drop_pages(void* record, const stack_bounds& stack) noexcept {
  auto* const end = static_cast<std::byte*>(record) + fiber_record_bytes;
  const auto bytes = static_cast<std::size_t>(end - stack.low);
  const std::size_t touched = touched_bytes(stack.low, bytes);
  ::madvise(stack.low, bytes, MADV_DONTNEED);
  const std::lock_guard lock(mutex_);
  extents_[stack.number].peak_bytes = std::max(extents_[stack.number].peak_bytes, touched);
}

std::uint64_t stack_arena::peak_bytes() const noexcept {
  const std::lock_guard lock(mutex_);
  std::uint64_t sum = 0;
  for (const extent& one : extents_) sum += std::max(one.peak_bytes, touched_bytes(one.low, one.bytes));
  return sum;
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
