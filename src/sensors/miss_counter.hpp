// Counts the misses of the last private cache level, per thread. Misses times the line size are the bytes that a task
// brought in (LAWS, section 4).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace nearfork {

struct miss_reading {
  std::uint64_t misses = 0;
  /// False: for some time nothing was counted, because other users had the counters. Such numbers are not scaled up:
  /// the misses of a short task cannot be told from an average.
  bool complete = true;
};

/// Belongs to the thread that opened it: only that thread may read it. Any thread may destroy it.
class miss_counter {
 public:
  miss_counter() = default;
  miss_counter(const miss_counter&) = delete;
  miss_counter& operator=(const miss_counter&) = delete;
  virtual ~miss_counter() = default;

  /// The misses of the thread in user mode since it opened the counter.
  [[nodiscard]] virtual miss_reading read() noexcept = 0;
};

struct miss_event {
  std::string name;         // as in the processor's manuals
  unsigned line_bytes = 0;  // bytes that one miss brings in
};

/// Why nothing is counted, and what to do about it.
struct counting_refusal {
  std::string why;
  std::string remedy;
};

struct counter_opening {
  std::unique_ptr<miss_counter> counter;  // nullptr: refused
  miss_event counted{};
  counting_refusal refused{};
};

/// How misses are counted on a machine. Thread-safety: any thread.
class miss_counting {
 public:
  miss_counting() = default;
  miss_counting(const miss_counting&) = delete;
  miss_counting& operator=(const miss_counting&) = delete;
  virtual ~miss_counting() = default;

  [[nodiscard]] virtual counter_opening open_for_this_thread() const = 0;
};

/// Counts by the hardware of the machine that runs this program. Nothing is tried before the first opening.
[[nodiscard]] std::shared_ptr<const miss_counting> live_miss_counting();

}  // namespace nearfork
