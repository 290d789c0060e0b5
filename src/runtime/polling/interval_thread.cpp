#include "runtime/polling/interval_thread.hpp"

#include <system_error>

namespace nearfork {

void interval_thread::wake() noexcept {
  auto seen = state_.load(seam::memory_order_seq_cst);
  if (seen == absent) {
    if (state_.compare_exchange_strong(seen, starts, seam::memory_order_seq_cst, seam::memory_order_relaxed)) start();
  } else if (seen == rests) {
    if (state_.compare_exchange_strong(seen, acts, seam::memory_order_seq_cst, seam::memory_order_relaxed))
      seam::futex_wake_one(state_);
  }
}

void interval_thread::start() noexcept {
  auto next = acts;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    next = absent;
  }
  std::uint32_t seen = starts;
  (void)state_.compare_exchange_strong(seen, next, seam::memory_order_seq_cst, seam::memory_order_relaxed);
  seam::futex_wake_one(state_);
}

void interval_thread::stop() noexcept {
  state_.store(ends, seam::memory_order_release);
  seam::futex_wake_one(state_);
  if (thread_.joinable()) thread_.join();
}

/// It rests as the watcher of watch_post.hpp leaves: it says so first, and asks whether it is wanted afterwards.
void interval_thread::run() noexcept {
  for (;;) {
    auto seen = state_.load(seam::memory_order_acquire);
    if (seen == ends) return;
    if (seen != acts) {
      seam::futex_wait(state_, seen);
      continue;
    }
    if (const std::uint64_t pause_ns = duty_.act(duty_.of); pause_ns != 0) {
      seam::futex_wait_for(state_, acts, pause_ns);
      continue;
    }
    (void)state_.compare_exchange_strong(seen, rests, seam::memory_order_seq_cst, seam::memory_order_relaxed);
    if (duty_.still_wanted(duty_.of)) wake();
  }
}

}  // namespace nearfork
