// A fiber: a stack that can be suspended, and the deque of the frames on it.
//
// Fork and join find their fiber by the stack pointer. A fiber's memory is a span that is aligned to its own size; the
// record is at its end, and the stack grows down from there. The address of the record costs two instructions. No
// thread_local is needed, which a compiler could keep across a call in which the fiber moves to another thread.
//
//   span start            [ never mapped: guard ][ stack, growing down ][ fiber record with deque ] span end
//
// Usual spans have one size, a constant in the code of a fork. Runtimes with larger stacks have larger spans. A byte of
// the worker's thread says so. It is the byte that tells workers from outside threads, so a fork looks at nothing more.
#pragma once

#include <cstddef>
#include <cstdint>

#include <nearfork/detail/cancel_scope.hpp>
#include <nearfork/detail/deque.hpp>
#include <nearfork/detail/language.hpp>
#include <nearfork/detail/tasks/group_account.hpp>

namespace nearfork::detail {

struct worker;
struct fiber_context;
struct task_clock;
struct tree_cursor;

/// Address space, not memory: enough for config::stack_bytes of up to 15 MiB. 47 bits hold 8 million of them.
inline constexpr std::size_t usual_span_bytes = std::size_t{16} << 20;
/// Forks that nest deeper than this on one fiber run in place. Lace, OpenCilk and Fibril overrun here; UTS T3 is 1572
/// deep.
inline constexpr std::uint32_t deque_capacity = 8000;

using deque = basic_deque<deque_capacity>;

/// Room for one small task of a group. Each slot of a deque has a cell, which is free when the slot is. So the spawn of
/// a small task allocates nothing.
struct alignas(64) task_cell {
  std::byte bytes[64];
};
/// The same for a task with more than five words of closure, as one that captures more than five variables: on the heap
/// they took 18 to 40 ns in place of 4 to 7. Only the first slots have one, so that a stack of 15 MiB stays in a usual
/// span.
struct alignas(64) wide_cell {
  std::byte bytes[128];
};
inline constexpr std::uint32_t wide_cells = 2560;

/// The deque and the index that a stolen job was taken from.
struct deque_place {
  fiber* owner = nullptr;
  std::uint32_t index = 0;
};

struct alignas(cache_line_bytes) fiber {
  worker* runner = nullptr;            // the worker that runs this fiber now; written by the worker that switches to it
  tree_cursor* cursor = nullptr;       // set while the tasks on this fiber are above the plan's subtree roots
  task_clock* on_the_clock = nullptr;  // of the task whose own time and misses are being measured here
  fiber_context* context = nullptr;    // saved registers, stack bounds, sanitizer and exception state
  cancel_scope* scope = &base;         // the innermost open scope of this fiber
  cancel_scope* family = nullptr;      // cancelled if this fiber's first job fails and is no fork's
  deque_place stolen_from;             // where this fiber's first job was stolen, until it has entered its scope
  fork_cancellation cancelled_forks;
  bool beyond_deque = false;          // a task runs in place that the deque had no room for
  const void* cell_in_use = nullptr;  // a usual one, and the wide one beside it, although their slot is free
  slot* loose_end = nullptr;          // below it lie the jobs that no frame of this fiber waits for: loose_jobs.hpp
  group_account account;              // of the group whose tasks run at the bottom of this fiber
  cancel_scope base;                  // the scope of this fiber's first job; the other scopes are linked from it
  deque jobs;                         // slots and cells span many pages, of which few are touched
  task_cell cells[deque_capacity];
  wide_cell first_wide[wide_cells];

