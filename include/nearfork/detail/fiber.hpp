// A fiber: a stack that can be suspended, and the deque of the frames on it.
//
// Fork and join find their fiber by the stack pointer: a fiber's memory is a span aligned to its own
// size, the stack grows down from the record below. So no thread_local is read that a compiler could
// keep across a call during which the fiber moves to another thread, and the address costs two
// instructions.
//
//   span start            [ never mapped: guard ][ stack, growing down ][ fiber record with deque ] span end
//
// Usual spans have one size, a constant in the code of a fork. Runtimes with larger stacks have larger spans: their workers'
// threads say so, by the byte that tells them from outside threads, so that a fork has no more to look at.
#pragma once

#include <cstddef>
#include <cstdint>

#include <nearfork/detail/cancel_scope.hpp>
#include <nearfork/detail/deque.hpp>

namespace nearfork {
class task_group;
}

namespace nearfork::detail {

struct worker;
struct fiber_context;
struct tree_cursor;

/// Address space, not memory: enough for config::stack_bytes of up to 15 MiB. 47 bits hold 8 million of them.
inline constexpr std::size_t usual_span_bytes = std::size_t{16} << 20;
/// Deeper nests on one fiber run in place. Lace, OpenCilk and Fibril overrun here; UTS T3 is 1572 deep.
inline constexpr std::uint32_t deque_capacity = 8000;

using deque = basic_deque<deque_capacity>;

/// Room for one small task of a group. Each slot of a deque has one, free when the slot is: so a spawn allocates nothing.
struct alignas(64) task_cell {
  std::byte bytes[64];
};

/// Where a stolen job lay.
struct deque_place {
  fiber* owner = nullptr;
  std::uint32_t index = 0;
};

struct alignas(cache_line_bytes) fiber {
  worker* runner = nullptr;              // who runs this fiber now; written by the one who switches to it
  tree_cursor* cursor = nullptr;         // set while the tasks on this fiber are above the plan's subtree roots
  tree_cursor* on_the_clock = nullptr;   // the task whose own time and misses are being measured here
  task_group* youngest_group = nullptr;  // of the groups with jobs in this deque
  fiber_context* context = nullptr;      // saved registers, stack bounds, sanitizer and exception state
  cancel_scope* scope = &base;           // the innermost that is open here
  cancel_scope* family = nullptr;  // what a failure of the job that this fiber began with cancels, if it is no fork's
  deque_place stolen_from;         // of that job, until it has entered its scope
  fork_cancellation cancelled_forks;
  bool shielded = false;  // an exception that cancels unwinds this fiber
  cancel_scope base;      // of the job that this fiber began with; the others are linked from it
  deque jobs;             // its slots and the cells reach over many pages, of which few are touched
  task_cell cells[deque_capacity];

  [[nodiscard]] task_cell& cell_of(slot* position) noexcept { return cells[jobs.owner_index(position)]; }
};

/// The record starts in the middle of a page: a shallow fiber touches one page for stack, record and slots.
inline constexpr std::size_t fiber_record_bytes = (std::size_t{564} << 10) + 2048;
static_assert(sizeof(fiber) <= fiber_record_bytes);

[[nodiscard]] inline std::uintptr_t stack_pointer() noexcept {
  std::uintptr_t sp;
#if defined(__x86_64__)
  __asm__("mov %%rsp, %0" : "=r"(sp));
#elif defined(__aarch64__)
  __asm__("mov %0, sp" : "=r"(sp));
#else
#error "nearfork runs on x86-64 and AArch64"
#endif
  return sp;
}

/// What a thread is.
enum worker_mark : std::uint8_t { outside = 0, usual_spans = 1, large_spans = 2 };

/// Not `outside` on workers' threads. A compiler may keep its address across a migration: harmless, since
/// it is the same on every thread that a fiber can be on.
extern constinit thread_local std::uint8_t inside_worker __attribute__((tls_model("initial-exec")));
/// Span size less one, where inside_worker is large_spans.
extern constinit thread_local std::uintptr_t large_span_mask __attribute__((tls_model("initial-exec")));

[[nodiscard]] inline fiber& fiber_at_end_of(std::uintptr_t last_byte_of_span) noexcept {
  return *reinterpret_cast<fiber*>(last_byte_of_span + 1 - fiber_record_bytes);
}

/// The fiber that runs here; only inside a worker (see inside_worker). A mask that is loaded costs 1.5 ns a fork under clang,
/// an expected branch on the byte that fork_join looks at anyway nothing (docs/design/0001-spawn-cost.md).
[[nodiscard]] inline __attribute__((always_inline)) fiber& this_fiber() noexcept {
  if (inside_worker != usual_spans) [[unlikely]] {
    std::uintptr_t mask = large_span_mask;
    __asm__("" : "+r"(mask));  // a branch, no conditional move that waits for the load
    return fiber_at_end_of(stack_pointer() | mask);
  }
  return fiber_at_end_of(stack_pointer() | (usual_span_bytes - 1));
}

}  // namespace nearfork::detail
