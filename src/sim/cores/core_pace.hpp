// How fast the workers of each core go, and so when their slices end: hardware threads share a core, and clocks change.
//
// With n busy hardware threads a core computes core_model::smt_speedup times as much as with one, and each thread has
// the n-th part of that. Each also has the n-th part of the core's miss buffers: an access that overlaps with others
// takes n times as long, but no longer than one that overlaps with none. Accesses of a chain, which overlap with none,
// take as long as ever. A thread without a task leaves all to the others, also while it searches for work.
//
// A slice runs ahead of virtual time. If the pace of its core changes before its end, the rest of it goes at the new
// pace. Computation and all sorts of accesses are taken to be mixed evenly over a slice. Memory that serves the slice's
// lines later than the core wants them is as late as before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "machine/model/machine.hpp"
#include "plan/crew/worker_places.hpp"
#include "sim/machine/machine_model.hpp"

namespace nearfork::sim {

/// What a slice takes on a core that has one busy thread, at the clock of the model.
struct slice_cost {
  std::uint64_t compute_ps = 0;
  std::uint64_t private_ps = 0;          // hits in private caches, at the core's clock: accesses that overlap
  std::uint64_t private_chained_ps = 0;  // and those that do not
  std::uint64_t memory_ps = 0;           // all that is further away: accesses that overlap
  std::uint64_t memory_chained_ps = 0;
};

/// A slice that ends at another time than was said before.
struct moved_end {
  std::uint32_t worker = 0;
  std::uint64_t was_ps = 0;
  std::uint64_t end_ps = 0;
};

/// How long some core worked at one clock. A core works while any of its threads does a slice.
struct core_work {
  core_id core{};
  std::uint32_t mhz = 0;
  std::uint64_t busy_ps = 0;
};

class core_pace {
 public:
  /// One worker for each place; none has a task. Cores have the clocks of the model.
  core_pace(const machine& where, const machine_model& model, std::span<const worker_place> places);

  // --- what changes the pace; ends that move are kept for take_moved() ---
  void begin_work(std::uint32_t worker, std::uint64_t now_ps);
  void end_work(std::uint32_t worker, std::uint64_t now_ps);
  void set_clock(core_id core, std::uint32_t mhz, std::uint64_t now_ps);
  /// Throws: nearfork::error if the core or the clock cannot be: 0, or a thousand times the model's clock and more, or
  /// less than a thousandth of it.
  void require_clock(core_id core, std::uint32_t mhz) const;
  [[nodiscard]] bool has_moved() const noexcept { return !moved_.empty(); }
  [[nodiscard]] std::vector<moved_end> take_moved();

  /// Returns when the slice ends, which is not before memory is done with it at `served_ps`.
  [[nodiscard]] std::uint64_t begin_slice(std::uint32_t worker, std::uint64_t now_ps, const slice_cost& cost,
                                          std::uint64_t served_ps);

  /// How long a slice of this cost would take at the worker's present pace, if memory had no part in it.
  [[nodiscard]] std::uint64_t own_ps(std::uint32_t worker, slice_cost cost) const noexcept {
    cost.memory_ps = 0;
    cost.memory_chained_ps = 0;
    return duration_ps(cost, at(workers_[worker].core).now);
  }

  /// Asks the host for what begin_slice() looks at.
  [[gnu::always_inline]] void prefetch(std::uint32_t worker) const noexcept {
    const worker_state& me = workers_[worker];
    const auto* const state = reinterpret_cast<const std::byte*>(&me);
    for (std::size_t from = 0; from < sizeof me; from += 64) __builtin_prefetch(state + from, 1);
    const auto* const core = reinterpret_cast<const std::byte*>(&at(me.core));
    for (std::size_t from = 0; from < sizeof(core_state); from += 64) __builtin_prefetch(core + from, 1);
  }

  [[nodiscard]] core_id core_of(std::uint32_t worker) const noexcept { return workers_[worker].core; }
  [[nodiscard]] std::uint32_t mhz_of(core_id core) const noexcept { return at(core).mhz; }
  /// The number of the core's workers that have a task.
  [[nodiscard]] std::uint32_t busy_workers(core_id core) const noexcept { return at(core).busy; }
  /// Grows when a core begins to work or stops.
  [[nodiscard]] std::uint64_t changes() const noexcept { return changes_; }
  /// How many times longer computation may take because all hardware threads of a core are busy.
  [[nodiscard]] double most_shared() const noexcept;

  /// What cores did since the last call. No slice is being done now.
  [[nodiscard]] std::vector<core_work> take_work();

 private:
  /// What parts of a slice take longer than they say.
  struct factors {
    double clock = 1;
    double computing = 1;    // for the core's share
    double overlapping = 1;  // for the share of its miss buffers
    friend bool operator==(const factors&, const factors&) = default;
  };
  struct core_state {
    std::uint32_t model_mhz = 0;
    std::uint32_t mhz = 0;
    double smt_speedup = 1;
    double misses_at_once = 1;
    std::uint32_t busy = 0;
    factors now{};
    std::uint64_t busy_ps = 0;  // at the present clock, up to the end of all slices
    std::uint64_t end_ps = 0;   // of the last slice
    std::vector<std::uint32_t> workers{};
  };
  struct worker_state {
    core_id core{};
    bool busy = false;
    std::uint64_t end_ps = 0;  // of its slice
    std::uint64_t served_ps = 0;
    std::uint64_t since_ps = 0;  // `left` was true then
    double left = 0;             // of the slice
    slice_cost cost{};
  };

  [[nodiscard]] static std::uint64_t duration_ps(const slice_cost& cost, const factors& pace) noexcept;
  [[nodiscard]] static factors factors_of(const core_state& core, std::uint32_t busy) noexcept;
  [[nodiscard]] const core_state& at(core_id core) const noexcept { return cores_[index_of_id(core)]; }
  [[nodiscard]] core_state& at(core_id core) noexcept { return cores_[index_of_id(core)]; }
  void change_pace(core_state& core, std::uint64_t now_ps);
  void move_end(std::uint32_t worker, const factors& before, const factors& after, std::uint64_t now_ps);
  void settle(core_id core, std::uint64_t now_ps);

  std::vector<core_state> cores_;
  std::vector<worker_state> workers_;
  std::vector<moved_end> moved_;
  std::vector<core_work> done_;  // at clocks that have changed since
  std::uint64_t changes_ = 0;
};

}  // namespace nearfork::sim
