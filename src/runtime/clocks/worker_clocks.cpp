#include "runtime/clocks/worker_clocks.hpp"

#include <new>
#include <utility>

#include "power/last_writes.hpp"

namespace nearfork {

namespace seam = detail::seam;

worker_clocks::worker_clocks(std::unique_ptr<frequency_control> control, std::span<const std::uint32_t> core_of_worker,
                             clock_sharing how)
    : control_(std::move(control)),
      choice_(control_->units(), core_of_worker, how),
      waits_(core_of_worker.size()),
      traced_khz_(control_->units().size(), 0) {
  const no_signals_meanwhile until_started;
  writer_ = std::thread([this] { write_until_stopped(); });
}

void worker_clocks::stop() noexcept {
  if (!writer_.joinable()) return;
  stops_.store(true, seam::memory_order_relaxed);
  news_.fetch_add(1, seam::memory_order_release);
  seam::futex_wake_one(news_);
  writer_.join();
  control_->restore();
}

/// nullopt: no iteration is in progress.
std::optional<clock_step> worker_clocks::wished() const noexcept {
  for (std::size_t step = wishes_.size(); step-- > 0;)
    if (wishes_[step].load(seam::memory_order_relaxed) > 0) return static_cast<clock_step>(step);
  return std::nullopt;
}

void worker_clocks::take_step() noexcept {
  std::optional<clock_step> now = wished();
  if (!now && step_ != normal_step) {
    std::this_thread::sleep_for(linger);
    now = wished();
  }
  step_ = now.value_or(normal_step);
}

/// Without memory the clocks stay as they are; it is tried again.
void worker_clocks::write_clocks() noexcept {
  try {
    control_->set(choice_.clocks(
        [this](std::uint32_t worker) { return waits_[worker].load(seam::memory_order_relaxed); }, step_));
  } catch (const std::bad_alloc&) {
    news_.fetch_add(1, seam::memory_order_release);
  }
}

void worker_clocks::trace_changes() noexcept {
  traces::trace_rings* const rings = rings_.load(seam::memory_order_acquire);
  if (rings == nullptr) return;
  for (std::size_t i = 0; i < traced_khz_.size(); ++i) {
    const std::uint32_t khz = control_->khz_of(control_->units()[i]);
    if (khz != std::exchange(traced_khz_[i], khz)) rings->count(counters_[i], khz / 1000.0);
  }
}

void worker_clocks::write_until_stopped() noexcept {
  for (std::uint32_t known = 0;;) {
    seam::futex_wait(news_, known);
    const std::uint32_t now = news_.load(seam::memory_order_acquire);
    if (stops_.load(seam::memory_order_relaxed)) return;
    if (now == known) continue;
    known = now;
    take_step();
    write_clocks();
    trace_changes();
    std::this_thread::sleep_for(hold);
  }
}

}  // namespace nearfork
