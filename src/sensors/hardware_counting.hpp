// Counts misses by the counters of a processor: which event, whether it can be counted, and if not, why not.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sensors/counting_system.hpp"
#include "sensors/cpu_model.hpp"
#include "sensors/miss_counter.hpp"

namespace nearfork {

/// What an errno value of perf_event_open means here.
[[nodiscard]] counting_refusal refusal_of(int error_number, std::optional<int> paranoid_level, bool virtual_machine);

class hardware_counting final : public miss_counting {
 public:
  explicit hardware_counting(std::unique_ptr<const counting_system> system) : system_(std::move(system)) {}

  [[nodiscard]] counter_opening open_for_this_thread() const override;

 private:
  /// What is equal for all threads, and is found out once.
  struct preparation {
    bool virtual_machine = false;
    std::vector<event_code> codes{};
    miss_event counted{};
    counting_refusal refused{};  // .why is empty: nothing is refused
  };
  [[nodiscard]] preparation prepare() const;
  [[nodiscard]] counting_refusal find_events(const cpu_model& which, preparation& into) const;
  [[nodiscard]] counting_refusal refusal_of_system(int error_number, bool virtual_machine) const {
    return refusal_of(error_number, system_->paranoid_level(), virtual_machine);
  }

  std::unique_ptr<const counting_system> system_;
  mutable std::once_flag once_;
  mutable preparation prepared_;
};

}  // namespace nearfork
