// The crew: the workers of one runtime, the work that they share, and how they wake each other.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/process_number.hpp"
#include "base/threads/patience.hpp"
#include "machine/model/machine.hpp"
#include "plan/crew/worker_layout.hpp"
#include "plan/plans/policy.hpp"
#include "plan/search/search_order.hpp"
#include "runtime/counters/uncounted_misses.hpp"
#include "runtime/fibers/fiber_supply.hpp"
#include "runtime/polling/lane_watch.hpp"
#include "runtime/polling/poll_watch.hpp"
#include "runtime/protocols/chunk_reserve.hpp"
#include "runtime/protocols/door.hpp"
#include "runtime/protocols/parking.hpp"
#include "runtime/protocols/portioned_pool.hpp"
#include "runtime/pushing/flow_nodes.hpp"
#include "runtime/wakes/spawning_threads.hpp"
#include "runtime/workers/outside_lane.hpp"
#include "runtime/workers/owner_fence.hpp"
#include "runtime/workers/work_pool.hpp"
#include "runtime/workers/worker.hpp"

namespace nearfork {

class region_table;
class worker_clocks;
class runtime;
class graph_recorder;
class page_sight;
class relief;
namespace traces {
class trace_rings;
}

/// How many iterations are in progress, over all regions. Racy: only economy depends on the counts.
struct iterations_in_progress {
  seam::atomic<std::uint32_t> profiling{0};
  seam::atomic<std::uint32_t> planned{0};  // under a plan that is not empty
  seam::atomic<std::uint32_t> watched{0};  // whose crew_watch reads how long workers wait
  seam::atomic<bool> any_so_far{false};    // in progress or over
};

/// Where the forks of a runtime's tasks may write. Workers and searches do not look at the books.
struct task_books {
  region_table* regions = nullptr;
  graph_recorder* recorder = nullptr;    // nullptr: nothing is recorded
  traces::trace_rings* trace = nullptr;  // nullptr: the runtime is not traced
  page_sight* sight = nullptr;           // nullptr: nobody asks where data lie
};

class crew {
 public:
  struct rules {
    worker_layout layout;
    std::array<search_order, phases>
        orders;  // where free workers look; profiling iterations have an order of their own
    std::uint32_t most_searching;
    bool fills_cores;  // there are no more cores than workers
    std::uint64_t spin_ns;
    std::uint64_t poll_ns;  // how often busy workers poll
    std::uint64_t seed;
    std::size_t stack_bytes;
    carriers by;
    fiber_entry entry;   // what a fresh fiber runs: the loop of a worker
    bool binds_callers;  // a thread in the place of a bound worker is bound like it
    const miss_counting* counting;
    worker_clocks* clocks;  // nullptr: no clock is set
    flow_nodes* flow;       // nullptr: all workers are beside one memory node, and none has a mailbox
    std::uint32_t mailbox_tasks;
    std::vector<int> ranks;  // of the workers' cores, the fastest have the highest; empty: no running task moves
  };
  explicit crew(rules how);
  crew(const crew&) = delete;
  crew& operator=(const crew&) = delete;

