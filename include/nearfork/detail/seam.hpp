// The seam through which every atomic, fence, wait and yield of the runtime goes, so that the real
// headers run under the explorer of tests/model. It lives here and not in src/base because the
// fork path is inlined into users' code.
//
// plain<T> marks data that a protocol hands from thread to thread and that is not atomic. The model checks such data
// for races; in a normal build it is a bare T.
#pragma once

#if defined(NEARFORK_MODEL)
#include "model/seam_model.hpp"
#else
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace nearfork::detail {

/// 128: Intel's spatial prefetcher fetches lines in pairs (Optimization Manual, 2.1.5.4), and
/// Apple's AArch64 cores have 128-byte lines. std::hardware_destructive_interference_size moves with tuning flags.
inline constexpr unsigned cache_line_bytes = 128;

namespace seam {

using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

template <class T>
using atomic = std::atomic<T>;

template <class T>
using plain = T;

/// An array that its constructor does not write, because zeroing a deque's slots would touch 16 pages of every fiber.
/// The kernel gives the memory zeroed, and each slot is written before it is read.
template <class T, std::size_t N>
union unwritten {
  unwritten() noexcept {}
  ~unwritten() {}
  T items[N];
};

/// Tells the core that this thread spins.
inline void pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("isb");  // `yield` is a no-op on most cores
#endif
}

/// Gives the core to another thread. For spinning that may last longer than a time slice.
void yield() noexcept;

/// A fence between threads of which one side is cheap. What a thread does before light_fence() is seen after a
/// heavy_fence() of another thread; else the thread sees after its light_fence() what the other one did before its
/// heavy_fence(). The light side costs nothing: it keeps the compiler from reordering.
inline void light_fence() noexcept {
  std::atomic_signal_fence(std::memory_order_seq_cst);
}
/// The heavy side takes about 1 us for each thread that runs. False: the system refuses it; nothing was done.
[[nodiscard]] bool heavy_fence() noexcept;
/// Call it once before the threads start: later it may take milliseconds. Returns 0, or the error number.
[[nodiscard]] int prepare_heavy_fence() noexcept;

/// Blocks while `word == expected`, or returns at once; may return spuriously.
void futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected) noexcept;
/// The same, for this long at most; on time, without the timer slack of the thread.
void futex_wait_for(atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t most_ns) noexcept;
void futex_wake_one(atomic<std::uint32_t>& word) noexcept;
void futex_wake_all(atomic<std::uint32_t>& word) noexcept;

}  // namespace seam
}  // namespace nearfork::detail
#endif
