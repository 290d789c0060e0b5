// The workers without work: since when they are idle, and which one to call when there is work.
//
// A worker without work searches for a while and then parks; neither costs an event. Work that becomes visible calls at
// most one worker, as in the runtime. It calls a searching worker: of those that may take the work the one that sees it
// first, which is the nearest; chance decides among equally near ones. If there is none, it calls a parked worker near
// it, as the runtime does (worker_layout::try_near). Unlike the runtime, where a woken worker finds out by looking, no
// worker is called for work that it may not take.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/rng.hpp"
#include "plan/crew/worker_layout.hpp"
#include "plan/search/index_set.hpp"
#include "sim/engine/call_times.hpp"

namespace nearfork::sim {

class idle_workers {
 public:
  /// All workers are idle, since time 0.
  idle_workers(const worker_layout& layout, const call_times& times, std::uint64_t spin_ps)
      : layout_(layout), times_(times), spin_ps_(spin_ps), idle_(layout.workers()), of_worker_(layout.workers()) {
    for (std::uint32_t worker = 0; worker < layout.workers(); ++worker) idle_.insert(worker);
  }

  struct call {
    std::uint32_t worker;
    bool parked;
    std::uint64_t further_ps;     // that it takes longer than a call within one cache
    std::uint64_t slept_from_ps;  // if it is parked
  };

  [[nodiscard]] std::uint32_t count() const noexcept { return idle_.size(); }
  [[nodiscard]] bool is_idle(std::uint32_t worker) const noexcept { return idle_.contains(worker); }
  [[nodiscard]] bool is_called(std::uint32_t worker) const noexcept { return of_worker_[worker].called; }

  /// True if the worker has searched in vain as long as it may.
  [[nodiscard]] bool would_sleep(std::uint32_t worker, std::uint64_t now_ps) const noexcept {
    return is_idle(worker) && now_ps - of_worker_[worker].since_ps >= spin_ps_;
  }

  void begin_idling(std::uint32_t worker, std::uint64_t now_ps) noexcept {
    of_worker_[worker] = {false, now_ps};
    idle_.insert(worker);
  }
  /// Changes a worker from idle to called. `from`: the worker where the work is.
  call call_one(std::uint32_t worker, std::uint32_t from, std::uint64_t now_ps) noexcept {
    of_worker_[worker].called = true;
    idle_.erase(worker);
    return {worker, is_parked(worker, now_ps), times_.further_ps(from, worker), of_worker_[worker].since_ps + spin_ps_};
  }
  /// Changes a worker from called to active; for a root, from idle to active.
  void activate(std::uint32_t worker) noexcept {
    idle_.erase(worker);
    of_worker_[worker].called = false;
  }

  /// Calls one worker for which may_take(worker) holds. `from`: the worker where the work is.
  template <class MayTake>
  std::optional<call> call_any(std::uint32_t from, std::uint64_t now_ps, rng& chance, MayTake&& may_take) {
    if (idle_.empty()) return std::nullopt;
    if (const auto found = nearest_searching(from, now_ps, chance, may_take)) return call_one(*found, from, now_ps);
    std::optional<call> made;
    (void)layout_.try_near(from, [&](std::uint32_t worker) {
      if (is_idle(worker) && may_take(worker)) made = call_one(worker, from, now_ps);
      return made.has_value();
    });
    return made;
  }

 private:
  struct worker_state {
    bool called = false;
    std::uint64_t since_ps = 0;  // that it is idle or was when it was called
  };

  [[nodiscard]] bool is_parked(std::uint32_t worker, std::uint64_t now_ps) const noexcept {
    return now_ps - of_worker_[worker].since_ps > spin_ps_;
  }

  template <class MayTake>
  std::optional<std::uint32_t> nearest_searching(std::uint32_t from, std::uint64_t now_ps, rng& chance,
                                                 MayTake& may_take) {
    std::optional<std::uint32_t> chosen;
    std::uint64_t nearest_ps = 0;
    std::uint32_t equals = 0;
    for (std::uint32_t worker = idle_.next(0); worker != index_set::none; worker = idle_.next(worker + 1)) {
      if (is_parked(worker, now_ps)) continue;
      const std::uint64_t away_ps = times_.further_ps(from, worker);
      if ((chosen && away_ps > nearest_ps) || !may_take(worker)) continue;
      if (!chosen || away_ps < nearest_ps) equals = 0;
      nearest_ps = away_ps;
      if (chance.below(++equals) == 0) chosen = worker;
    }
    return chosen;
  }

  const worker_layout& layout_;
  const call_times& times_;
  std::uint64_t spin_ps_;
  index_set idle_;
  std::vector<worker_state> of_worker_;
};

}  // namespace nearfork::sim
