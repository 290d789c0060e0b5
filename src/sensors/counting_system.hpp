// What hardware_counting asks of the system, behind an interface: tests answer in its place.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "sensors/miss_counter.hpp"

namespace nearfork {

/// An event as the kernel takes it: fields of perf_event_attr.
struct event_code {
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
  std::uint64_t config2 = 0;
  friend bool operator==(const event_code&, const event_code&) = default;
};

struct event_encoding {
  std::optional<event_code> code;
  counting_refusal refused{};
};

struct perf_opening {
  std::unique_ptr<miss_counter> counter;  // nullptr: refused
  int error_number = 0;
};

class counting_system {
 public:
  counting_system() = default;
  counting_system(const counting_system&) = delete;
  counting_system& operator=(const counting_system&) = delete;
  virtual ~counting_system() = default;

  /// The text of /proc/cpuinfo; empty if it cannot be read.
  [[nodiscard]] virtual std::string cpuinfo() const = 0;
  /// What /proc/sys/kernel/perf_event_paranoid says.
  [[nodiscard]] virtual std::optional<int> paranoid_level() const = 0;
  /// Any event that hardware with counters has. 0 or an errno value.
  [[nodiscard]] virtual int try_hardware_counter() const = 0;
  /// Not from two threads at once.
  [[nodiscard]] virtual event_encoding encode(const std::string& event) const = 0;
  /// The sum of the events, for the calling thread.
  [[nodiscard]] virtual perf_opening open(std::span<const event_code> events) const = 0;
};

/// The system that runs us: libpfm4 and perf_event.
[[nodiscard]] std::unique_ptr<const counting_system> live_counting_system();

}  // namespace nearfork
