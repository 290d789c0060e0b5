// Counts stalls by the counters of a processor: by which event, and if by none, why not.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "sensors/counting_system.hpp"
#include "sensors/stalls/stall_counter.hpp"

namespace nearfork {

struct perf_stall_opening {
  std::unique_ptr<stall_counter> counter;  // nullptr: refused
  int error_number = 0;
};

/// Counters of the kernel's perf_event, as an interface that tests can fake.
class stall_system {
 public:
  stall_system() = default;
  stall_system(const stall_system&) = delete;
  stall_system& operator=(const stall_system&) = delete;
  virtual ~stall_system() = default;

  /// The event, beside the cycles of the calling thread. They take turns with other users of the counters.
  [[nodiscard]] virtual perf_stall_opening open(const event_code& stalled) const = 0;
  /// The kernel's own name for cycles in which the back end stalled.
  [[nodiscard]] virtual event_code generic_event() const = 0;
};
[[nodiscard]] std::unique_ptr<const stall_system> live_stall_system();

class hardware_stalls final : public stall_counting {
 public:
  hardware_stalls(std::unique_ptr<const counting_system> names, std::unique_ptr<const stall_system> counters)
      : names_(std::move(names)), counters_(std::move(counters)) {}

  [[nodiscard]] stall_opening open_for_this_thread() const override;

 private:
  struct preparation {
    std::optional<event_code> stalled{};
    std::string event{};
    counting_refusal refused{};
  };
  [[nodiscard]] preparation prepare() const;

  std::unique_ptr<const counting_system> names_;
  std::unique_ptr<const stall_system> counters_;
  mutable std::once_flag once_;
  mutable preparation prepared_;
};

}  // namespace nearfork
