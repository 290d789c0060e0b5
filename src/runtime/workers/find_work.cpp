// Interprets the search order. Each look is one act, done to take work or only to see it.
#include "runtime/workers/find_work.hpp"

#include <optional>
#include <utility>

#include "base/monotonic_clock.hpp"
#include "plan/search/abundance.hpp"
#include "plan/search/search_order.hpp"
#include "plan/search/victim_order.hpp"
#include "runtime/fibers/sanitizers.hpp"
#include "runtime/workers/crew.hpp"

namespace nearfork {
namespace {

enum class intent : std::uint8_t {
  take,
  see,     // only whether there is work
  demand,  // notes the owners that left a request for private jobs unanswered
};

/// The result of a look: the work taken, or, if the intent was to see, whether there is work.
struct sight {
  work_item taken;
  bool seen = false;
  [[nodiscard]] explicit operator bool() const noexcept { return seen || static_cast<bool>(taken); }
};

sight look_in_pool(work_pool& pool, pool_item which, worker& self, intent to) noexcept {
  if (pool.looks_empty() || to == intent::demand) return {};
  if (to == intent::see) return {{}, true};
  work_item item = pool.try_pop(which, self.home.layout().rank_of(self.index));
  if (item.start != nullptr && !std::exchange(item.is_counted, true)) self.counters.pool_items.add();
  return {item, false};
}

work_item taken_root(worker& self, work_item taken) noexcept {
  if (taken.start != nullptr && !std::exchange(taken.is_counted, true)) self.counters.roots.add();
  taken.origin = traces::task_origin::injector;
  return taken;
}

work_item taken_from_injector(worker& self, const std::optional<work_item>& taken) noexcept {
  if (!taken) return {};
  self.counters.injected.add();
  return taken_root(self, *taken);
}

sight look_in_injector(worker& self, intent to) noexcept {
  auto& injector = self.home.injector();
  if (to == intent::demand || injector.looks_empty()) return {};
  if (to == intent::see) return {{}, true};
  return {taken_from_injector(self, injector.try_pop(self.index)), false};
}

bool has_unanswered(const fiber& owner, const crew& home) noexcept {
  return home.fences().can_force() && owner.jobs.unanswered();
}
bool has_unanswered(const outside_lane& lane, const crew& home) noexcept {
  return home.fences().can_force_guests() && lane.jobs.unanswered();
}

/// If the owner has left a request unanswered.
void demand_jobs(worker& self, demand made) {
  const auto seen = made.jobs->unanswered();
  if (!seen || self.demands.size() == self.demands.capacity()) return;
  made.seen = *seen;
  self.demands.push_back(made);
}

/// Takes the oldest shared job, and requests more if nothing is left for the next thief.
steal_result steal_from(detail::deque& jobs) noexcept {
  const steal_result result = jobs.steal();
  if (result.outcome == steal_outcome::stolen) sanitizers::take_over(&jobs);
  if (result.outcome == steal_outcome::empty || result.was_last) jobs.request();
  return result;
}

/// What a thread outside has spawned.
sight look_in_lane(outside_lane& lane, worker& self, intent to) noexcept {
  if (to == intent::see) return {{}, !lane.jobs.looks_empty() || has_unanswered(lane, self.home)};
  if (to == intent::demand) {
    demand_jobs(self, {.jobs = &lane.jobs, .of_owner = &lane.coarse});
    return {};
  }
  const steal_result result = steal_from(lane.jobs);
  if (result.outcome != steal_outcome::stolen) return {};
  return {taken_root(self, work_item{.start = result.taken, .rest = &lane.jobs, .taken_as = &self.counters.roots}),
          false};
}

sight look_in_lanes(worker& self, intent to) noexcept {
  sight found;
  (void)self.home.lanes().any_of([&](outside_lane& lane) {
    found = look_in_lane(lane, self, to);
    return static_cast<bool>(found);
  });
  return found;
}

/// What threads outside bring.
sight look_for_roots(worker& self, intent to) noexcept {
  if (const sight brought = look_in_injector(self, to)) return brought;
  return look_in_lanes(self, to);
}

/// The oldest jobs first: a worker that runs the tasks of a lane has those of the running task in its deque. Recursion
/// from `main` over 1365 nodes, again and again: the other worker took parts of the first task in place of the second.
sight take_from_lane_of(const worker& victim, worker& self) noexcept {
  outside_lane* const lane = victim.lane.load(seam::memory_order_acquire);
  if (lane == nullptr || lane->hidden.load(seam::memory_order_relaxed)) return {};
  return look_in_lane(*lane, self, intent::take);
}

sight look_in_deque(worker& victim, worker& self, intent to) noexcept {
  fiber* const present = victim.present.load(seam::memory_order_acquire);
  if (present == nullptr) return {};
  if (to == intent::see) return {{}, !present->jobs.looks_empty() || has_unanswered(*present, self.home)};
  if (to == intent::demand) {
    demand_jobs(self, {.victim = &victim, .owner = present, .jobs = &present->jobs, .of_owner = &victim.coarse});
    return {};
  }
  const std::uint64_t since = search_began(self);
  if (const sight found = take_from_lane_of(victim, self)) return found;
  const steal_result result = steal_from(present->jobs);
  if (result.outcome != steal_outcome::stolen) {
    self.counters.failed_steals.add();
    return {};
  }
  counter& steals = self.counters.steals[self.home.layout().distance(self.index, victim.index)];
  steals.add();
  if (victim.domain != self.domain) self.counters.steals_between_domains.add();
  self.steal_latency.record(now_ns() - since);
  self.note({.subject = reinterpret_cast<std::uintptr_t>(result.taken),
             .value = reinterpret_cast<std::uintptr_t>(present),
             .number = victim.index,
             .kind = traces::event_kind::takes_steal,
             .detail = static_cast<std::uint8_t>(self.home.layout().distance(self.index, victim.index))});
  return {{.start = result.taken,
           .stolen_from = {present, result.index},
           .rest = &present->jobs,
           .taken_as = &steals,
           .origin = traces::task_origin::stolen,
           .is_counted = true},
          false};
}

/// Asks the step's victims one by one until one has something.
template <class Look>
sight ask(const victim_order& victims, worker& self, Look&& look_at) noexcept {
  sight found;
  victims.ask(self.random, [&](std::uint32_t victim) {
    found = look_at(victim);
    return static_cast<bool>(found);
  });
  return found;
}

sight look_in_deques(const victim_order& victims, worker& self, intent to) noexcept {
  return ask(victims, self, [&](std::uint32_t victim) { return look_in_deque(self.home.worker_at(victim), self, to); });
}

sight take_step(const search_step& step, const victim_order& victims, worker& self, intent to) noexcept {
  crew& home = self.home;
  const auto look_in = [&](work_pool& pool) { return look_in_pool(pool, step.item, self, to); };
  const auto look_in_remote = [&](work_pool domain_state::* pool) {
    return ask(victims, self, [&](std::uint32_t domain) { return look_in(home.domain_at(domain).*pool); });
  };
  switch (step.where) {
    case look::own_deque: return {};  // empty whenever its worker looks for work: deque.hpp
    case look::own_high_pool: return look_in(home.domain_at(self.domain).high);
    case look::own_weak_pool: return look_in(home.domain_at(self.domain).weak);
    case look::own_low_pool: return look_in(home.domain_at(self.domain).low);
    case look::remote_low_pools: return look_in_remote(&domain_state::low);
    case look::remote_weak_pools: return look_in_remote(&domain_state::weak);
    case look::remote_high_pools: return look_in_remote(&domain_state::high);
    case look::same_domain:
    case look::any_deque: return look_in_deques(victims, self, to);
    case look::injector: return look_for_roots(self, to);
  }
  return {};
}

sight search_once(worker& self, intent to) noexcept {
  searcher who = self.home.searcher_for(self);
  const phase now = who.profiling ? phase::profiling : phase::running;
  const auto steps = self.home.order(now).steps();
  const auto& asks = self.asks[index_of(now)];
  bool counted = false;  // what abounds is counted once a round, by workers that come to such a step
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].only.while_work_abounds && who.may_cross && !std::exchange(counted, true))
      who.work_abounds = self.home.sees_work_abound();
    if (applies(steps[i].only, who))
      if (const sight found = take_step(steps[i], asks[i], self, to)) return found;
  }
  return {};
}

