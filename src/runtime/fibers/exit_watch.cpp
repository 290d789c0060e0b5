#include "runtime/fibers/exit_watch.hpp"

#include <cstdint>
#include <cstdlib>

#include <nearfork/detail/fiber.hpp>

#include "base/process_number.hpp"
#include "base/threads/thread_object.hpp"

namespace nearfork {

namespace seam = detail::seam;

namespace {

constinit seam::atomic<bool> ending{false};

void note_end() noexcept {
  ending.store(true, seam::memory_order_relaxed);
}

void note_end_at_exit() noexcept {
  keep_out_second_exit();
  note_end();
}

/// A worker's thread that ends normally has reset inside_worker before its thread_locals are destroyed.
struct exit_sentinel {
  ~exit_sentinel() {
    if (detail::thread_mark()) note_end_at_exit();
  }
};

}  // namespace

void keep_out_second_exit() noexcept {
  static constinit seam::atomic<int> process{0};  // a child made by fork() has an end of its own
  static constinit seam::atomic<const void*> first{nullptr};
  static constinit thread_local char here = 0;
  static constinit seam::atomic<std::uint32_t> never{0};
  // A fiber is a caller, too: it may continue on another thread after a static object's destructor has joined.
  const void* const caller = detail::thread_mark() ? static_cast<const void*>(&detail::this_fiber()) : &here;
  const int now = process_number();
  if (process.exchange(now, seam::memory_order_acq_rel) != now) first.store(caller, seam::memory_order_release);
  while (first.load(seam::memory_order_acquire) != caller) seam::futex_wait(never, 0);
}

bool process_is_ending() noexcept {
  return ending.load(seam::memory_order_relaxed);
}

void watch_for_exit_in_tasks() noexcept {
  (void)thread_object<exit_sentinel>();
}

void expect_end() noexcept {
  constexpr std::uint32_t most = 32;  // as many handlers as every system can hold
  static constinit seam::atomic<std::uint32_t> calls{0};
  if (calls.load(seam::memory_order_relaxed) < most && calls.fetch_add(1, seam::memory_order_relaxed) < most)
    (void)std::atexit(note_end_at_exit);
}

}  // namespace nearfork
