// The kernel's energy counters by perf_event, which count a package whatever runs on it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "sensors/counting_system.hpp"

namespace nearfork {

/// Counts what one package takes. Any thread may read it.
class package_counter {
 public:
  package_counter() = default;
  package_counter(const package_counter&) = delete;
  package_counter& operator=(const package_counter&) = delete;
  virtual ~package_counter() = default;

  /// The count since the opening, in the event's own unit; nullopt: it cannot be read any more.
  [[nodiscard]] virtual std::optional<std::uint64_t> read() const noexcept = 0;
};

struct package_counter_opening {
  std::unique_ptr<const package_counter> counter;  // nullptr: refused
  int error_number = 0;
};

/// Opens the event on the package of a CPU, by perf_event_open.
[[nodiscard]] package_counter_opening open_package_counter(const event_code& event, int cpu);

}  // namespace nearfork