  // --- for calls from outside ---
  /// Called from any thread. Throws as visit does.
  void inject(job& root);
  /// nullptr: calls from outside wait for the workers of this crew.
  [[nodiscard]] relief* relieved_by() const noexcept { return relief_; }
  /// `look` is called with `by` by workers that sleep while fibers of the crew wait for other threads or runtimes.
  void have_relief(relief& by, void (*look)(relief&) noexcept) noexcept {
    relief_ = &by;
    look_for_relief_ = look;
  }
  void look_for_relief() noexcept {
    if (relief_ != nullptr) look_for_relief_(*relief_);
  }
  /// Another crew of the same runtime may have workers of the same numbers.
  [[nodiscard]] bool relieves() const noexcept { return relieved_ != nullptr; }
  /// 1 for the relief of a runtime's crew, 2 for that one's relief; 0: this is no relief.
  [[nodiscard]] unsigned relief_level() const noexcept { return relieves() ? relieved_->relief_level() + 1 : 0; }
  /// Whether its workers run tasks for `home`: they are the same crew, or this one relieves that one.
  [[nodiscard]] bool works_for(const crew& home) const noexcept {
    return this == &home || (relieves() && of_ == home.of_);
  }
  /// Takes what inject() has put there out again. False: a worker has it, or it lies elsewhere.
  [[nodiscard]] bool take_out_of_injector(const job& given);
  /// Calls and tasks stay where they were given: each is recorded or traced, or has a thread of its own.
  [[nodiscard]] bool keeps_calls() const noexcept {
    return books_.recorder != nullptr || books_.trace != nullptr || pins_waits();
  }
  /// Puts work into the injector. The caller keeps the crew: it is a task of this crew, or holds a visit. Throws
  /// std::bad_alloc.
  void push_inside(work_item work, std::uint32_t nearest);
  /// A worker of this crew puts work where its domain's workers look first, without a condition. Throws std::bad_alloc.
  void push_in_domain_of(const worker& giver, work_item work);
  /// The same for work that the worker has taken from where it was.
  void hand_on_in_domain_of(const worker& giver, work_item work) noexcept;
  /// nullptr: all workers are beside one memory node.
  [[nodiscard]] flow_nodes* flow() const noexcept { return rules_.flow; }
  /// Puts a task into the mailbox of worker `to`, and wakes a worker for it; bounded_mailbox.hpp. False: it is full.
  /// The caller keeps the crew. Called from any thread.
  [[nodiscard]] bool send(job& pushed, std::uint32_t to) noexcept;
  /// Lets a suspended fiber of this crew go on where a worker is free: suspension.md. Called from any thread.
  void make_ready(fiber& waiting) noexcept;
  /// make_ready() by a worker whose job has ended and returns to the worker's loop at once. The worker itself goes on
  /// with a fiber of its own crew [S5].
  static void ready_at_end(worker& ending, fiber& waiting) noexcept;
  /// [D5] of deque.hpp: the next fork of every fiber that runs now checks whether the fiber must stop. Called from any
  /// thread.
  void make_everyone_look() noexcept;
  /// A parked worker's place for the calling thread, near the PU that it runs on; nullptr: no worker is parked.
  [[nodiscard]] worker* borrow_place() noexcept;
  /// The same for a worker that was woken and is not up yet [P10].
  [[nodiscard]] worker* relieve_woken() noexcept;
  /// Whether a worker was woken and is not up yet.
  [[nodiscard]] bool has_woken() const noexcept;
  /// Whether there may be a place for a caller: a worker sleeps, or was woken and is not up yet.
  [[nodiscard]] bool has_free_place() const noexcept { return lot_.approx_counts().sleeping() > 0 || has_woken(); }
  /// True: besides the caller's call, others are in progress.
  [[nodiscard]] bool has_other_calls() const noexcept {
    // Relaxed: what a call brings is pushed after the call is counted, and whoever asks here has taken it.
    return entrance_.visits() + unwaited_calls_.load(seam::memory_order_relaxed) >
           1 + visits_without_call_.load(seam::memory_order_relaxed);
  }
  /// [P10] A worker was woken, all others have work or search for it, and a thread outside has made tasks: that thread
  /// has a core, too, and may come for the worker's place in a moment.
  [[nodiscard]] bool may_leave_to_caller() const noexcept {
    if (!rules_.fills_cores || pins_waits() || !has_unwaited_calls() || stopping()) return false;
    const idle_counts now = lot_.approx_counts();
    return now.sleeping() == 0 && now.searching() < worker_count();
  }
  /// Tasks that a thread outside has made, and does not wait for yet, are a call.
  void begin_unwaited_call() noexcept { unwaited_calls_.fetch_add(1, seam::memory_order_relaxed); }
  void end_unwaited_call() noexcept { unwaited_calls_.fetch_sub(1, seam::memory_order_relaxed); }
  [[nodiscard]] bool has_unwaited_calls() const noexcept {
    return unwaited_calls_.load(seam::memory_order_relaxed) > 0;
  }
  /// Threads outside that have a core of their own.
  [[nodiscard]] spawning_threads& spawners() noexcept { return spawners_; }
  /// [K1] of sleeping_on.hpp. Ask it after a look at the counts.
  [[nodiscard]] bool keeps_asleep() const noexcept { return spawners_.sleepers().holds(lot_) && any_worker_will_do(); }
  /// False: there is none to keep asleep, or threads outside may have further cores.
  [[nodiscard]] bool may_keep_asleep() const noexcept { return rules_.fills_cores && worker_count() > 1; }
  void pause_spawning() noexcept {
    if (spawners_.pause()) wake_who_slept_on(lot_, *this);
  }
  void end_spawning(const spawning_threads::last_lane& was) noexcept {
    if (was.relied) lane_watcher_.end();
    if (was.counted) wake_who_slept_on(lot_, *this);
  }
  /// A fiber begins to wait for what another thread or another runtime does.
  void begin_outside_wait() noexcept { outside_waits_.fetch_add(1, seam::memory_order_relaxed); }
  void end_outside_wait() noexcept { outside_waits_.fetch_sub(1, seam::memory_order_relaxed); }
  [[nodiscard]] bool has_outside_waits() const noexcept { return outside_waits_.load(seam::memory_order_relaxed) > 0; }
  /// Of threads that only keep a place, or whose call another crew runs.
  void count_visit_without_call(int step) noexcept {
    visits_without_call_.fetch_add(static_cast<std::uint32_t>(step), seam::memory_order_acq_rel);
  }
  /// Wakes the deputy that may sleep in this place: its call is done.
  void wake_deputy(std::uint32_t place) noexcept;
  /// False: some work is now, or may come to be, for the workers of one domain, or its head, alone.
  [[nodiscard]] bool any_worker_will_do() const noexcept { return !pools_have_conditions_ || plans_nothing(); }
  /// False: there may be such work later, while a region is in progress.
  [[nodiscard]] bool any_worker_will_ever_do() const noexcept { return !pools_have_conditions_; }
  /// A deputy that searched keeps its place and goes: others relied on its search [P9].
  void pass_search_on(worker& place) noexcept;
  /// Begins a visit that ends with entrance().leave(). A task of this crew may enter even if the crew is to be
  /// destroyed: the task keeps the crew. Throws as visit does.
  void enter();
  /// Lives as long as a call from outside. Throws nearfork::error in a child made by fork(), where the workers are
  /// missing, and once the crew is to be destroyed.
  class visit {
   public:
    explicit visit(crew& home);
    ~visit() { home_.entrance_.leave(); }
    visit(const visit&) = delete;
    visit& operator=(const visit&) = delete;

