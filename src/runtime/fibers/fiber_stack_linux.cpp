#include "runtime/fibers/fiber_stack.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <span>

#include <nearfork/detail/seam.hpp>

#include "runtime/fibers/sanitizers.hpp"

namespace nearfork {
namespace {

using detail::fiber_record_bytes;

/// The most addresses that one slab takes. Where the system refuses them (ulimit -v), a slab has a single span.
constexpr std::size_t slab_bytes = std::size_t{16} << 30;
constexpr std::size_t most_spans_per_slab = 64;

/// Linux 6.13: guard pages without a mapping of their own. Not in Debian 12's headers.
constexpr int madv_guard_install = 102;
/// Each marked page takes a page-table entry. A guard stays within the page table that a deep stack has anyway.
constexpr std::size_t page_table_reach = std::size_t{2} << 20;
constexpr std::size_t least_guard_bytes = std::size_t{64} << 10;

/// Guards between mappings: half of what vm.max_map_count grants by default (65530), at two per fiber.
constexpr std::uint64_t most_mapped_guards = 16'000;
/// Full guards take at most 1/32 of the process's addresses, or of `ulimit -v`: 4 TiB of 47 bits, 4000 fibers.
constexpr std::uint64_t share_for_gaps = 32;
/// Gaps shrink so that at least so many fibers can have one.
constexpr std::size_t least_spans_apart = 64;

/// Sums over all runtimes of the process. Relaxed: they are counts and publish nothing.
constinit detail::seam::atomic<std::uint64_t> mapped_guards{0};
constinit detail::seam::atomic<std::uint64_t> bytes_apart{0};

std::size_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}
std::size_t round_up(std::size_t bytes, std::size_t unit) noexcept {
  return (bytes + unit - 1) / unit * unit;
}
std::size_t round_down(std::size_t bytes, std::size_t unit) noexcept {
  return bytes / unit * unit;
}

std::size_t resident_bytes(std::byte* low, std::size_t pages, std::span<unsigned char> resident) noexcept {
  if (::mincore(low, pages * page_bytes(), resident.data()) != 0) return 0;
  return page_bytes() *
         static_cast<std::size_t>(std::count_if(resident.begin(), resident.begin() + static_cast<std::ptrdiff_t>(pages),
                                                [](unsigned char page) { return (page & 1) != 0; }));
}

/// How much of [low, low + bytes) is in memory; `low` begins a page.
std::size_t touched_bytes(std::byte* low, std::size_t bytes) noexcept {
  std::array<unsigned char, 4096> resident;  // for 16 MiB at a time: the caller's stack may be small
  std::size_t sum = 0;
  for (std::size_t left = round_up(bytes, page_bytes()) / page_bytes(); left > 0;) {
    const std::size_t pages = std::min(left, resident.size());
    sum += resident_bytes(low, pages, resident);
    low += pages * page_bytes();
    left -= pages;
  }
  return sum;
}

/// How many addresses the process may have; 0 under sanitizers: ThreadSanitizer dies of a mapping outside its few
/// ranges.
std::uint64_t addresses() noexcept {
  if (sanitizers::checks_threads() || sanitizers::checks_addresses()) return 0;
  // The system maps from the top of the addresses downward.
  void* const probe = ::mmap(nullptr, page_bytes(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (probe == MAP_FAILED) return 0;
  ::munmap(probe, page_bytes());
  const std::uint64_t all = std::uint64_t{1} << std::bit_width(reinterpret_cast<std::uintptr_t>(probe));
  rlimit allowed{};
  return ::getrlimit(RLIMIT_AS, &allowed) == 0 ? std::min<std::uint64_t>(all, allowed.rlim_cur) : all;
}

/// The gap between spans that stand apart: together with the `own_bytes` that a span leaves, a full guard. Smaller
/// where addresses are few, 0 where they are too few for any gap.
std::size_t gap_for(std::size_t span_bytes, std::size_t own_bytes) noexcept {
  if (own_bytes >= full_guard_bytes) return 0;
  const std::uint64_t most = addresses() / share_for_gaps / least_spans_apart;
  if (most < 2 * span_bytes) return 0;
  return std::min(round_up(full_guard_bytes - own_bytes, span_bytes), round_down(most - span_bytes, span_bytes));
}

}  // namespace

stack_arena::stack_arena(std::size_t stack_bytes)
    : stack_bytes_(round_up(stack_bytes, page_bytes())),
      span_bytes_(std::max(detail::usual_span_bytes,
                           std::bit_ceil(stack_bytes_ + fiber_record_bytes + page_bytes() + least_guard_bytes))),
      gap_bytes_(gap_for(span_bytes_, span_bytes_ - stack_bytes_ - fiber_record_bytes - page_bytes())) {
  if (gap_bytes_ == 0) now_ = guarding::by_span;
}

stack_arena::~stack_arena() {
  for (const slab& one : slabs_) {
    ::munmap(one.reserved, one.reserved_bytes);
    if (one.kind == guarding::full) bytes_apart.fetch_sub(one.reserved_bytes, detail::seam::memory_order_relaxed);
  }
  mapped_guards.fetch_sub(mapped_guards_, detail::seam::memory_order_relaxed);
}

std::size_t stack_arena::pitch() const noexcept {
  return span_bytes_ + (now_ == guarding::full ? gap_bytes_ : 0);
}

bool stack_arena::add_slab() noexcept {
  return reserve(std::clamp(slab_bytes / pitch(), std::size_t{1}, most_spans_per_slab)) || reserve(1);
}

/// Where guards are mappings, the slab is not accessible. open_span() makes each stack usable; what lies below is its
/// guard.
bool stack_arena::reserve(std::size_t spans) noexcept {
  const std::size_t bytes = spans * pitch() + span_bytes_;  // one more, to align
  const bool apart = now_ == guarding::full;
  if (apart && bytes_apart.load(detail::seam::memory_order_relaxed) + bytes > addresses() / share_for_gaps)
    return false;
  void* const got = ::mmap(nullptr, bytes, now_ == guarding::pages ? PROT_READ | PROT_WRITE : PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED) {
    last_errno_ = errno;
    return false;
  }
  // A huge page for each shallow stack would cost 2 MiB where 4 KiB suffice.
  ::madvise(got, bytes, MADV_NOHUGEPAGE);
  const auto aligned = round_up(reinterpret_cast<std::uintptr_t>(got), span_bytes_);
  auto* const first = reinterpret_cast<std::byte*>(aligned) + pitch() - span_bytes_;
  try {
    slabs_.push_back({static_cast<std::byte*>(got), bytes, first, pitch(), spans, now_});
  } catch (...) {
    ::munmap(got, bytes);
    last_errno_ = ENOMEM;
    return false;
  }
  if (apart) bytes_apart.fetch_add(bytes, detail::seam::memory_order_relaxed);
  return true;
}

bool stack_arena::needs_slab() const noexcept {
  return slabs_.empty() || slabs_.back().left == 0 || slabs_.back().kind != now_;
}

/// Makes the next span of `from` usable and guarded.
bool stack_arena::open_span(slab& from, span& made) noexcept {
  std::byte* const start = from.next_span;
  std::byte* const record = start + span_bytes_ - fiber_record_bytes;
  // The record starts in mid-page; the upper end of the stack shares that page.
  auto* const low =
      reinterpret_cast<std::byte*>(round_down(reinterpret_cast<std::uintptr_t>(record - stack_bytes_), page_bytes()));
  const auto below = static_cast<std::size_t>(low - start);
  made.record = record;
  made.stack = {low, record, below + (from.pitch - span_bytes_)};
  if (from.kind != guarding::pages) {
    if (::mprotect(low, static_cast<std::size_t>(start + span_bytes_ - low), PROT_READ | PROT_WRITE) == 0) return true;
    last_errno_ = errno;
    return false;
  }
  const std::uintptr_t least_end = reinterpret_cast<std::uintptr_t>(low) - least_guard_bytes;
  const std::size_t marked =
      std::min(below, reinterpret_cast<std::uintptr_t>(low) - round_down(least_end, page_table_reach));
  made.stack.guard_bytes = ::madvise(low - marked, marked, madv_guard_install) == 0 ? marked : 0;
  return true;
}

void stack_arena::count(const stack_bounds& made, guarding kind) noexcept {
  ++counts_.made;
  if (made.guard_bytes == 0) ++counts_.unguarded;
  else if (made.guard_bytes < full_guard_bytes) ++counts_.small_guard;
  if (kind == guarding::pages) return;
  ++mapped_guards_;
  if (mapped_guards.fetch_add(1, detail::seam::memory_order_relaxed) + 1 >= most_mapped_guards) now_ = guarding::pages;
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
  for (;;) {
    if (needs_slab() && !add_slab()) {
      // Without addresses for spans side by side there are none for a common mapping either.
      if (now_ != guarding::full) return {nullptr, {}, last_errno_};
      now_ = guarding::by_span;
      continue;
    }
    span made;
    slab& from = slabs_.back();
    if (open_span(from, made)) {
      if (!remember(made)) return {nullptr, {}, last_errno_};
      from.next_span += from.pitch;
      --from.left;
      count(made.stack, from.kind);
      return made;
    }
    if (now_ == guarding::pages) return {nullptr, {}, last_errno_};
    now_ = guarding::pages;  // no mapping was left: the system's limit is lower than ours
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

stack_arena::census stack_arena::counts() const noexcept {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace nearfork
