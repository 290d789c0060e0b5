// Which clock each unit of cores gets, from which workers wait: SAWS, section 1, "Frequencies", in kHz.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "plan/clocks/clock_sharing.hpp"
#include "power/clock_unit.hpp"

namespace nearfork {

/// Pure: same answers of `waits`, same clocks.
class clock_choice {
 public:
  /// `core_of_worker`: indices into the cores that the units name.
  clock_choice(std::span<const clock_unit> units, std::span<const std::uint32_t> core_of_worker,
               clock_sharing how = clock_sharing::slack);

  /// By unit, in kHz. A unit waits if all of its workers do and no CPU of it belongs to others: the fastest wish wins.
  /// If all wait, all have their normal clocks: the program goes on elsewhere.
  [[nodiscard]] std::vector<std::uint32_t> clocks(const std::function<bool(std::uint32_t worker)>& waits,
                                                  clock_step step = normal_step) const;
  [[nodiscard]] clock_step least() const noexcept { return least_step(kinds_); }

 private:
  struct unit_load {
    std::size_t kind;                    // of kinds_
    std::uint32_t cores;                 // that have workers
    bool always_works;                   // it has CPUs of others
    std::vector<std::uint32_t> workers;  // on its cores
  };
  clock_sharing how_;
  std::vector<unit_load> units_;
  std::vector<kind_load> kinds_;  // units with the same clocks; nobody waits
};

}  // namespace nearfork
