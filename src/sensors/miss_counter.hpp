// Counting the misses of the last private cache level, thread by thread. Times the size of a line, they are how much
// data a task brought in (LAWS, section 4).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace nearfork {

struct miss_reading {
  std::uint64_t misses = 0;
  /// False: for some of the time nothing was counted, because others had the counters. Such numbers are not scaled up:
  /// what a short task missed cannot be told from an average.
  bool complete = true;
};

/// Belongs to the thread that opened it: that one alone may read it. Any thread may destroy it.
class miss_counter {
 public:
  miss_counter() = default;
  miss_counter(const miss_counter&) = delete;
  miss_counter& operator=(const miss_counter&) = delete;
  virtual ~miss_counter() = default;

  /// Misses of the thread since it opened the counter, in user mode.
  [[nodiscard]] virtual miss_reading read() noexcept = 0;
};

struct miss_event {
  std::string name;         // as the processor's manuals call it
  unsigned line_bytes = 0;  // what one miss brings in
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

/// How misses are counted on a machine. Any thread may ask.
class miss_counting {
 public:
  miss_counting() = default;
  miss_counting(const miss_counting&) = delete;
  miss_counting& operator=(const miss_counting&) = delete;
  virtual ~miss_counting() = default;

  [[nodiscard]] virtual counter_opening open_for_this_thread() const = 0;
};

/// By the counters of the machine that runs us. Nothing is tried before the first opening.
[[nodiscard]] std::shared_ptr<const miss_counting> live_miss_counting();

}  // namespace nearfork
