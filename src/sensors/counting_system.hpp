// The system behind hardware_counting, as an interface that tests can fake.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "sensors/miss_counter.hpp"

namespace nearfork {

/// An event in the kernel's form: fields of perf_event_attr.
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
  /// The value of /proc/sys/kernel/perf_event_paranoid.
  [[nodiscard]] virtual std::optional<int> paranoid_level() const = 0;
  /// Tries an event that all hardware with counters has. Returns 0 or an errno value.
  [[nodiscard]] virtual int try_hardware_counter() const = 0;
  /// Must not be called by two threads at once.
  [[nodiscard]] virtual event_encoding encode(const std::string& event) const = 0;
  /// Opens a counter of the events' sum, for the calling thread.
  [[nodiscard]] virtual perf_opening open(std::span<const event_code> events) const = 0;
};

/// The system that runs this program: libpfm4 and perf_event.
[[nodiscard]] std::unique_ptr<const counting_system> live_counting_system();

}  // namespace nearfork
