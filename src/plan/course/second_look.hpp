// A second look at plain stealing, some time after a plan has won against it.
//
// The iterations of a trial lie close together. One burst of another program may decide it, or what the trial before
// left in the caches: simulated, heat of 16 MiB on xeon-phi-7210 takes 167 us plainly, but 180 to 184 in the first
// three to five iterations after a plan that takes 174. So plain stealing runs once more, for longer, when that costs
// about a hundredth of the time since the search: later, the slower it was. Each further look waits twice as long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/plans/plan.hpp"

namespace nearfork {

class second_look {
 public:
  /// So many of the plan's last iterations at least are compared with.
  static constexpr std::size_t least_seen = 8;

  /// `settled_for`: iterations under the plan since the search, or since its data last moved. `excess`: how much longer
  /// plain stealing took in its trial, as a part of the plan's time.
  [[nodiscard]] bool is_due(std::uint64_t settled_for, double excess) const noexcept;

  /// Takes the plan aside and gives the plan of the look. `lately_ns`: the durations of the last iterations under
  /// `settled`; at least one.
  [[nodiscard]] plan begin(plan settled, std::vector<std::uint64_t> lately_ns);
  [[nodiscard]] bool is_on() const noexcept { return is_on_; }
  /// A plain iteration. True: it was the last one; call end().
  [[nodiscard]] bool add(std::uint64_t duration_ns);
  /// What is in force from now on: the plan, or plain stealing. It tells what was measured.
  [[nodiscard]] plan end();

 private:
  plan aside_{};
  std::vector<std::uint64_t> planned_{};  // durations, ascending
  std::vector<std::uint64_t> plain_{};    // as they came; the first ones are no evidence
  std::uint32_t looks_ = 0;
  bool is_on_ = false;
};

}  // namespace nearfork
