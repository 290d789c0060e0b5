// Counts how long a thread's core waited for memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "sensors/miss_counter.hpp"

namespace nearfork {

/// Belongs to the thread that opened it. Any thread may read and destroy it.
class stall_counter {
 public:
  stall_counter() = default;
  stall_counter(const stall_counter&) = delete;
  stall_counter& operator=(const stall_counter&) = delete;
  virtual ~stall_counter() = default;

  /// Nanoseconds of the thread's time since it opened the counter: its time times the part of its cycles that stalled,
  /// in user mode. nullopt: nothing was counted yet. Takes about a microsecond.
  [[nodiscard]] virtual std::optional<std::uint64_t> stalled_ns() noexcept = 0;
};

struct stall_opening {
  std::unique_ptr<stall_counter> counter;  // nullptr: refused
  std::string event{};                     // what counts as stalled
  counting_refusal refused{};
};

/// How stalls are counted on a machine. Thread-safety: any thread.
class stall_counting {
 public:
  stall_counting() = default;
  stall_counting(const stall_counting&) = delete;
  stall_counting& operator=(const stall_counting&) = delete;
  virtual ~stall_counting() = default;

  [[nodiscard]] virtual stall_opening open_for_this_thread() const = 0;
};

/// Counts by the hardware of the machine that runs this program. Nothing is tried before the first opening.
[[nodiscard]] std::shared_ptr<const stall_counting> live_stall_counting();

}  // namespace nearfork
