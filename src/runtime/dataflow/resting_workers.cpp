// The part of a graph's engine that holds workers back whose help makes the graph slower (help_trial.hpp).
#include <chrono>
#include <cstdint>

#include "runtime/dataflow/dataflow_engine.hpp"

namespace nearfork::detail {

namespace {

std::uint64_t steady_ns() noexcept {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

}  // namespace

bool dataflow_engine::is_hindrance(help_trial& helps) const noexcept {
  return helps.holds_still(steady_ns(), steps_.load(seam::memory_order_relaxed));
}

/// Under the lock. False: nobody else would run tasks.
bool dataflow_engine::begin_rest() noexcept {
  if (frame_waits_ && running_calls() == 1) return false;
  ++resting_;
  return true;
}

/// [W1] The worker looks soon: when the others are slow, and when nobody else runs tasks.
void dataflow_engine::rest(help_trial& helps) noexcept {
  constexpr int pauses_of_a_look = 16;
  constexpr std::uint64_t nap_ns = 20'000;
  while (end_of_rest_.load(seam::memory_order_relaxed) == 0 && !has_mail_to_read()) {
    // A nap is longer than a trial; but who spins takes from the other thread of its core.
    if (helps.is_sure()) seam::futex_wait_for(end_of_rest_, 0, nap_ns);
    else
      for (int i = 0; i < pauses_of_a_look; ++i) seam::pause();
    const std::uint64_t now_ns = steady_ns();
    if (helps.has_held(now_ns) && helps.helps_again(now_ns, steps_.load(seam::memory_order_relaxed))) break;
  }
  const locked now(*this);
  --resting_;
  end_of_rest_.store(0, seam::memory_order_relaxed);
}

/// Under the lock. Those that neither are in a pool nor rest.
std::uint32_t dataflow_engine::running_calls() const noexcept {
  return calls_ - (call_waits_ ? 1 : 0) - resting_;
}

/// Under the lock, when a worker or the frame that waits has stopped. True: wake who rests, without the lock. A worker
/// in rest() is a call, so the graph is still there.
bool dataflow_engine::end_rests() noexcept {
  if (resting_ == 0 || !frame_waits_ || running_calls() != 0) return false;
  end_of_rest_.store(1, seam::memory_order_relaxed);
  return true;
}

}  // namespace nearfork::detail
