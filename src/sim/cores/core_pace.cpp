#include "sim/cores/core_pace.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <nearfork/error.hpp>

namespace nearfork::sim {
namespace {

constexpr std::uint64_t most_times_clock = 1000;

}  // namespace

core_pace::core_pace(const machine& where, const machine_model& model, std::span<const worker_place> places) {
  for (std::uint32_t c = 0; c < where.cores().size(); ++c) {
    const core_model& kind = model.kinds[where.cores()[c].kind];
    const std::uint32_t mhz = core_mhz(where, model, core_id{c});
    cores_.push_back({.model_mhz = mhz,
                      .mhz = mhz,
                      .smt_speedup = kind.smt_speedup,
                      .misses_at_once = std::max(1.0, kind.memory_level_parallelism)});
  }
  for (std::uint32_t i = 0; i < places.size(); ++i) {
    const core_id core = where.at(places[i].pu).core;
    workers_.push_back({.core = core});
    at(core).workers.push_back(i);
  }
}

core_pace::factors core_pace::factors_of(const core_state& core, std::uint32_t busy) noexcept {
  const double threads = std::max(1U, busy);
  return {.clock = core.model_mhz / static_cast<double>(core.mhz),
          .computing = threads / std::min(threads, core.smt_speedup),
          .overlapping = std::min(threads, core.misses_at_once)};
}

double core_pace::most_shared() const noexcept {
  double most = 1;
  for (const core_state& core : cores_)
    most = std::max(most, factors_of(core, static_cast<std::uint32_t>(core.workers.size())).computing);
  return most;
}

std::uint64_t core_pace::duration_ps(const slice_cost& cost, const factors& pace) noexcept {
  if (pace == factors{})
    return cost.compute_ps + cost.private_ps + cost.private_chained_ps + cost.memory_ps + cost.memory_chained_ps;
  const double overlapped_ps = static_cast<double>(cost.private_ps) * pace.overlapping;
  const double clocked_ps = static_cast<double>(cost.compute_ps) * pace.computing + overlapped_ps +
                            static_cast<double>(cost.private_chained_ps);
  const double memory_ps = static_cast<double>(cost.memory_ps) * pace.overlapping;
  return static_cast<std::uint64_t>(std::llround(clocked_ps * pace.clock + memory_ps)) + cost.memory_chained_ps;
}

std::uint64_t core_pace::begin_slice(std::uint32_t worker, std::uint64_t now_ps, const slice_cost& cost,
                                     std::uint64_t served_ps) {
  worker_state& me = workers_[worker];
  core_state& core = at(me.core);
  const std::uint64_t end_ps = std::max(now_ps + duration_ps(cost, core.now), served_ps);
  me.end_ps = end_ps;
  me.served_ps = served_ps;
  me.since_ps = now_ps;
  me.left = 1;
  me.cost = cost;
  if (end_ps > core.end_ps) {
    core.busy_ps += end_ps - std::max(now_ps, core.end_ps);
    core.end_ps = end_ps;
  }
  return end_ps;
}

void core_pace::begin_work(std::uint32_t worker, std::uint64_t now_ps) {
  worker_state& me = workers_[worker];
  if (std::exchange(me.busy, true)) return;
  core_state& core = at(me.core);
  if (core.busy++ == 0) ++changes_;
  change_pace(core, now_ps);
}

void core_pace::end_work(std::uint32_t worker, std::uint64_t now_ps) {
  worker_state& me = workers_[worker];
  if (!std::exchange(me.busy, false)) return;
  core_state& core = at(me.core);
  if (--core.busy == 0) ++changes_;
  change_pace(core, now_ps);
}

void core_pace::require_clock(core_id of, std::uint32_t mhz) const {
  if (index_of_id(of) >= cores_.size())
    throw error("nearfork: there is no core " + std::to_string(index_of_id(of)) + " whose clock could change; the " +
                "simulated machine has " + std::to_string(cores_.size()) + " cores");
  const std::uint64_t model_mhz = at(of).model_mhz;
  if (mhz > 0 && mhz <= model_mhz * most_times_clock && mhz * most_times_clock >= model_mhz) return;
  throw error("nearfork: core " + std::to_string(index_of_id(of)) + " cannot run at " + std::to_string(mhz) +
              " MHz; the model's clock is " + std::to_string(model_mhz) + " MHz");
}

void core_pace::set_clock(core_id of, std::uint32_t mhz, std::uint64_t now_ps) {
  require_clock(of, mhz);
  core_state& core = at(of);
  if (mhz == core.mhz) return;
  settle(of, now_ps);
  core.mhz = mhz;
  change_pace(core, now_ps);
}

void core_pace::change_pace(core_state& core, std::uint64_t now_ps) {
  const factors before = std::exchange(core.now, factors_of(core, core.busy));
  if (core.end_ps <= now_ps || before == core.now) return;
  std::uint64_t end_ps = now_ps;
  for (const std::uint32_t worker : core.workers) {
    move_end(worker, before, core.now, now_ps);
    end_ps = std::max(end_ps, workers_[worker].end_ps);
  }
  core.busy_ps = core.busy_ps + end_ps - core.end_ps;  // it works from now until the last end without a pause
  core.end_ps = end_ps;
}

void core_pace::move_end(std::uint32_t worker, const factors& before, const factors& after, std::uint64_t now_ps) {
  worker_state& me = workers_[worker];
  if (me.end_ps <= now_ps) return;
  const auto whole_ps = static_cast<double>(duration_ps(me.cost, before));
  const double done = whole_ps > 0 ? static_cast<double>(now_ps - me.since_ps) / whole_ps : 1;
  me.left = std::max(0.0, me.left - done);
  me.since_ps = now_ps;
  const auto rest_ps = std::llround(me.left * static_cast<double>(duration_ps(me.cost, after)));
  const std::uint64_t end_ps = std::max(now_ps + static_cast<std::uint64_t>(rest_ps), me.served_ps);
  const std::uint64_t was_ps = std::exchange(me.end_ps, end_ps);
  if (was_ps != end_ps) moved_.push_back({worker, was_ps, end_ps});
}

std::vector<moved_end> core_pace::take_moved() {
  return std::exchange(moved_, {});
}

/// Keeps what the core did up to now at its present clock.
void core_pace::settle(core_id of, std::uint64_t now_ps) {
  core_state& core = at(of);
  const std::uint64_t later_ps = core.end_ps > now_ps ? core.end_ps - now_ps : 0;
  const std::uint64_t done_ps = core.busy_ps - std::min(core.busy_ps, later_ps);
  if (done_ps > 0) done_.push_back({of, core.mhz, done_ps});
  core.busy_ps -= done_ps;
}

std::vector<core_work> core_pace::take_work() {
  for (std::uint32_t c = 0; c < cores_.size(); ++c)
    if (const std::uint64_t busy_ps = std::exchange(cores_[c].busy_ps, 0); busy_ps > 0)
      done_.push_back({core_id{c}, cores_[c].mhz, busy_ps});
  return std::exchange(done_, {});
}

}  // namespace nearfork::sim