  /// A plan, a profile or a recording is to see each fork, so none may be left out.
  [[nodiscard]] bool forks_are_seen() const noexcept { return cursor != nullptr || on_the_clock != nullptr; }
  [[nodiscard]] task_cell& cell_of(const slot* position) noexcept { return jobs.owner_beside(cells, position); }
  [[nodiscard]] bool has_wide_cell(const slot* position) const noexcept {
    return position < jobs.position_of(wide_cells);
  }
  [[nodiscard]] wide_cell& wide_cell_of(const slot* position) noexcept {
    return jobs.owner_beside(first_wide, position);
  }
  /// Whether this lies in a cell of either size. Any thread.
  [[nodiscard]] bool has_in_cell(const void* one) const noexcept {
    const auto offset = reinterpret_cast<std::uintptr_t>(one) - reinterpret_cast<std::uintptr_t>(cells);
    return offset < sizeof(cells) + sizeof(first_wide);
  }
  /// Of the same slot as `cell`, which has either size. Another fiber's cell stays what it is: none of this one's.
  [[nodiscard]] const void* usual_cell_beside(const void* cell) const noexcept {
    const auto offset = reinterpret_cast<std::uintptr_t>(cell) - reinterpret_cast<std::uintptr_t>(first_wide);
    return offset < sizeof(first_wide) ? &cells[offset / sizeof(wide_cell)] : cell;
  }
};

/// Chosen so that the record starts in the middle of a page: a shallow fiber touches one page for stack, record and
/// slots.
inline constexpr std::size_t fiber_record_bytes = (std::size_t{884} << 10) + 2048;
static_assert(sizeof(fiber) <= fiber_record_bytes);

[[nodiscard]] inline std::uintptr_t stack_pointer() noexcept {
  std::uintptr_t sp;
#if defined(__x86_64__)
  __asm__("mov {%%rsp, %0|%0, rsp}" : "=r"(sp));  // either dialect: -masm=intel
#elif defined(__aarch64__)
  __asm__("mov %0, sp" : "=r"(sp));
#else
#error "nearfork runs on x86-64 and AArch64"
#endif
  return sp;
}

/// What kind of thread this is: an outside thread, or a worker whose fibers have usual or large spans.
enum worker_mark : std::uint8_t { outside = 0, usual_spans = 1, large_spans = 2 };

/// The worker_mark of this thread, and the span size less one on a worker's thread. Read them by thread_mark() and
/// span_mask().
extern constinit thread_local std::uint8_t inside_worker __attribute__((__tls_model__("initial-exec")));
extern constinit thread_local std::uintptr_t large_span_mask __attribute__((__tls_model__("initial-exec")));

/// For code that must not read the variables itself.
[[nodiscard]] std::uint8_t thread_mark_by_call() noexcept;
[[nodiscard]] std::uintptr_t span_mask_by_call() noexcept;

/// The worker_mark of this thread. A fiber may migrate from a thread that is a worker's for a short time only: that of
/// a deputy, whose mark changes, and which may end. So a compiler must not keep the variable's address across a
/// migration. On x86-64 it reads the variable relative to a segment register, and so has no address to keep. Code for
/// sanitizers has.
[[nodiscard]] inline __attribute__((__always_inline__)) std::uint8_t thread_mark() noexcept {
#if NEARFORK_SANITIZED
  return thread_mark_by_call();
#elif defined(__aarch64__)
  const std::uint8_t* thread;
  std::uintptr_t offset;  // the same for all threads
  __asm__(
      "adrp %0, :gottprel:_ZN8nearfork6detail13inside_workerE\n\t"
      "ldr %0, [%0, :gottprel_lo12:_ZN8nearfork6detail13inside_workerE]"
      : "=r"(offset));
  __asm__ volatile("mrs %0, tpidr_el0" : "=r"(thread));  // volatile: read anew each time
  return thread[offset];
#else
  return inside_worker;
#endif
}

[[nodiscard]] inline __attribute__((__always_inline__)) std::uintptr_t span_mask() noexcept {
#if NEARFORK_SANITIZED || defined(__aarch64__)
  return span_mask_by_call();
#else
  return large_span_mask;
#endif
}

/// Tells the calling thread, which is outside workers, from all others that live.
[[nodiscard]] inline const void* this_thread_address() noexcept {
  const void* thread;
#if defined(__aarch64__)
  __asm__ volatile("mrs %0, tpidr_el0" : "=r"(thread));
#else
  __asm__ volatile("mov {%%fs:0, %0|%0, fs:[0]}" : "=r"(thread));
#endif
  return thread;
}

[[nodiscard]] inline fiber& fiber_at_end_of(std::uintptr_t last_byte_of_span) noexcept {
  return *reinterpret_cast<fiber*>(last_byte_of_span + 1 - fiber_record_bytes);
}

/// The calling fiber, if its span has the usual size.
[[nodiscard]] inline __attribute__((__always_inline__)) fiber& fiber_of_usual_span() noexcept {
  return fiber_at_end_of(stack_pointer() | (usual_span_bytes - 1));
}

/// The calling fiber. Only inside a worker (see thread_mark()). Loading a mask would cost 1.5 ns per fork under clang;
/// an expected branch on the byte that fork_join() reads anyway costs nothing (docs/design/0001-spawn-cost.md).
[[nodiscard]] inline __attribute__((__always_inline__)) fiber& this_fiber() noexcept {
  if (thread_mark() != usual_spans) [[unlikely]] {
    std::uintptr_t mask = span_mask();
    __asm__("" : "+r"(mask));  // forces a branch: a conditional move would wait for the load
    return fiber_at_end_of(stack_pointer() | mask);
  }
  return fiber_of_usual_span();
}

}  // namespace nearfork::detail
