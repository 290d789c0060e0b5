// How long a worker's thread has stalled on memory, where that is counted.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include <nearfork/detail/seam.hpp>

#include "sensors/stalls/stall_counter.hpp"

namespace nearfork::detail {

class worker_stalls {
 public:
  /// By the worker's own thread, before its first task. `counter`: nullptr if nothing is counted. `name`: of the
  /// counter in the trace.
  void begin(std::unique_ptr<stall_counter> counter, std::uint16_t name) noexcept {
    counter_ = std::move(counter);
    name_ = name;
  }
  /// By the worker's own thread. nullopt: nothing is counted.
  [[nodiscard]] std::optional<std::uint64_t> read_ns() noexcept {
    if (counter_ == nullptr) return std::nullopt;
    const std::optional<std::uint64_t> now = counter_->stalled_ns();
    if (now) last_ns_.store(*now + 1, seam::memory_order_relaxed);
    return now;
  }
  [[nodiscard]] std::uint16_t name() const noexcept { return name_; }
  /// What was read last. Any thread.
  [[nodiscard]] std::optional<std::uint64_t> approx_ns() const noexcept {
    const std::uint64_t last = last_ns_.load(seam::memory_order_relaxed);
    return last == 0 ? std::nullopt : std::optional(last - 1);
  }

 private:
  std::unique_ptr<stall_counter> counter_;
  std::uint16_t name_ = 0;
  seam::atomic<std::uint64_t> last_ns_{0};  // and 1; 0: nothing was read. Relaxed: a number by itself
};

}  // namespace nearfork::detail
