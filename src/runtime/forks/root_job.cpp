#include <nearfork/detail/root_job.hpp>

#include "base/sanitizer_calls.hpp"

namespace nearfork::detail {

void root_job_base::sleep_until_done() noexcept {
  while (signal_.load(seam::memory_order_acquire) == 0) seam::futex_wait(signal_, 0);
  sanitizers::take_over(this);
}

void root_job_base::signal_done() noexcept {
  sanitizers::hand_over(this);
  if (resumes_fiber_) return resume_waiter(finish());
  signal_.store(1, seam::memory_order_release);
  seam::futex_wake_one(signal_);
}

}  // namespace nearfork::detail