/// Between two tasks; [Q3] of bounded_mailbox.hpp.
work_item take_own_mail(worker& self) noexcept {
  job* const taken = self.pushed.take_own();
  if (taken != nullptr) self.counters.mail.add();
  return {.start = taken};
}

/// [Q4] of bounded_mailbox.hpp.
work_item take_mail_of_others(worker& self) noexcept {
  crew& home = self.home;
  job* taken = nullptr;
  (void)self.others.ask(self.random, [&](std::uint32_t other) {
    auto& box = home.box_of(other);
    if (box.looks_empty()) return false;
    const bool may_rob =
        self.takes_mail == mail_taken::all || (self.takes_mail == mail_taken::of_busy_owners && home.is_in_task(other));
    taken = may_rob ? box.rob() : box.take_open();
    if (taken == nullptr) return false;
    self.counters.robbed.add();
    if (home.flow()->node_of(other) != home.flow()->node_of(self.index)) self.counters.robbed_far.add();
    return true;
  });
  return {.start = taken};
}

/// Racy, but true only if a pass would find nothing: [P3] of parking.md.
bool nothing_in_sight(worker& self) noexcept {
  crew& home = self.home;
  if (!home.pools_look_empty() || look_in_lanes(self, intent::see)) return false;
  for (std::uint32_t i = 0; i < home.worker_count(); ++i)
    if (i != self.index && look_in_deque(home.worker_at(i), self, intent::see)) return false;
  return true;
}