   private:
    crew& home_;
  };
  /// Of the workers' own threads.
  [[nodiscard]] woken_apart& apart() noexcept { return apart_; }
  /// By a worker, or a deputy in its place: make_room() goes by it.
  void note_pu(worker& self) noexcept;
  /// By a thread outside that has slept. A worker that was to run on the same PU goes on where one has nothing to do.
  void make_room() noexcept;
  /// By a thread outside that is about to sleep. If two workers share a PU, one of them goes on elsewhere.
  void give_up_pu() noexcept;
  [[nodiscard]] door& entrance() noexcept { return entrance_; }
  /// False in a child made by fork().
  [[nodiscard]] bool is_of_this_process() const noexcept { return process_.is_here(); }
  /// Throws nearfork::error in a child made by fork().
  void require_this_process() const;
  [[nodiscard]] bool runs_caller() const noexcept;
  /// Waits up to a second. False: some worker has work.
  [[nodiscard]] bool becomes_idle() const noexcept;
  /// Workers leave their loops as soon as they look for work. Wakes those that sleep.
  void stop() noexcept;

  // --- for workers ---
  [[nodiscard]] std::uint32_t worker_count() const noexcept { return static_cast<std::uint32_t>(workers_.size()); }
  [[nodiscard]] worker& worker_at(std::uint32_t index) const noexcept { return *workers_[index]; }
  [[nodiscard]] domain_state& domain_at(std::uint32_t index) noexcept { return *domains_[index]; }
  [[nodiscard]] std::uint32_t domain_count() const noexcept { return static_cast<std::uint32_t>(domains_.size()); }
  [[nodiscard]] const worker_layout& layout() const noexcept { return rules_.layout; }
  [[nodiscard]] const search_order& order(phase now) const noexcept { return rules_.orders[index_of(now)]; }
  [[nodiscard]] portioned_pool<work_item>& injector() noexcept { return injector_; }
  [[nodiscard]] crew_lanes& lanes() noexcept { return lanes_; }
  [[nodiscard]] lane_watch& lane_watcher() noexcept { return lane_watcher_; }
  // For give_task() and end_asking().
  [[nodiscard]] task_mailbox<fiber>& mailbox_of(std::uint32_t index) noexcept { return worker_at(index).mailbox; }
  /// Wakes this worker, if it sleeps.
  bool notify(std::uint32_t index, traces::wake_cause why = traces::wake_cause::shared_work) noexcept;
  // For send_task().
  [[nodiscard]] bounded_mailbox<job>& box_of(std::uint32_t index) noexcept { return worker_at(index).pushed; }
  [[nodiscard]] bool is_in_task(std::uint32_t index) const noexcept { return worker_at(index).waits.stands(); }
  bool notify_mate(std::uint32_t index) noexcept;
  // For make_ready_in().
  [[nodiscard]] std::uint32_t nearest_to(const fiber& waiting) const noexcept;
  void push_ready(fiber& waiting) noexcept {
    with_patience("let a waiting task go on", [&] { injector_.push({.go_on = &waiting}); });
  }
  [[nodiscard]] parking_lot& lot() noexcept { return lot_; }
  [[nodiscard]] idle_counts counts() const noexcept { return lot_.approx_counts(); }
  /// A worker sleeps for want of work, or searches. One that sleeps is perhaps about to be woken. Racy.
  [[nodiscard]] bool has_idle_worker() const noexcept {
    const idle_counts now = lot_.approx_counts();
    return now.searching() != 0 || now.sleeping() != 0;
  }
  [[nodiscard]] poll_watch& polling() noexcept { return polling_; }
  /// `self` has work, a task waits for a poll, and no sleeper polls: wakes one worker, if none searches.
  void call_watcher(const worker& self) noexcept;
  [[nodiscard]] fiber_supply& fibers() noexcept { return fibers_; }
  [[nodiscard]] const fiber_supply& fibers() const noexcept { return fibers_; }
  [[nodiscard]] chunk_reserve& graph_memory() noexcept { return graph_memory_; }
  [[nodiscard]] iterations_in_progress& iterations() noexcept { return iterations_; }
  [[nodiscard]] uncounted_misses& uncounted() noexcept { return uncounted_; }
  [[nodiscard]] const uncounted_misses& uncounted() const noexcept { return uncounted_; }
  [[nodiscard]] const miss_counting& counting() const noexcept { return *rules_.counting; }
  /// nullptr: no clock is set.
  [[nodiscard]] worker_clocks* clocks() const noexcept { return rules_.clocks; }
  /// config::pin_waits.
  [[nodiscard]] bool pins_waits() const noexcept { return rules_.by == carriers::own_threads; }
  [[nodiscard]] bool stopping() const noexcept { return stopping_.load(seam::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t spin_ns() const noexcept { return rules_.spin_ns; }

  /// [D6] of deque.hpp: thieves can take private jobs by force.
  [[nodiscard]] const owner_fence& fences() const noexcept { return fences_; }

  /// [P2] of parking.md: makes the next push of every owner slow, so that the push publishes.
  void ask_everyone() noexcept;
  /// [P4] Work was published, a worker sleeps and none searches: wakes one worker, in the domain of `nearest` if one
  /// sleeps there.
  void wake_one(std::uint32_t nearest = 0) noexcept;
  /// The same for what is shared, which threads outside may come for: keeps_asleep().
  void notify_one(std::uint32_t nearest) noexcept {
    if (!keeps_asleep()) wake_one(nearest);
  }
  /// The same for a thread outside, which has work: one near its PU, and that PU's own worker last.
  void notify_one_near_caller() noexcept;
  /// [P4] Work was put into a pool of `domain`. If only some workers may take the work, wakes a worker of the domain
  /// even if others search: those others may not be allowed to take it.
  void announce_in_pool(std::uint32_t domain) noexcept;

  [[nodiscard]] phase phase_now() const noexcept {
    return iterations_.profiling.load(seam::memory_order_relaxed) > 0 ? phase::profiling : phase::running;
  }
  /// The facts that the conditions of search steps test.
  [[nodiscard]] searcher searcher_for(const worker& self) noexcept;
  /// Neither the injector nor a domain's pools have work. Racy, but exact for a worker about to park: parking.md, [P3].
  [[nodiscard]] bool pools_look_empty() const noexcept {
    return injector_.looks_empty() && std::ranges::all_of(domains_, [](const auto& one) { return one->looks_empty(); });
  }
  /// Racy: private jobs of deques are not seen.
  [[nodiscard]] bool sees_work_abound() noexcept;
  /// True if the worker's domain has no job left, none of its subtrees is still to come, and a domain of the other side
  /// has jobs that are at home there. Racy, and only of shared jobs: most often subtrees in pools.
  [[nodiscard]] bool wants_to_cross(const worker& self) noexcept;
  /// `self` has work, or has none any more. A subtree keeps its domain busy while any worker there has work.
  void begin_work(worker& self) noexcept;
  void end_work(worker& self) noexcept;

  /// A fiber that runs worker_loop when switched to; nullptr: no memory.
  [[nodiscard]] fiber* take_spare(worker& self) noexcept { return fibers_.take(self.spares); }
  void keep_spare(worker& self, fiber& spare) noexcept { fibers_.keep(self.spares, spare); }

  /// Notes that `self` is bound to `pu`. Called by the worker's own thread, before its first fiber runs.
  void note_pin(const worker& self, os_index pu) noexcept;
  [[nodiscard]] std::optional<os_index> pin_of(const worker& self) const noexcept { return pins_[self.index]; }
  [[nodiscard]] bool binds_callers() const noexcept { return rules_.binds_callers; }
  /// Called after a switch, on the thread that goes on. A fiber's own thread is bound to the PU of the worker that it
  /// now runs for.
  void follow(worker& self) const noexcept;

  /// The runtime whose workers these are. Set before the first call from outside.
  [[nodiscard]] runtime* of() const noexcept { return of_; }
  void belong_to(runtime& made) noexcept { of_ = &made; }
  /// The same for the relief of a crew of that runtime.
  void relieve(crew& relieved) noexcept;
  /// Of a relief: its workers come for what a thread outside shares only while the relieved crew leaves a core idle.
  /// Else the system would stop them, or that thread, for milliseconds, and each would wait for the other's part.
  void wait_for_cores(bool whether) noexcept { waits_for_cores_.store(whether, seam::memory_order_relaxed); }
  [[nodiscard]] bool waits_for_cores() const noexcept { return waits_for_cores_.load(seam::memory_order_relaxed); }
  [[nodiscard]] bool lacks_cores() const noexcept { return waits_for_cores() && !relieved_->has_idle_worker(); }
  /// Racy: private jobs are not seen.
  [[nodiscard]] bool has_shared_work() noexcept;
  /// Over all workers. Racy.
  [[nodiscard]] std::uint64_t total(counter worker_counters::* which) const noexcept;
  /// For a worker that is about to sleep: its core is idle then.
  void wake_beside() noexcept;

  // --- for forks and regions ---
  [[nodiscard]] task_books& books() noexcept { return books_; }
  [[nodiscard]] region_table& regions() noexcept { return *books_.regions; }
  /// nullptr: nothing is recorded.
  [[nodiscard]] graph_recorder* recorder() const noexcept { return books_.recorder; }

 private:
  /// In its deques and its high pool.
  [[nodiscard]] bool has_homed_jobs(std::uint32_t domain) noexcept;
  void enter_from_outside();
  void look_after_lanes() noexcept;
  void list_slower_workers();
  /// The worker bound to `pu`; 0: none is.
  [[nodiscard]] std::uint32_t worker_at(os_index pu) const noexcept;
  /// The worker for which try_it returned true, that of the caller's PU first; nullptr: there is none.
  template <class Try>
  [[nodiscard]] worker* take_place(const Try& try_it) noexcept;
  bool notify_domain(std::uint32_t domain) noexcept;
  /// True: no region is profiled or planned, and otherwise all workers look into all pools that may have work. Who
  /// asks after get_sleepy() sees the region of each task that was announced before.
  [[nodiscard]] bool plans_nothing() const noexcept {
    return pools_open_without_plan_ && iterations_.planned.load(seam::memory_order_relaxed) == 0 &&
           iterations_.profiling.load(seam::memory_order_relaxed) == 0;
  }

  const rules rules_;
  const bool pools_have_conditions_;
  const bool pools_open_without_plan_;
  const own_process process_;  // that the crew was started in
  woken_apart apart_;
  door entrance_;
  seam::atomic<std::uint32_t> visits_without_call_{0};
  seam::atomic<std::uint32_t> unwaited_calls_{0};
  seam::atomic<std::uint32_t> outside_waits_{0};
  seam::atomic<bool> visited_{false};
  std::vector<std::unique_ptr<worker>> workers_;
  std::vector<std::unique_ptr<domain_state>> domains_;
  portioned_pool<work_item> injector_;
  crew_lanes lanes_;
  parking_lot lot_;
  poll_watch polling_;
  spawning_threads spawners_;
  lane_watch lane_watcher_{{[](void* of) noexcept { static_cast<crew*>(of)->look_after_lanes(); }, this}};
  const owner_fence fences_;
  fiber_supply fibers_;
  iterations_in_progress iterations_;
  uncounted_misses uncounted_;
  chunk_reserve graph_memory_;
  task_books books_;
  runtime* of_ = nullptr;
  relief* relief_ = nullptr;
  void (*look_for_relief_)(relief&) noexcept = nullptr;
  crew* relieved_ = nullptr;
  seam::atomic<crew*> beside_{nullptr};  // the relief, once there is one
  seam::atomic<bool> waits_for_cores_{false};
  std::vector<std::optional<os_index>> pins_;  // by worker
  seam::atomic<bool> stopping_{false};
};

}  // namespace nearfork
