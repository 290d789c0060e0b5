// Sets the clocks of the workers' cores, as they wait and work.
//
// Workers note that they wait or work: one exchange and, where that is news, one wake-up. Only a thread of its own
// writes clocks. It sums up what has happened meanwhile, and writes at most once in a `hold`.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <nearfork/detail/seam.hpp>

#include "power/frequency_control.hpp"
#include "runtime/clocks/clock_choice.hpp"
#include "trace/trace_rings.hpp"

namespace nearfork {

class worker_clocks {
 public:
  worker_clocks(std::unique_ptr<frequency_control> control, std::span<const std::uint32_t> core_of_worker,
                clock_sharing how);
  /// Restores all clocks.
  ~worker_clocks() { stop(); }
  worker_clocks(const worker_clocks&) = delete;
  worker_clocks& operator=(const worker_clocks&) = delete;

  /// Restores all clocks; none is set afterwards.
  void stop() noexcept;
  [[nodiscard]] bool is_stopped() const noexcept { return stops_.load(detail::seam::memory_order_relaxed); }

  /// Called by the worker, or by the deputy in its place.
  void waits(std::uint32_t worker) noexcept { note(worker, true); }
  void works(std::uint32_t worker) noexcept { note(worker, false); }

  /// An iteration whose working cores shall have that step begins, or ends. The highest step wins: no region's goal
  /// slows another region down.
  void begin_at(clock_step step) noexcept { wish(step, 1); }
  void end_at(clock_step step) noexcept { wish(step, -1); }
  [[nodiscard]] clock_step least() const noexcept { return choice_.least(); }

  /// From now on each change is in the trace, which outlives these clocks. `counters`: by unit. Called at most once.
  void trace_to(traces::trace_rings& rings, std::vector<std::string> counters) noexcept {
    counters_ = std::move(counters);
    // Released for the writer, which is to see the rings as they were made, and the names.
    rings_.store(&rings, detail::seam::memory_order_release);
    tell_writer();
  }

  [[nodiscard]] const frequency_control& control() const noexcept { return *control_; }

 private:
  /// A kernel needs 10 to 50 us for a change; workers that wait for shorter than this are not worth one.
  static constexpr std::chrono::microseconds hold{1000};

  /// How long clocks stay as the last iteration had them: the next one mostly has the same.
  static constexpr std::chrono::microseconds linger{10'000};

  void note(std::uint32_t worker, bool now_waits) noexcept {
    // Relaxed, and released by the count below: the writer reads all flags after the count.
    if (waits_[worker].exchange(now_waits, detail::seam::memory_order_relaxed) == now_waits) return;
    tell_writer();
  }
  void wish(clock_step step, std::int32_t change) noexcept {
    wishes_[step].fetch_add(static_cast<std::uint32_t>(change), detail::seam::memory_order_relaxed);
    tell_writer();
  }
  void tell_writer() noexcept {
    news_.fetch_add(1, detail::seam::memory_order_release);
    detail::seam::futex_wake_one(news_);
  }
  [[nodiscard]] std::optional<clock_step> wished() const noexcept;
  void take_step() noexcept;
  void write_until_stopped() noexcept;
  void write_clocks() noexcept;
  void trace_changes() noexcept;

  const std::unique_ptr<frequency_control> control_;
  const clock_choice choice_;
  std::vector<detail::seam::atomic<bool>> waits_;                              // by worker
  std::array<detail::seam::atomic<std::uint32_t>, normal_step + 1> wishes_{};  // iterations in progress, by step
  clock_step step_ = normal_step;                                              // the writer's
  detail::seam::atomic<std::uint32_t> news_{0};
  detail::seam::atomic<bool> stops_{false};
  detail::seam::atomic<traces::trace_rings*> rings_{nullptr};  // nullptr: the runtime is not traced
  std::vector<std::string> counters_;                          // by unit, for the trace
  std::vector<std::uint32_t> traced_khz_;                      // by unit; the writer's
  std::thread writer_;
};

}  // namespace nearfork