/// A worker that is about to park relies on it; [Q2] of bounded_mailbox.hpp.
bool mail_in_sight(const worker& self) noexcept {
  crew& home = self.home;
  for (std::uint32_t i = 0; i < home.worker_count(); ++i)
    if (!home.box_of(i).looks_empty()) return true;
  return false;
}

}  // namespace

work_item find_work(worker& self) noexcept {
  if (self.home.flow() == nullptr) return search_once(self, intent::take).taken;
  if (const work_item found = take_own_mail(self)) return found;
  if (const work_item found = search_once(self, intent::take).taken) return found;
  return take_mail_of_others(self);
}

work_item find_at_hand(worker& self) noexcept {
  crew& home = self.home;
  if (home.flow() != nullptr && !self.pushed.looks_empty()) return {};  // mail comes first
  for (const search_step& step : home.order(home.phase_now()).steps()) {
    if (step.where == look::own_deque) continue;
    if (step.where != look::own_low_pool || step.only != step_conditions{}) break;
    if (const sight found = look_in_pool(home.domain_at(self.domain).low, step.item, self, intent::take))
      return found.taken;
  }
  return {};
}

std::uint64_t search_began(worker& self) noexcept {
  if (self.searching_since_ns == 0) self.searching_since_ns = now_ns();
  return self.searching_since_ns;
}

work_item next_root(worker& self) noexcept {
  if (const work_item next = taken_from_injector(self, self.home.injector().try_pop_own(self.index))) return next;
  return look_in_lanes(self, intent::take).taken;
}

bool open_by_force(worker& self) noexcept {
  const owner_fence& fences = self.home.fences();
  if (!fences.can_force()) return false;
  self.demands.clear();
  (void)search_once(self, intent::demand);
  if (self.demands.empty() || !fences.pass_all()) return false;
  bool opened = false;
  for (const demand& one : self.demands) {
    if (!fences.pass(one)) continue;
    auto& jobs = *one.jobs;
    const auto may_share = [&] {
      sanitizers::take_over(jobs.pushed_address());
      if (!owner_fence::may_share(one)) return false;
      sanitizers::hand_over(&jobs);
      return true;
    };
    if (!jobs.open_by_force(one.seen, may_share)) continue;
    opened = true;
    self.counters.forced.add();
    one.of_owner->note_force();
    self.coarse.note_force();  // it runs tasks of the same kind now
    if (one.victim == nullptr) continue;
    self.note({.subject = reinterpret_cast<std::uintptr_t>(one.owner),
               .number = one.victim->index,
               .kind = traces::event_kind::shares_forced});
  }
  return opened;
}

bool unanswered_in_sight(crew& home, std::uint32_t self) noexcept {
  for (std::uint32_t i = 0; i < home.worker_count(); ++i) {
    const fiber* const present = home.worker_at(i).present.load(seam::memory_order_acquire);
    if (i != self && present != nullptr && has_unanswered(*present, home)) return true;
  }
  return home.lanes().any_of([&](const outside_lane& lane) { return has_unanswered(lane, home); });
}

bool work_in_sight(worker& self) noexcept {
  if (self.home.flow() != nullptr && mail_in_sight(self)) return true;
  return !nothing_in_sight(self) && static_cast<bool>(search_once(self, intent::see));
}

// --- what searchers ask ---

bool crew::sees_work_abound() noexcept {
  queues_seen seen{.deques = worker_count()};
  for (const auto& one : domains_)
    if (!one->looks_empty()) seen.pools_are_empty = false;
  for (const auto& one : workers_) {
    const fiber* const present = one->present.load(seam::memory_order_acquire);
    if (present == nullptr || present->jobs.looks_empty()) ++seen.empty_deques;
  }
  return work_abounds(seen);
}

bool crew::has_homed_jobs(std::uint32_t domain) noexcept {
  if (!domains_[domain]->high.looks_empty() || !domains_[domain]->weak.looks_empty()) return true;
  return std::ranges::any_of(layout().workers_of(domain), [this](std::uint32_t index) {
    const fiber* const present = workers_[index]->present.load(seam::memory_order_acquire);
    return present != nullptr && !present->jobs.looks_empty();
  });
}

bool crew::wants_to_cross(const worker& self) noexcept {
  if (!layout().sides_differ()) return false;
  const domain_state& own = *domains_[self.domain];
  if (own.to_come.load(seam::memory_order_relaxed) > 0 || !own.low.looks_empty() || has_homed_jobs(self.domain))
    return false;
  for (std::uint32_t other = 0; other < domain_count(); ++other)
    if (layout().is_big(other) != layout().is_big(self.domain) && has_homed_jobs(other)) return true;
  return false;
}

}  // namespace nearfork
